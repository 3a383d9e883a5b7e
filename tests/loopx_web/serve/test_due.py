from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from kanban.kernel import actor as actors
from kanban.queries.events import goal_events, verify_goal
from kanban.transitions import evidence, goals, members
from loopx_web.serve.due import Clockwork

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
OWNER = actors.person("owner")
AGENT = actors.agent("executor")


@pytest.fixture
def goal() -> str:
    """A goal with a piece of evidence that is valid for one minute."""
    members.create_agent(OWNER, "executor", now=NOW)
    given = {"title": "Search", "objective": "Find it", "agents": ["executor"]}
    slug = goals.create_goal(OWNER, given, now=NOW).goal
    fresh = {"kind": "test", "verdict": "supports", "summary": "it holds", "valid_seconds": 60}
    evidence.add_evidence(AGENT, slug, fresh, now=NOW)
    return slug


def kinds(goal: str) -> list[str]:
    return [event.kind for event in goal_events(goal)]


def test_the_next_known_instant_is_answered_and_nothing_written(goal: str) -> None:
    before = kinds(goal)
    assert Clockwork()(NOW) == NOW + timedelta(minutes=1)
    assert kinds(goal) == before


def test_what_is_due_is_settled_once(goal: str) -> None:
    clockwork = Clockwork()
    clockwork(NOW)
    later = NOW + timedelta(minutes=2)
    assert clockwork(later) is None
    clockwork(later + timedelta(minutes=1))
    assert kinds(goal).count("evidence.expired") == 1
    assert verify_goal(goal) == []


def test_a_change_by_others_is_noticed(goal: str) -> None:
    clockwork = Clockwork()
    clockwork(NOW)
    sooner = {"kind": "test", "verdict": "supports", "summary": "again", "valid_seconds": 10}
    evidence.add_evidence(AGENT, goal, sooner, now=NOW)
    assert clockwork(NOW) == NOW + timedelta(seconds=10)


def test_a_quiet_pass_is_one_query(
    goal: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    clockwork = Clockwork()
    clockwork(NOW)
    with django_assert_num_queries(1):
        clockwork(NOW + timedelta(seconds=1))
