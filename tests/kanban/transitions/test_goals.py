"""A goal's ends: stopping has a way back, closing has none."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kanban.kernel.actor import agent, person
from kanban.kernel.decision import Ask
from kanban.kernel.errors import Conflict
from kanban.kernel.execution import execution
from kanban.queries.clock import now
from kanban.queries.events import verify_goal
from kanban.transitions import goals, members, todos, turns
from tests.kanban.deciding import should_run

pytestmark = pytest.mark.django_db

OWNER, EXECUTOR = person("owner"), agent("executor")
ASK = Ask(execution("executor"))


@pytest.fixture
def goal() -> str:
    members.create_agent(OWNER, "executor", now=now())
    given = {"title": "Measure", "objective": "Measure it", "agents": ["executor"]}
    slug = goals.create_goal(OWNER, given, now=now()).goal
    todos.add_todos(OWNER, slug, [{"title": "A step"}], now=now())
    return slug


def test_a_stopped_goal_ends_the_loop_and_frees_what_was_held(goal: str) -> None:
    turns.begin_turn(EXECUTOR, goal, ASK, now=now())
    goals.stop_goal(OWNER, goal, reason="Not now", now=now())
    decision = should_run(goal, ASK, now())
    assert (decision.reason, decision.verdict.stop) == ("goal_stopped", True)


def test_a_person_resumes_a_stopped_goal(goal: str) -> None:
    goals.stop_goal(OWNER, goal, reason="Not now", now=now())
    goals.resume_goal(OWNER, goal, now=now())
    assert should_run(goal, ASK, now()).reason == "work_ready"
    assert verify_goal(goal) == []


def test_a_closed_goal_stays_closed(goal: str) -> None:
    goals.close_goal(OWNER, goal, outcome="abandoned", reason="Found elsewhere", now=now())
    with pytest.raises(Conflict) as refused:
        goals.resume_goal(OWNER, goal, now=now())
    assert refused.value.code == "goal_not_active"


def test_a_limit_told_with_a_turn_holds_on_every_goal_of_the_agent(goal: str) -> None:
    given = {"title": "Another", "objective": "Another", "agents": ["executor"]}
    other = goals.create_goal(OWNER, given, now=now()).goal
    turn = turns.begin_turn(EXECUTOR, goal, ASK, now=now())
    until = now() + timedelta(hours=1)
    result = {"result": "no_change", "summary": "Out of credit", "limited_until": until}
    turns.finish_turn(EXECUTOR, goal, turn.body["id"], result, agent="executor", now=now())
    assert {should_run(slug, ASK, now()).reason for slug in (goal, other)} == {"agent_limited"}
    assert verify_goal(goal) == verify_goal(other) == []
