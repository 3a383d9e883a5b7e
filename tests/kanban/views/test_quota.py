"""The quota page: the figures of the window, and words that are true of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kanban.kernel.state import Entry, Goal, Member, Policy, State
from kanban.queries.quota_page import quota_page
from kanban.views.quota_words import quota_headline, quota_words

NOW = datetime(2026, 6, 9, 10, 16, tzinfo=UTC)
POLICY = Policy(share=1, window_hours=24, slots=10)


def entry(ref: str, agent: str, hours: float, status: str = "spent", **figures: Any) -> Entry:
    at = NOW - timedelta(hours=hours)
    return Entry(ref=ref, agent=agent, status=status, at=at, **{"slots": 1, **figures})


def state(*entries: Entry, policy: Policy = POLICY) -> State:
    members = {name: Member(agent=name) for name in ("executor", "evaluator")}
    booked = {item.ref: item for item in entries}
    goal = Goal(slug="apollo", title="Apollo", version=1)
    return State(goal=goal, members=members, entries=booked, policies={"": policy})


def test_an_agent_s_figures_are_those_of_the_window() -> None:
    here = state(
        entry("Q1", "executor", 25, tokens_in=900, cost_micros=900),
        entry("Q2", "executor", 30, "released"),
        entry("Q3", "executor", 2, slots=2, tokens_in=40, tokens_out=2, cost_micros=7),
        entry("Q4", "executor", 1, "released"),
        entry("Q5", "evaluator", 1, "reserved"),
    )
    page = quota_page(here, NOW)
    first, second = page.agents
    assert (first.agent, first.spent, first.held, first.released) == ("executor", 2, 0, 1)
    assert (first.tokens, first.cost_micros) == (42, 7)
    assert (second.agent, second.spent, second.held) == ("evaluator", 0, 1)
    assert sum(agent.spent for agent in page.agents) == page.meter.spent
    assert (page.tokens, page.cost_micros, page.released) == (42, 7, 1)


def test_an_agent_s_own_policy_does_not_change_what_the_goal_counts() -> None:
    here = state(entry("Q1", "executor", 2))
    own = replace(here, policies={**here.policies, "executor": Policy(agent="executor", share=0)})
    assert quota_page(own, NOW).agents == quota_page(here, NOW).agents


def test_room_is_told_in_slots() -> None:
    page = quota_page(state(entry("Q1", "executor", 1, slots=9)), NOW)
    assert quota_headline(page).endswith("is used. 1 slot is left.")
    assert (page.meter.percent, page.meter.level) == (90, "warn")


def test_a_spent_budget_is_no_room_although_slots_are_left() -> None:
    policy = replace(POLICY, token_budget=100)
    page = quota_page(state(entry("Q1", "executor", 1, tokens_in=100), policy=policy), NOW)
    assert quota_headline(page).startswith("The tokens of this window are spent. There is room")
    assert (quota_words(page.meter), page.meter.level) == ("used up", "over")


def test_almost_used_up_is_not_used_up() -> None:
    page = quota_page(
        state(entry("Q1", "executor", 1, slots=399), policy=replace(POLICY, slots=400)), NOW
    )
    assert "1 slot is left." in quota_headline(page)
    assert page.meter.level == "warn"


def test_a_share_of_nothing_is_a_pause() -> None:
    page = quota_page(state(policy=replace(POLICY, share=0)), NOW)
    assert quota_headline(page).startswith("Paused")
    assert (quota_words(page.meter), page.meter.paused) == ("paused", True)
