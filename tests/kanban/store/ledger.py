"""A goal in the real database, and what tests do to it through transitions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kanban.kernel.actor import Actor, agent, person
from kanban.kernel.decision import Ask
from kanban.kernel.execution import execution
from kanban.queries.events import verify_goal
from kanban.transitions import gates, goals, members, todos, turns
from kanban.transitions.receipt import Receipt

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
OWNER = person("owner")
AGENT, PEER = agent("agent"), agent("peer")
GOAL = "apollo"
PROOF: dict[str, Any] = {"kind": "test", "summary": "The run passed.", "supports": ["A1"]}
NOTHING_MORE: dict[str, Any] = {"type": "none", "rationale": "Nothing follows."}
YES_NO = [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}]


def make_goal(todo_count: int = 1, *, now: datetime = NOW, **given: Any) -> str:
    """The goal `apollo` with two agents and todos T1, T2 …"""
    for actor in (AGENT, PEER):
        members.create_agent(OWNER, actor.name, now=now)
    wanted = {"title": "Apollo", "objective": "Reach the moon", "acceptance": ["It works"]}
    goals.create_goal(OWNER, wanted | {"agents": ["agent", "peer"]} | given, now=now)
    if todo_count:
        titles = [{"title": f"Todo {number}"} for number in range(1, todo_count + 1)]
        todos.add_todos(OWNER, GOAL, titles, now=now)
    return GOAL


def begin(who: Actor = AGENT, key: str = "", *, now: datetime = NOW, **ask: Any) -> Receipt:
    return turns.begin_turn(who, GOAL, Ask(execution(who.name, key), **ask), now=now)


def finish(
    begun: Receipt, who: Actor = AGENT, key: str = "", *, now: datetime = NOW, **given: Any
) -> Receipt:
    body = {
        "result": "completed",
        "summary": "Done.",
        "evidence": [PROOF],
        "continuation": NOTHING_MORE,
    }
    return turns.finish_turn(
        who,
        GOAL,
        begun.body["id"],
        body | given,
        now=now,
        agent=who.name,
        execution_key=key,
        epoch=begun.body["epoch"],
    )


def ask(who: Actor = AGENT, *, now: datetime = NOW, **given: Any) -> Receipt:
    asked = {"question": "Shall we publish version 2 now?", "options": YES_NO} | given
    return gates.ask_gate(who, GOAL, asked, now=now)


def assert_sound(goal: str = GOAL) -> None:
    assert verify_goal(goal) == []


def later(**span: float) -> datetime:
    return NOW + timedelta(**span)
