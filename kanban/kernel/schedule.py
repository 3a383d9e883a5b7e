"""Known instants of a goal, when to look again, and active hours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from kanban.kernel.conditions import condition_instant
from kanban.kernel.frontier import stale_at
from kanban.kernel.gate import next_reminder
from kanban.kernel.limits import CHECK_CEILING, CHECK_FLOOR, FAILURE_BACKOFF
from kanban.kernel.quota import policies_for
from kanban.kernel.state import Policy, State, Todo, Turn

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment at which something of the goal changes by itself, or may be done."""

    at: datetime
    kind: str
    ref: str


def instants(state: State, now: datetime) -> Iterator[Instant]:
    """Every known instant, past ones not yet settled included."""
    for todo in state.todos.values():
        yield from _todo_instants(todo)
    for gate in state.gates.values():
        if gate.status == "provisional" and gate.effective_at:
            yield Instant(gate.effective_at, "answer_effect", gate.ref)
        if gate.status in ("open", "sent_back"):
            if gate.expire_at:
                yield Instant(gate.expire_at, "gate_expiry", gate.ref)
            yield Instant(next_reminder(gate, now), "reminder", gate.ref)
    for turn in state.turns.values():
        if turn.status == "live":
            for at in (turn.lease_until, turn.ends_by):
                if at:
                    yield Instant(at, "turn_end", turn.id)
    for item in state.evidence.values():
        if item.valid_until and not item.expired and item.invalidated_at is None:
            yield Instant(item.valid_until, "evidence_expiry", item.ref)
    for member in state.members.values():
        if member.limited_until:
            yield Instant(member.limited_until, "limit_end", member.agent)
    for policy in state.policies.values():
        if policy.burst_until:
            yield Instant(policy.burst_until, "burst_end", policy.agent)


def _todo_instants(todo: Todo) -> Iterator[Instant]:
    if todo.lease_until:
        yield Instant(todo.lease_until, "lease_end", todo.ref)
    if at := stale_at(todo):
        yield Instant(at, "claim_stale", todo.ref)
    if todo.status == "deferred" and (at := condition_instant(todo.resume_when)):
        yield Instant(at, "resume", todo.ref)
    if todo.status == "blocked":
        until = (todo.blocked_on or {}).get("until")
        if at := condition_instant(until):
            yield Instant(at, "resume", todo.ref)
    if todo.kind == "monitor" and todo.status == "open" and todo.next_due_at:
        yield Instant(todo.next_due_at, "monitor_due", todo.ref)


def next_instant(state: State, now: datetime) -> datetime | None:
    """The earliest known instant after `now`; what the worker's timer sleeps for."""
    return min((item.at for item in instants(state, now) if item.at > now), default=None)


def next_check(state: State, turns: list[Turn], now: datetime, wake_at: datetime | None) -> int:
    """Seconds until it is worth asking again without being woken.

    A quarter of how long the goal has been unchanged, between floor and ceiling; longer after
    failures in a row; cut to the next known instant.
    """
    unchanged = now - (state.goal.changed_at or now)
    pause = min(max(unchanged / 4, CHECK_FLOOR), CHECK_CEILING)
    failures = 0
    for turn in turns:
        if turn.result != "failed":
            break
        failures += 1
    if failures and turns[0].ended_at:
        step = FAILURE_BACKOFF[min(failures, len(FAILURE_BACKOFF)) - 1]
        pause = max(pause, turns[0].ended_at + step - now)
    if wake_at and wake_at > now:
        pause = min(pause, wake_at - now)
    return max(1, round(pause.total_seconds()))


def is_active_hour(policy: Policy, now: datetime) -> bool:
    """Whether local wall-clock time lies in the policy's hours; none given means always.

    `active_hours` maps a day ("mon" … "sun") to ranges such as ["09:00", "18:00"].
    """
    if not policy.active_hours:
        return True
    local = now.astimezone(ZoneInfo(policy.time_zone))
    return any(
        start <= local.time().replace(tzinfo=None) < end
        for start, end in _ranges(policy, DAYS[local.weekday()])
    )


def opens_at(policy: Policy, now: datetime) -> datetime | None:
    """The next moment inside active hours; local time is resolved by the zone, so DST holds."""
    zone = ZoneInfo(policy.time_zone)
    today = now.astimezone(zone).date()
    for offset in range(9):
        day = today + timedelta(days=offset)
        starts = sorted(start for start, _ in _ranges(policy, DAYS[day.weekday()]))
        for start in starts:
            moment = datetime.combine(day, start, zone).astimezone(UTC)
            if moment > now:
                return moment
    return None


def outside_hours(state: State, agent: str, now: datetime) -> Policy | None:
    return next((p for p in policies_for(state, agent) if not is_active_hour(p, now)), None)


def _ranges(policy: Policy, day: str) -> list[tuple[time, time]]:
    given = (policy.active_hours or {}).get(day, [])
    return [(clock(start), clock(end)) for start, end in given]


def clock(value: str) -> time:
    """A wall-clock time of active hours; "24:00" is the end of the day."""
    return time.max if value == "24:00" else time.fromisoformat(value)
