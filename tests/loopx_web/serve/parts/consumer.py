"""A worker's consumer whose one task ends when the file `go` appears in REPORTS."""

from __future__ import annotations

import os
from pathlib import Path

from huey import SqliteHuey

from loopx_web.serve.worker import PatientConsumer
from tests import waiting
from tests.loopx_web.serve.parts import report

REPORTS = Path(os.environ["REPORTS"])
huey = SqliteHuey("test", filename=str(REPORTS / "queue.sqlite3"), results=False)


@huey.task()  # type: ignore[untyped-decorator]
def work() -> None:
    report("began")
    waiting.until(lambda: (REPORTS / "go").exists(), "told to go on")
    report("finished")


work()
consumer = PatientConsumer(huey, workers=1, initial_delay=0.01, max_delay=0.05)
consumer.run()
