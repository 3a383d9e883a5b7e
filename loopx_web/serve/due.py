"""What the clock has brought, goal by goal; the worker's timer asks."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from kanban.kernel.schedule import next_instant
from kanban.kernel.settle import settle
from kanban.queries import feed
from kanban.queries.snapshot import ledger_time, load
from kanban.transitions.perform import settle_goal

logger = logging.getLogger("loopx.timer")

PAUSE_AFTER_FAILURE = timedelta(seconds=30)


class Clockwork:
    """Called with the time, settles every goal that is due and answers the next known instant.

    Remembers the next instant of each goal for as long as its version stays, so that a quiet
    pass is one query.
    """

    def __init__(self) -> None:
        self.known: dict[str, tuple[int, datetime | None]] = {}

    def __call__(self, now: datetime) -> datetime | None:
        versions = {slug: head.version for slug, head in feed.heads().items()}
        self.known = {slug: self._look(slug, versions[slug], now) for slug in versions}
        return min((at for _, at in self.known.values() if at), default=None)

    def _look(self, slug: str, version: int, now: datetime) -> tuple[int, datetime | None]:
        seen, following = self.known.get(slug, (-1, None))
        if seen == version and (following is None or following > now):
            return seen, following
        try:
            return _settled(slug, now)
        except Exception:
            # One goal that cannot be settled must not hold up the others.
            logger.exception("Settling %s failed; trying again later.", slug)
            return version, now + PAUSE_AFTER_FAILURE


def _settled(slug: str, now: datetime) -> tuple[int, datetime | None]:
    state = load(slug).state
    if settle(state, ledger_time(state, now))[1]:
        settle_goal(slug, now=now)
        state = load(slug).state
    return state.goal.version, next_instant(state, now)
