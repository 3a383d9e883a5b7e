"""Ownership of a todo: soft claims, leases, release, and what ends a turn with its lease."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from kanban.kernel import quota, scopes
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, Invalid, LoopxError, NotAllowed
from kanban.kernel.execution import Execution
from kanban.kernel.frontier import (
    busy_scope,
    covering_gates,
    failing,
    fits,
    held_by_other,
    is_runnable,
    member_of,
    order,
)
from kanban.kernel.guards import (
    require_active_goal,
    require_hand,
    require_member,
    require_not_closed,
    require_owned,
    require_registered,
    require_self,
)
from kanban.kernel.limits import LEASE_MAX, LEASE_MIN, SOFT_CLAIMS
from kanban.kernel.state import RowKey, Todo, Turn

Rows = dict[RowKey, dict[str, Any]]
NO_CLAIM: dict[str, Any] = {
    "owner": "",
    "execution": "",
    "claim_form": "",
    "claimed_at": None,
    "lease_until": None,
    "claim_scopes": (),
    "owner_wrote_at": None,
}


def lease_span(seconds: int) -> timedelta:
    if not LEASE_MIN.total_seconds() <= seconds <= LEASE_MAX.total_seconds():
        raise Invalid(
            "invalid_ttl",
            f"A lease of {seconds} s is not between 30 s and 24 h.",
            "Ask for 900 and renew while you work.",
        )
    return timedelta(seconds=seconds)


def claim_todo(
    draft: Draft,
    ref: str,
    by: Execution,
    *,
    capabilities: Iterable[str] | None = None,
    lease_seconds: int | None = None,
    write_scopes: Iterable[str] = (),
) -> None:
    """Takes a todo that fits, softly or with a lease; the same execution again changes nothing."""
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    require_self(draft.actor, by)
    require_registered(draft.state, by.agent)
    todo = draft.todo(ref)
    if _already_so(draft, todo, by, lease_seconds):
        return
    _refuse_resting(draft, todo, by)
    refuse_unfit(draft, todo, by, capabilities)
    if gates := covering_gates(draft.state, todo):
        raise Conflict(
            "gate_open", f"{gates[0].ref} is not decided yet; it holds up {ref}.", gate=gates[0].ref
        )
    if lease_seconds is None:
        _refuse_hoarding(draft, by.agent)
        draft.record_one("todo.claimed", ("todo", ref), **claim_fields(draft, todo, by))
        return
    taken = scopes.parse(write_scopes)
    if outside := [one for one in taken if not scopes.within(one, draft.state.goal.write_scope)]:
        raise not_runnable(todo, [f"{', '.join(outside)} lies outside the goal's scope"])
    fields = claim_fields(draft, todo, by, lease_span(lease_seconds), taken)
    refuse_scope_conflict(draft, todo, taken or todo.required_write_scopes)
    draft.record_one("todo.claimed", ("todo", ref), **fields)


def claim_fields(
    draft: Draft,
    todo: Todo,
    by: Execution,
    span: timedelta | None = None,
    write_scopes: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The claim's columns under a new epoch; `span` makes it a lease."""
    return {
        "owner": by.agent,
        "execution": by.mark,
        "epoch": todo.epoch + 1,
        "claim_form": "lease" if span else "soft",
        "claimed_at": draft.now,
        "lease_until": draft.now + span if span else None,
        "claim_scopes": write_scopes,
        "owner_wrote_at": draft.now,
    }


def soften(todo: Todo, now: datetime) -> dict[str, Any]:
    """A lease that ended leaves a soft claim, whose clock starts now."""
    return {"claim_form": "soft", "lease_until": None, "claim_scopes": (), "owner_wrote_at": now}


def release_todo(
    draft: Draft, ref: str, by: Execution | None, epoch: int | None, *, reason: str = ""
) -> None:
    todo = draft.todo(ref)
    require_not_closed(todo)
    if not todo.owner:
        return
    require_hand(draft, todo, by, epoch, "release", reason)
    _require_not_in_review(draft, todo)
    rows: Rows = {("todo", ref): dict(NO_CLAIM)}
    rows |= revoke_turn(draft, todo)
    draft.record("todo.released", ref, rows)


def reassign_todo(
    draft: Draft,
    ref: str,
    to: str,
    *,
    reason: str,
    by: Execution | None = None,
    epoch: int | None = None,
) -> None:
    """Its owner, a person, or delegated authority hands a todo on, as a soft claim."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_registered(draft.state, to)
    require_hand(draft, todo, by, epoch, "reassign", reason)
    require_owned(draft, todo, "reassign", reason)
    _require_not_in_review(draft, todo)
    if to in todo.excluded_agents:
        raise NotAllowed("excluded", f"{to} is excluded from {ref}.")
    rows: Rows = {("todo", ref): claim_fields(draft, todo, Execution(to, ""))}
    rows |= revoke_turn(draft, todo)
    draft.record("todo.reassigned", ref, rows)


def _require_not_in_review(draft: Draft, todo: Todo) -> None:
    """The owner of work in review is its author, who may not become its reviewer."""
    if todo.status == "review" and draft.actor.is_agent:
        raise not_runnable(todo, [f"{todo.ref} is in review until it is accepted or returned"])


def live_turn_of(draft: Draft, todo: Todo) -> Turn | None:
    return next(
        (
            turn
            for turn in draft.state.turns.values()
            if turn.status == "live" and turn.todo == todo.ref and turn.epoch == todo.epoch
        ),
        None,
    )


def revoke_turn(draft: Draft, todo: Todo, why: str = "", at: datetime | None = None) -> Rows:
    """The rows that end the todo's live turn, whoever ended its lease."""
    turn = live_turn_of(draft, todo)
    return end_turn(draft, turn, "revoked", why or f"ended by {draft.actor}", at) if turn else {}


