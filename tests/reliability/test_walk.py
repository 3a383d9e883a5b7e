"""The kernel's random walk through transitions and the store: afterwards the ledger is sound."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from kanban.queries.events import verify_goal
from tests.kanban.kernel.walk import Walk
from tests.reliability.ledger_world import LedgerWorld

COMMON = settings(
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


class LedgerWalk(Walk):
    def make_world(self) -> LedgerWorld:
        return LedgerWorld(members=["agent", "peer", "third"])

    def teardown(self) -> None:
        assert isinstance(self.world, LedgerWorld)
        assert verify_goal(self.world.slug) == []


@pytest.mark.django_db(transaction=True)
def test_short_walks_leave_a_sound_ledger() -> None:
    few = settings(COMMON, max_examples=8, stateful_step_count=40)
    run_state_machine_as_test(LedgerWalk, settings=few)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_long_walks_leave_a_sound_ledger() -> None:
    many = settings(COMMON, max_examples=60, stateful_step_count=80)
    run_state_machine_as_test(LedgerWalk, settings=many)
