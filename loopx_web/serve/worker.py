"""`loopx worker`: background tasks (projections) and the timer, outside the web process."""

from __future__ import annotations

import signal
import sys
import time
from typing import Any

from huey.consumer import Consumer

from loopx_web.serve import lock, options, start, state_dir
from loopx_web.serve.failure import StartFailure
from loopx_web.serve.timer import Timer

FINISH_SECONDS = 20
# Another machine may be migrating the shared database just now.
MIGRATION_SECONDS = 60.0


class PatientConsumer(Consumer):  # type: ignore[misc]
    """Finishes the running task on every signal that ends it: huey loses an interrupted one."""

    def __init__(self, huey: object, **settings: Any) -> None:
        super().__init__(huey, graceful_signal="TERM", shutdown_timeout=FINISH_SECONDS, **settings)
        for signum in list(self._signal_actions):
            self._signal_actions[signum] = (False, True)


def main(argv: list[str]) -> int:
    chosen = options.parser("worker", "Runs background tasks; `loopx serve` starts one too.")
    directory = state_dir.choose(chosen.parse_args(argv).data_dir)
    start.at(str(directory))
    return start.run("worker", work)


def work() -> int:
    directory = state_dir.choose(None)
    state_dir.prepare(directory)
    with lock.DirectoryLock(directory / lock.WORKER, "worker"):
        # Until the consumer listens itself, SIGTERM must still end this process tidily.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        start.django()
        wait_for_migrations()
        return consume()


def wait_for_migrations() -> None:
    from loopx_web.serve.prepare import unapplied

    give_up = time.monotonic() + MIGRATION_SECONDS
    while missing := unapplied():
        if time.monotonic() > give_up:
            raise StartFailure(
                f"The database lacks {missing[0]}. Start `loopx web` or `loopx serve` first: "
                "they migrate."
            )
        time.sleep(1)


def consume() -> int:
    from django.conf import settings
    from django.utils.module_loading import autodiscover_modules

    autodiscover_modules("tasks")
    from huey.contrib.djhuey import HUEY

    from kanban.queries import clock
    from loopx_web.serve.due import Clockwork

    timer = Timer(Clockwork(), clock.now)
    timer.start()
    PatientConsumer(HUEY, **settings.HUEY["consumer"]).run()
    timer.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