def closed_fields(status: str, at: datetime) -> dict[str, Any]:
    """The fields of a todo that is over, one way or another."""
    return {"status": status, "closed_at": at, "outcome": status, "blocked_on": None, **NO_CLAIM}


def end_turn(draft: Draft, turn: Turn, status: str, why: str, at: datetime | None = None) -> Rows:
    """The rows that end a turn without a result and give its reservation back."""
    moment = at or draft.now
    rows: Rows = {("turn", turn.id): {"status": status, "ended_at": moment, "end_reason": why}}
    if entry := quota.entry_of(draft.state, turn.id):
        rows["entry", entry.ref] = quota.settle_entry(entry, moment, spend=False)
    return rows


def refuse_unfit(
    draft: Draft, todo: Todo, by: Execution, capabilities: Iterable[str] | None
) -> None:
    """Turns the first failing clause into the refusal that names it."""
    require_not_closed(todo)
    if todo.kind == "user_action":
        raise NotAllowed("human_required", f"{todo.ref} is a person's to do.", "Wait for them.")
    if held_by_other(todo, by, draft.now):
        raise already_claimed(todo)
    own = member_of(draft.state, by.agent)
    declared = capabilities if capabilities is not None else (own.capabilities if own else ())
    lacking = failing(fits(draft.state, todo, by, declared, draft.now))
    if not lacking:
        return
    if lacking[0].name == "excluded":
        raise NotAllowed("excluded", f"{by.agent} is excluded from {todo.ref}.")
    if lacking[0].name == "scope_free":
        raise scope_conflict(draft.state.todos[lacking[0].ref])
    raise not_runnable(todo, [clause.fact for clause in lacking])


def already_claimed(todo: Todo) -> LoopxError:
    until = todo.lease_until.isoformat() if todo.lease_until else None
    return Conflict(
        "already_claimed",
        f"{todo.owner} holds {todo.ref}" + (f" until {until}." if until else "."),
        "Take another todo, or wait.",
        owner=todo.owner,
        until=until,
    )


def not_runnable(todo: Todo, facts: list[str]) -> Conflict:
    return Conflict(
        "not_runnable",
        f"{todo.ref} cannot be worked on: {'; '.join(facts)}.",
        "Ask should-run for what can.",
        clauses=facts,
    )


def scope_conflict(other: Todo) -> Conflict:
    return Conflict(
        "scope_conflict",
        f"{other.owner} writes there on {other.ref} until {other.lease_until}.",
        "Take work elsewhere, or wait.",
        owner=other.owner,
        todo=other.ref,
    )


def refuse_scope_conflict(draft: Draft, todo: Todo, taken: Iterable[str]) -> None:
    if other := busy_scope(draft.state, todo, taken):
        raise scope_conflict(other)


def _already_so(draft: Draft, todo: Todo, by: Execution, lease_seconds: int | None) -> bool:
    """A claim asked for again by its own execution stays, and so does the lease of its turn."""
    mine = (todo.owner, todo.execution) == (by.agent, by.mark) and todo.status == "open"
    return mine and (lease_seconds is None or live_turn_of(draft, todo) is not None)


def _refuse_resting(draft: Draft, todo: Todo, by: Execution) -> None:
    mode = draft.state.members[by.agent].work_mode
    if mode == "paused" or (mode == "monitor_only" and todo.kind != "monitor"):
        what = "is paused" if mode == "paused" else "only watches"
        raise not_runnable(todo, [f"{by.agent} {what} until a person says otherwise"])


def _refuse_hoarding(draft: Draft, agent: str) -> None:
    held = [
        todo.ref
        for todo in draft.state.todos.values()
        if todo.owner == agent and todo.claim_form == "soft"
    ]
    if len(held) >= SOFT_CLAIMS:
        raise Conflict(
            "too_many_claims",
            f"{agent} already holds {', '.join(held)}.",
            "Finish or release one first.",
            held=held,
        )


def next_claimable(draft: Draft, by: Execution, capabilities: Iterable[str] | None) -> str | None:
    """The best todo that an active agent could claim now, or None."""
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    require_registered(draft.state, by.agent)
    member = draft.state.members[by.agent]
    if member.work_mode != "active":
        return None
    declared = member.capabilities if capabilities is None else capabilities
    runnable = [
        todo
        for todo in draft.state.todos.values()
        if not todo.owner
        and is_runnable(
            draft.state, todo, failing(fits(draft.state, todo, by, declared, draft.now))
        )
    ]
    best = min(runnable, key=lambda todo: order(todo, by.agent), default=None)
    return best.ref if best else None
