"""Processes full of threads that all want the same thing at the same moment.

Run as a program it is one such process: it makes its threads ready, says so, waits for a line on
its input, lets them go at once, and prints what became of each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def race(act: str, *, processes: int, threads: int) -> list[str]:
    """Starts them all; for each thread "ok" or the code of its refusal."""
    from django.db import connection

    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LOOPX_TEST_DATABASE": database_url(connection.settings_dict),
        "PYTHONPATH": str(ROOT),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.contenders", act, str(number), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        for number in range(processes)
    ]
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    outcomes: list[str] = []
    for process in running:
        answer, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        outcomes += json.loads(answer)
    return outcomes


def database_url(settings: dict[str, Any]) -> str:
    """The address of the test database, for another process."""
    if "sqlite" in settings["ENGINE"]:
        return f"sqlite:///{settings['NAME']}"
    user = settings["USER"] + (f":{settings['PASSWORD']}" if settings["PASSWORD"] else "")
    host = settings["HOST"] or "localhost"
    return f"postgresql://{user}@{host}:{settings['PORT'] or 5432}/{settings['NAME']}"


def outcome(work: Callable[[], Any]) -> str:
    from django.db import connection

    from kanban.kernel.errors import LoopxError

    try:
        work()
    except LoopxError as refusal:
        return refusal.code
    finally:
        connection.close()
    return "ok"


def acts() -> dict[str, Callable[[str], Any]]:
    from kanban.transitions import claims, todos
    from tests.kanban.store.ledger import AGENT, GOAL, NOW, OWNER, PEER, begin

    def claim(key: str) -> Any:
        who = AGENT if hash(key) % 2 else PEER
        given = {"lease_seconds": 900, "execution_key": key, "now": NOW}
        return claims.claim_todo(who, GOAL, "T1", **given)  # type: ignore[arg-type]

    def begin_any(key: str) -> Any:
        return begin(AGENT if hash(key) % 2 else PEER, key)

    def add_once(key: str) -> Any:
        return todos.add_todos(OWNER, GOAL, [{"title": "Only one"}], now=NOW, key="the key")

    return {"claim": claim, "begin": begin_any, "add once": add_once}


def main(act: str, process: int, threads: int) -> None:
    import django

    django.setup()
    work = acts()[act]
    start = threading.Event()
    outcomes: list[str] = [""] * threads

    def run(number: int) -> None:
        start.wait()
        outcomes[number] = outcome(lambda: work(f"{process} {number}"))

    running = [threading.Thread(target=run, args=[number]) for number in range(threads)]
    for thread in running:
        thread.start()
    print("ready", flush=True)
    sys.stdin.readline()
    start.set()
    for thread in running:
        thread.join()
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
