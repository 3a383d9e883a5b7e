"""What the hub reads of the real database."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from kanban.models import Evidence, Gate, Goal, Member, Todo, Turn
from kanban.queries import feed

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SOON, LATER = NOW + timedelta(minutes=1), NOW + timedelta(hours=1)


def elsewhere(work: Callable[[], object]) -> None:
    """Runs on a connection of its own, as another thread or process would."""

    def run() -> None:
        work()
        connections.close_all()

    with ThreadPoolExecutor(1) as room:
        room.submit(run).result()


@pytest.mark.django_db(transaction=True)
class TestMark:
    def test_changes_with_every_foreign_write_and_only_then(self) -> None:
        if connection.vendor != "sqlite":
            assert feed.mark() is None
            return
        first = feed.mark()
        assert feed.mark() == first
        elsewhere(lambda: Goal.objects.create(slug="apollo"))
        second = feed.mark()
        assert second != first
        assert feed.mark() == second

    def test_a_new_connection_is_no_old_mark(self) -> None:
        first = feed.mark()
        connection.close()
        assert first is None or feed.mark() != first or connection.vendor != "sqlite"


@pytest.mark.django_db
class TestHeads:
    def test_success(self) -> None:
        goal = Goal.objects.create(slug="apollo", version=7)
        assert feed.heads() == {"apollo": feed.Head(goal.pk, 7)}

    def test_one_query_however_many(self) -> None:
        Goal.objects.bulk_create(Goal(slug=f"g{n}") for n in range(30))
        with CaptureQueriesContext(connection) as queries:
            assert len(feed.heads()) == 30
        assert len(queries) == 1


@pytest.mark.django_db
class TestInstants:
    @pytest.fixture
    def goal(self) -> Goal:
        return Goal.objects.create(slug="apollo")

    def test_none(self, goal: Goal) -> None:
        assert feed.instants(NOW) == {}

    def test_the_nearest_counts(self, goal: Goal) -> None:
        claim = {"owner": "a", "claim_form": "lease"}
        Todo.objects.create(goal=goal, ref="T1", lease_until=LATER, **claim)
        Gate.objects.create(goal=goal, ref="G1", status="provisional", effective_at=SOON)
        assert feed.instants(NOW) == {"apollo": SOON}
        assert feed.instants(SOON) == {"apollo": LATER}

    def test_what_is_over_does_not_count(self, goal: Goal) -> None:
        Gate.objects.create(goal=goal, ref="G1", status="chosen", effective_at=SOON)
        Turn.objects.create(goal=goal, id="t", status="finished", ends_by=SOON)
        Evidence.objects.create(goal=goal, ref="E1", valid_until=SOON, invalidated_at=NOW)
        assert feed.instants(NOW) == {}

    def test_timed_conditions_count(self, goal: Goal) -> None:
        when = {"type": "time", "at": SOON.isoformat()}
        Todo.objects.create(goal=goal, ref="T1", status="deferred", resume_when=when)
        assert feed.instants(NOW) == {"apollo": SOON}

    def test_a_closed_goal_has_none(self, goal: Goal) -> None:
        Member.objects.create(goal=goal, agent="a", limited_until=SOON)
        Goal.objects.update(closed_at=NOW)
        assert feed.instants(NOW) == {}

    def test_a_constant_number_of_queries(self, goal: Goal) -> None:
        with CaptureQueriesContext(connection) as queries:
            feed.instants(NOW)
        assert len(queries) == len(feed.MOMENTS) + 1
