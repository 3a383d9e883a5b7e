"""The loop that every peer runs: ask, begin one turn, work, write back, ask again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from search import Figure, Task, figures

from loopx_web.client import LeaseLost, LoopX, NotNow
from loopx_web.client.results import Decision, Evidence, Todo
from loopx_web.client.turns import Turn

LEASE_SECONDS = 30
PAGE = 200
Work = Mapping[str, Callable[[LoopX, Turn, Task], None]]  # by the task's role
Repair = Callable[[LoopX, Turn], None]


def run(work: Work, repairs: dict[str, Repair] | None = None) -> None:
    """Obeys the decision until it says stop; who may do what is the server's to say.

    Server, token, goal and agent come from LOOPX_SERVER, LOOPX_TOKEN, LOOPX_GOAL, LOOPX_AGENT.
    """
    loopx = LoopX()
    repairs = repairs or {}
    seen = ""
    while True:
        decision = loopx.wait(after=seen)
        if decision.stop:
            say(loopx, decision.explanation)
            return
        if decision.outcome == "deliver" or decision.reason in repairs:
            seen = slice_of_work(loopx, decision, work, repairs)
        else:
            if decision.digest != seen:
                say(loopx, decision.explanation)
            seen = decision.digest


def slice_of_work(loopx: LoopX, decision: Decision, work: Work, repairs: dict[str, Repair]) -> str:
    """One turn. Returns the digest of a refusal, so that the next wait waits for a change."""
    try:
        with loopx.turn(lease_seconds=LEASE_SECONDS) as turn:
            if not turn.todo:
                repairs[decision.reason](loopx, turn)
                return ""
            todo = loopx.todo(turn.todo)
            say(loopx, f"{todo.ref} {todo.title}")
            be_seen()
            if task := Task.read(todo.body):
                work[task.role](loopx, turn, task)
            else:
                why = f"{todo.ref} has no task that a program can read; a person says how to go on."
                turn.blocked(why, block={"person": "owner"})
    except NotNow as refusal:  # a peer was faster
        return str(refusal.decision.get("digest", ""))
    except LeaseLost as lost:  # the work is somebody else's now
        say(loopx, str(lost))
    return ""


def be_seen() -> None:
    """Holds a turn open for LOOPX_EXAMPLE_PACE seconds before the work: a demo is to be watched."""
    time.sleep(float(os.environ.get("LOOPX_EXAMPLE_PACE", "0")))


def all_todos(loopx: LoopX) -> list[Todo]:
    found: list[Todo] = []
    cursor: str | None = None
    while True:
        page = loopx.todos(limit=PAGE, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if not cursor:
            return found


def all_evidence(loopx: LoopX) -> list[Evidence]:
    found: list[Evidence] = []
    cursor: str | None = None
    while True:
        page = loopx.evidence(limit=PAGE, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if not cursor:
            return found


def all_figures(loopx: LoopX) -> list[Figure]:
    return figures(all_evidence(loopx))


def say(loopx: LoopX, words: str) -> None:
    print(f"{loopx.agent_name}: {words}", flush=True)
