"""Quota: rolling windows of slots, tokens and money; reserve, settle, and when there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import floor

from kanban.kernel.draft import Draft
from kanban.kernel.errors import invalid
from kanban.kernel.limits import FIGURE_MAX
from kanban.kernel.state import Entry, Policy, State

COUNTED = ("reserved", "spent")


@dataclass(frozen=True, slots=True)
class Usage:
    """What counts in one policy's window at one instant."""

    allowed: int
    spent: int
    reserved: int
    tokens: int
    cost_micros: int
    released: int = 0  # bookings given back; they take no room

    @property
    def free(self) -> int:
        return max(0, self.allowed - self.spent - self.reserved)


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why a turn cannot be booked, and the instant at which it can (None: a person must act)."""

    reason: str
    policy: Policy
    usage: Usage
    recovers_at: datetime | None


def window(policy: Policy) -> timedelta:
    return timedelta(hours=policy.window_hours)


def allowed_slots(policy: Policy, now: datetime) -> int:
    """Override, else ⌊share x window / slot⌋ and at least 1 when share > 0, and a live burst."""
    if policy.share <= 0:
        return 0
    base = policy.slots
    if base is None:
        minutes = policy.share * policy.window_hours * 60
        base = max(1, floor(minutes / policy.slot_minutes + 1e-9))
    burst = policy.burst_until is not None and now < policy.burst_until
    return base + (policy.burst_slots if burst else 0)


def policies_for(state: State, agent: str) -> list[Policy]:
    """The goal's policy and, if there is one, the agent's own in this goal."""
    goal = state.policies.get("", Policy())
    own = state.policies.get(agent) if agent else None
    return [goal, own] if own else [goal]


def usage(state: State, policy: Policy, now: datetime) -> Usage:
    counted = list(_counted(state, policy, now))
    return Usage(
        allowed=allowed_slots(policy, now),
        spent=sum(entry.slots for entry in counted if entry.status == "spent"),
        reserved=sum(entry.slots for entry in counted if entry.status == "reserved"),
        tokens=sum(entry.tokens_in + entry.tokens_out for entry in counted),
        cost_micros=sum(entry.cost_micros for entry in counted),
        released=sum(entry.status == "released" for entry in _in_window(state, policy, now)),
    )


def shortage(state: State, agent: str, slots: int, now: datetime) -> Shortage | None:
    """What stands against reserving `slots` now; the lack that recovers last decides."""
    found = [
        lack
        for policy in policies_for(state, agent)
        for lack in _shortages(state, policy, slots, now)
    ]
    return max(found, key=lambda lack: _far(lack.recovers_at), default=None)


def reserve(draft: Draft, *, agent: str, turn: str, todo: str, slots: int) -> dict[str, object]:
    """The fields of a new booking; the caller has made sure that there is room."""
    return {
        "agent": agent,
        "turn": turn,
        "todo": todo,
        "status": "reserved",
        "slots": slots,
        "at": draft.now,
    }


def settle_entry(
    entry: Entry,
    now: datetime,
    *,
    spend: bool,
    slots: int | None = None,
    outcome: str = "",
    tokens_in: int = 0,
    tokens_out: int = 0,
    cost_micros: int = 0,
) -> dict[str, object]:
    """The fields that end a reservation: at most the slots reserved; tokens and money always."""
    for figure in (tokens_in, tokens_out, cost_micros, slots or 0):
        if not 0 <= figure <= FIGURE_MAX:
            raise invalid("usage figures lie between 0 and 10¹⁵.", fields=["usage"])
    booked = min(entry.slots, entry.slots if slots is None else slots) if spend else 0
    used = spend or tokens_in or tokens_out or cost_micros
    return {
        "status": "spent" if used else "released",
        "slots": booked,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "cost_micros": cost_micros,
        "outcome": outcome,
        "settled_at": now,
    }


def entry_of(state: State, turn: str) -> Entry | None:
    return next((entry for entry in state.entries.values() if entry.turn == turn), None)


def _counted(state: State, policy: Policy, now: datetime) -> Iterable[Entry]:
    return (entry for entry in _in_window(state, policy, now) if entry.status in COUNTED)


def _in_window(state: State, policy: Policy, now: datetime) -> Iterable[Entry]:
    start = now - window(policy)
    for entry in state.entries.values():
        mine = not policy.agent or entry.agent == policy.agent
        if mine and entry.at and entry.at > start:
            yield entry


def _shortages(state: State, policy: Policy, slots: int, now: datetime) -> Iterator[Shortage]:
    current = usage(state, policy, now)
    if policy.share <= 0:
        yield Shortage("quota_paused", policy, current, None)
        return
    if current.spent + current.reserved + slots > current.allowed:
        at = _slots_recover(state, policy, slots, now)
        yield Shortage("quota_exhausted", policy, current, at)
    if policy.token_budget is not None and current.tokens >= policy.token_budget:
        at = _sum_recovers(state, policy, now, policy.token_budget, "tokens")
        yield Shortage("token_budget_exhausted", policy, current, at)
    if policy.cost_budget_micros is not None and current.cost_micros >= policy.cost_budget_micros:
        at = _sum_recovers(state, policy, now, policy.cost_budget_micros, "money")
        yield Shortage("cost_budget_exhausted", policy, current, at)


def _slots_recover(state: State, policy: Policy, slots: int, now: datetime) -> datetime | None:
    """When enough of the window has passed for `slots`, taking reservations as spent."""
    entries = list(_counted(state, policy, now))
    leaves = {entry.ref: _booked_at(entry) + window(policy) for entry in entries}
    for at in sorted({*leaves.values()}):
        used = sum(entry.slots for entry in entries if leaves[entry.ref] > at)
        # A burst may have ended by then.
        if used + slots <= allowed_slots(policy, at):
            return at
    return None


def _sum_recovers(
    state: State, policy: Policy, now: datetime, budget: int, what: str
) -> datetime | None:
    def weight(entry: Entry) -> int:
        return entry.cost_micros if what == "money" else entry.tokens_in + entry.tokens_out

    used = sum(weight(entry) for entry in _counted(state, policy, now))
    for entry in sorted(_counted(state, policy, now), key=_booked_at):
        used -= weight(entry)
        if used < budget:
            return _booked_at(entry) + window(policy)
    return None


def _booked_at(entry: Entry) -> datetime:
    if entry.at is None:
        raise ValueError(f"booking {entry.ref} has no time")
    return entry.at


def _far(at: datetime | None) -> float:
    return at.timestamp() if at else float("inf")
