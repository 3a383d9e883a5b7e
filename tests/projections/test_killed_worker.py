"""A worker killed with -9 while Feishu holds its answer leaves no double and no gap."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.projections.conftest import cards_table, titles
from tests.standin.feishu import StandIn
from tests.waiting import until

pytestmark = pytest.mark.slow

LEASE_SECONDS = 3
PATIENCE = 60.0


class Workers:
    """Starts worker processes over one data directory and one file of cards."""

    def __init__(self, directory: Path, feishu: StandIn) -> None:
        self.cards = directory / "cards.json"
        self.database = directory / "loopx.sqlite3"
        self.running: list[subprocess.Popen[bytes]] = []
        self._environment = {
            name: value for name, value in os.environ.items() if not name.startswith("LOOPX_")
        } | {
            "LOOPX_DATA_DIR": str(directory),
            "LOOPX_SQLITE_SYNC": "NORMAL",
            "LOOPX_PROJECTION_LEASE_SECONDS": str(LEASE_SECONDS),
            "LOOPX_FEISHU_PAUSE_MS": "0",
            **feishu.environment(),
        }

    def put(self, version: int, *refs: str, title: str = "Card") -> None:
        cards = [
            {"ref": ref, "kind": "advancement", "title": f"{title} {ref}", "lane": "ready"}
            for ref in refs
        ]
        self.cards.write_text(json.dumps({"version": version, "cards": cards}))

    def _command(self, verb: str) -> list[str]:
        return [sys.executable, "-m", "tests.projections.worker_process", verb, str(self.cards)]

    def set_up(self) -> None:
        subprocess.run(self._command("setup"), env=self._environment, check=True, timeout=PATIENCE)

    def start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._command("work"), env=self._environment)
        self.running.append(process)
        return process

    def cursor(self) -> int:
        with sqlite3.connect(self.database) as connection:
            (value,) = connection.execute("select cursor from projections_watch").fetchone()
            return int(value)

    def attempts(self) -> int:
        with sqlite3.connect(self.database) as connection:
            (value,) = connection.execute("select count(*) from projections_attempt").fetchone()
            return int(value)

    def stop(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(10)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[Workers, StandIn]]:
    with StandIn() as feishu:
        made = Workers(tmp_path, feishu)
        made.put(1, "T1")
        made.set_up()
        yield made, feishu
        made.stop()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(10)


def no_harm(feishu: StandIn) -> None:
    assert feishu.journal.misbehaviour == []


@pytest.mark.parametrize("moment", ["hold_before", "hold_after"])
@pytest.mark.parametrize("answer", ["before the restart", "after the restart"])
def test_killed_during_a_create(workers: tuple[Workers, StandIn], moment: str, answer: str) -> None:
    made, feishu = workers
    refs = [f"T{n}" for n in range(1, 21)]
    made.put(1, *refs)
    held = feishu.fault(moment, "batch_create")
    first = made.start()
    assert held.reached.wait(PATIENCE)
    assert made.attempts() == 1, "stored before it was sent"
    kill(first)
    assert made.cursor() == 0
    # Meanwhile the board moved on.
    made.put(2, *refs, "T21", title="Newer")
    if answer == "before the restart":
        held.release()
    made.start()
    if answer == "after the restart":
        # The new worker meets the request of the dead one still in flight.
        searches = len(feishu.journal.named("records/search"))
        until(
            lambda: len(feishu.journal.named("records/search")) > searches,
            "it looks before sending",
            limit=PATIENCE,
        )
        held.release()
    until(lambda: made.cursor() == 2, "the new worker confirms version 2", limit=PATIENCE)
    assert titles(feishu) == {f"apollo/{ref}": f"Newer {ref}" for ref in [*refs, "T21"]}
    assert made.attempts() == 0
    no_harm(feishu)


@pytest.mark.parametrize("moment", ["hold_before", "hold_after"])
def test_killed_during_an_update(workers: tuple[Workers, StandIn], moment: str) -> None:
    made, feishu = workers
    made.put(1, "T1", "T2")
    first = made.start()
    until(lambda: made.cursor() == 1, "the first version is there", limit=PATIENCE)
    kill(first)
    made.put(2, "T1", "T2", title="Second")
    held = feishu.fault(moment, "batch_update")
    second = made.start()
    assert held.reached.wait(PATIENCE)
    kill(second)
    made.put(3, "T1", title="Third")
    held.release()
    made.start()
    until(lambda: made.cursor() == 3, "the new worker confirms version 3", limit=PATIENCE)
    assert titles(feishu) == {"apollo/T1": "Third T1"}
    assert len(cards_table(feishu).records) == 1
    no_harm(feishu)
