"""A thread of the worker that settles what the clock brings, at the next known instant."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import close_old_connections

logger = logging.getLogger("loopx.timer")

# Other processes may add a nearer instant at any time, so it looks again at least this often.
LONGEST_PAUSE = timedelta(seconds=1)
PAUSE_AFTER_FAILURE = timedelta(seconds=5)

# due(now) settles everything that is due and returns the next known instant, or None.
Due = Callable[[datetime], datetime | None]


class Timer(threading.Thread):
    def __init__(self, due: Due, now: Callable[[], datetime]) -> None:
        super().__init__(name="timer", daemon=True)
        self.due = due
        self.now = now
        self.stopped = threading.Event()

    def run(self) -> None:
        pause = timedelta()
        while not self.stopped.wait(pause.total_seconds()):
            pause = self._pass()

    def stop(self) -> None:
        self.stopped.set()
        self.join()

    def _pass(self) -> timedelta:
        close_old_connections()
        try:
            following = self.due(self.now())
        except Exception:
            logger.exception("Settling what is due failed; trying again.")
            return PAUSE_AFTER_FAILURE
        if following is None:
            return LONGEST_PAUSE
        return min(max(following - self.now(), timedelta()), LONGEST_PAUSE)
