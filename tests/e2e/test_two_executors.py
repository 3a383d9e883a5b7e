"""Two executors at once, one of them killed in the middle of a turn."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx_web.client import LeaseLost, LoopX
from tests import waiting
from tests.e2e.running import GOAL, SOURCE, Program, owner, rows
from tests.serving import ServerProcess

sys.path.insert(0, str(SOURCE))
import start
from knn import Setup
from search import Task

pytestmark = pytest.mark.slow

EXECUTORS = ("executor-1", "executor-2")
LEASE_SECONDS = 30
# Slow to evaluate, so that both executors are seen in the middle of a turn.
CANDIDATES = [Setup(k=k, metric="chebyshev") for k in (1, 3, 5, 7, 9, 11)]

Executors = dict[str, Program]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path, "--no-worker") as running:
        yield running


@pytest.fixture
def loopx(server: ServerProcess) -> LoopX:
    return owner(server)


@pytest.fixture
def tokens(loopx: LoopX) -> dict[str, str]:
    """A goal with nothing but candidates to measure; each executor's token."""
    made = start.prepare(loopx)
    for todo in loopx.todos().items:
        loopx.drop(todo.ref, "This run is about executors alone.")
    for setup in CANDIDATES:
        body = Task("measure", setup=setup).body("Count.")
        loopx.add_todo(setup.title, body=body, required_capabilities=["measure"])
    return made


@pytest.fixture
def executors(server: ServerProcess, tokens: dict[str, str]) -> Iterator[Executors]:
    started = {
        name: Program(
            server,
            "executor.py",
            {
                "LOOPX_TOKEN": tokens[name],
                "LOOPX_GOAL": GOAL,
                "LOOPX_AGENT": name,
                "LOOPX_EXECUTION_KEY": f"key of {name}",
            },
        )
        for name in EXECUTORS
    }
    yield started
    for program in started.values():
        program.__exit__()


def turns(server: ServerProcess) -> list[dict[str, str]]:
    return rows(server, "select * from kanban_turn order by began_at")


def done(loopx: LoopX) -> int:
    return sum(todo.status == "done" for todo in loopx.todos().items)


def test_they_never_work_on_the_same_todo(
    server: ServerProcess, loopx: LoopX, executors: Executors
) -> None:
    waiting.until(lambda: done(loopx) == len(CANDIDATES), "all measured", limit=90)
    ran = turns(server)
    assert len(ran) == len(CANDIDATES)
    assert len({turn["todo"] for turn in ran}) == len(CANDIDATES)
    assert {turn["agent"] for turn in ran} == {*EXECUTORS}
    assert {turn["result"] for turn in ran} == {"completed"}
    assert overlapping(ran), "they took turns instead of working at once"


def overlapping(ran: list[dict[str, str]]) -> bool:
    one, other = ([turn for turn in ran if turn["agent"] == name] for name in EXECUTORS)
    return any(
        a["began_at"] < b["ended_at"] and b["began_at"] < a["ended_at"] for a in one for b in other
    )


def test_a_killed_one_stops_nobody_and_cannot_write_late(
    server: ServerProcess, loopx: LoopX, executors: Executors, tokens: dict[str, str]
) -> None:
    dying, living = EXECUTORS
    turn = waiting.until(lambda: live_turn(server, dying), "a turn of the one to kill")
    os.kill(executors[dying].process.pid, signal.SIGKILL)
    assert executors[dying].process.wait(timeout=10) == -signal.SIGKILL

    left = len(CANDIDATES) - 1
    waiting.until(lambda: done(loopx) == left, "the other measures the rest", limit=90)
    assert [t for t in turns(server) if t["agent"] == living and t["todo"] == turn["todo"]] == []
    assert len({t["todo"] for t in turns(server)}) == len(turns(server))

    late = LoopX(server.url, tokens[dying], execution_key=f"key of {dying}")
    waiting.until(
        lambda: lease_over(loopx, turn["todo"]), "the lease ends", limit=LEASE_SECONDS + 15
    )
    with pytest.raises(LeaseLost) as refused:
        late.finish(
            turn["id"],
            int(turn["epoch"]),
            "completed",
            evidence=[{"kind": "metric", "verdict": "supports", "summary": "too late"}],
            continuation={"type": "none", "rationale": "none"},
        )
    assert refused.value.code in {"lease_expired", "lease_lost"}
    assert loopx.todo(turn["todo"]).status == "open"
    spent = rows(server, "select turn from kanban_entry where status = 'spent'")
    assert turn["id"] not in {entry["turn"] for entry in spent}
    assert len(spent) == left


def live_turn(server: ServerProcess, agent: str) -> dict[str, str]:
    live = rows(server, "select * from kanban_turn where status = 'live' and agent = ?", agent)
    return live[0] if live else {}


def lease_over(loopx: LoopX, ref: str) -> bool:
    held = loopx.todo(ref).owner
    return held is None or not held.get("lease_until")
