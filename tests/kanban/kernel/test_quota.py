"""Quota: rolling windows, reservations, bursts, budgets, and the instant at which room returns."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanban.kernel import goal, quota
from kanban.kernel.quota import allowed_slots
from kanban.kernel.state import Entry, Policy, State
from tests.kanban.kernel.build import AGENT, NOW, OWNER, PEER, World, refused


def policy(world: World, agent: str = "", **given: Any) -> None:
    world.do(OWNER, goal.set_policy, agent, given)


def figures(world: World, agent: str = "") -> tuple[int, int, int]:
    state = world.settled
    use = quota.usage(state, state.policies[agent], world.moment)
    return use.allowed, use.spent, use.reserved


@pytest.mark.parametrize(
    ("fields", "slots"),
    [
        ({}, 96),
        ({"share": 0.5}, 48),
        ({"share": 0.1, "window_hours": 1, "slot_minutes": 15}, 1),
        ({"share": 0.01}, 1),
        ({"share": 0.0}, 0),
        ({"share": 0.3, "window_hours": 10, "slot_minutes": 60}, 3),
        ({"slots": 7}, 7),
        ({"slots": 0}, 0),
        ({"share": 0.0, "slots": 7}, 0),
    ],
)
def test_what_a_policy_allows(fields: dict[str, Any], slots: int) -> None:
    assert allowed_slots(Policy(**fields), NOW) == slots


def test_a_reservation_is_spent_or_given_back() -> None:
    world = World()
    policy(world, slots=3)
    world.add()
    begun = world.begin(slots=2)
    assert figures(world) == (3, 0, 2)
    world.finish(begun, "progress", usage={"slots": 9})
    assert figures(world) == (3, 2, 0)
    world.work("no_change")
    assert figures(world) == (3, 2, 0)
    world.work("progress", usage={"slots": 0})
    assert figures(world) == (3, 2, 0)
    world.work("progress", outcome="surface_only")
    assert figures(world) == (3, 2, 0)


def test_tokens_and_money_count_whatever_came_of_the_turn() -> None:
    world = World()
    policy(world, token_budget=100)
    world.add()
    world.work("failed", usage={"tokens_in": 99, "cost_usd": 0.25})
    assert world.reason() == "deliver work_ready"
    world.work("failed", usage={"tokens_out": 1})
    assert world.reason() == "quiet token_budget_exhausted"
    assert sum(entry.cost_micros for entry in world.state.entries.values()) == 250_000
    assert figures(world) == (96, 0, 0)


def test_room_returns_at_the_instant_that_was_told() -> None:
    world = World()
    policy(world, slots=2)
    world.add()
    world.work("progress")
    world.pass_time(hours=1)
    world.work("progress")
    assert world.reason() == "quiet quota_exhausted"
    at = world.decide().wake_at
    assert at == NOW + timedelta(hours=24)
    world.now = at - timedelta(microseconds=1)
    assert world.reason() == "quiet quota_exhausted"
    world.now = at
    assert world.reason() == "deliver work_ready"


def test_two_lacks_are_over_when_the_later_one_is() -> None:
    world = World()
    policy(world, slots=1, token_budget=10)
    world.add()
    world.work("failed", usage={"tokens_in": 10})
    world.pass_time(hours=1)
    policy(world, token_budget=None)
    world.work("progress")
    policy(world, token_budget=10)
    decision = world.decide()
    assert (decision.reason, decision.wake_at) == (
        "quota_exhausted",
        world.now + timedelta(hours=24),
    )


def test_an_agents_own_policy_and_the_goals_both_apply() -> None:
    world = World()
    policy(world, slots=2)
    policy(world, "agent", slots=1)
    world.add("A")
    world.add("B")
    world.work("progress")
    assert world.reason() == "quiet quota_exhausted"
    assert world.reason(PEER) == "deliver work_ready"
    world.work("progress", PEER)
    assert world.reason(PEER) == "quiet quota_exhausted"
    assert figures(world) == (2, 2, 0)
    assert figures(world, "agent") == (1, 1, 0)


def test_a_pause_by_share_ends_by_a_person_only() -> None:
    world = World()
    policy(world, share=0)
    world.add()
    decision = world.decide()
    assert (decision.reason, decision.wake_at) == ("quota_paused", None)
    policy(world, share=1.0)
    assert world.reason() == "deliver work_ready"


def test_lowering_takes_nothing_back_and_blocks_the_next() -> None:
    world = World()
    world.add("A")
    world.add("B")
    begun = world.begin()
    policy(world, slots=1)
    assert world.reason(PEER) == "quiet quota_exhausted"
    world.finish(begun, "progress")
    assert figures(world) == (1, 1, 0)


def test_a_burst_adds_slots_until_it_ends() -> None:
    world = World()
    until = world.now + timedelta(hours=2)
    policy(world, slots=1, burst_slots=1, burst_until=until)
    world.add()
    world.work("progress")
    world.work("progress")
    assert world.reason() == "quiet quota_exhausted"
    world.now = until
    assert figures(world) == (1, 2, 0)
    assert world.decide().wake_at == NOW + timedelta(hours=24)


def test_a_live_reservation_counts_against_peers_until_its_lease_ends() -> None:
    world = World()
    policy(world, slots=1)
    world.add("A")
    world.add("B")
    world.begin(lease_seconds=60)
    assert world.reason(PEER) == "quiet quota_exhausted"
    world.pass_time(seconds=60)
    assert world.reason(PEER) == "deliver work_ready"


@pytest.mark.parametrize(
    "given_policy",
    [
        {"share": 1.5},
        {"share": -0.1},
        {"share": float("nan")},
        {"window_hours": 0},
        {"slots": -1},
        {"token_budget": -1},
        {"time_zone": "Mars/Olympus"},
        {"active_hours": {"mon": [["18:00", "09:00"]]}},
        {"active_hours": {"someday": [["09:00", "18:00"]]}},
        {"active_hours": ["09:00"]},
    ],
)
def test_policies_that_cannot_be_meant_are_refused(given_policy: dict[str, Any]) -> None:
    world = World()
    with refused("invalid"):
        policy(world, **given_policy)
    with refused("unknown_field"):
        policy(world, generosity=1)
    with refused("not_found"):
        policy(world, "nobody", share=1.0)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 3)), max_size=12),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_the_recovery_instant_is_the_first_with_room(
    bookings: list[tuple[int, int]], allowed: int, slots: int
) -> None:
    """For any history: no room before the instant, room at it, and none ever if there is none."""
    world = World()
    state = booked(world, bookings, allowed)
    now = NOW + timedelta(hours=48)
    lack = quota.shortage(state, "agent", slots, now)
    if lack is None:
        return
    if lack.recovers_at is None:
        assert slots > allowed
        return
    before = lack.recovers_at - timedelta(microseconds=1)
    assert quota.shortage(state, "agent", slots, before) is not None
    assert quota.shortage(state, "agent", slots, lack.recovers_at) is None


def booked(world: World, bookings: list[tuple[int, int]], allowed: int) -> State:
    entries = {
        f"Q{number}": Entry(
            ref=f"Q{number}", agent="agent", status="spent", slots=slots, at=hours_in(hours)
        )
        for number, (hours, slots) in enumerate(bookings, start=1)
    }
    policies = {"": Policy(slots=allowed)}
    return replace(world.state, entries=entries, policies=policies)


def hours_in(hours: int) -> datetime:
    return NOW + timedelta(hours=8 + hours)


def test_agents_never_book_for_more_than_is_there() -> None:
    world = World()
    policy(world, slots=1)
    world.add("A")
    world.add("B")
    world.begin(AGENT)
    with pytest.raises(Exception, match="slots"):
        world.begin(PEER)
    assert figures(world) == (1, 0, 1)
