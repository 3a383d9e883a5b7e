"""Time writes nothing by itself: `settle` applies every instant that has passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from kanban.kernel.actor import SYSTEM
from kanban.kernel.claim import Rows, end_turn, soften
from kanban.kernel.conditions import condition_instant, condition_standing
from kanban.kernel.draft import Draft
from kanban.kernel.evidence import is_fresh
from kanban.kernel.gate import NO_ANSWER, end_gate, take_effect
from kanban.kernel.questions import closure_answered, system_questions
from kanban.kernel.state import Change, Evidence, Gate, State, Todo, Turn

Step = tuple[datetime, int, str, Callable[[], None]]  # instant, order within it, key, what to do


def settle(state: State, now: datetime) -> tuple[State, list[Change]]:
    """The state as every reader sees it at `now`, and the changes that lead there.

    Applies leases, turns, conditions, answers, expiries and the system's own questions in the
    order of their instants; pure, and empty when nothing has passed.
    """
    draft = Draft(state, now=now, actor=SYSTEM)
    settle_draft(draft)
    return draft.state, draft.changes


def settle_draft(draft: Draft) -> None:
    """Settles within a transition, before and after its own changes."""
    if draft.state.goal.version == 0:
        return
    system_questions(draft)
    while step := _next_step(draft):
        step[3]()
        following = _next_step(draft)
        # Questions follow each instant, so that they bear its time, whoever settles and when.
        if following is None or following[0] > step[0]:
            system_questions(draft)


def _next_step(draft: Draft) -> Step | None:
    return min(_due(draft), key=lambda step: step[:3], default=None)


def _due(draft: Draft) -> Iterator[Step]:
    for turn in draft.state.turns.values():
        if turn.status == "live" and (at := _turn_end(turn)) <= draft.now:
            yield at, 0, turn.id, partial(_expire_turn, draft, turn, at)
    for todo in draft.state.todos.values():
        yield from _due_todo(draft, todo)
    for gate in draft.state.gates.values():
        yield from _due_gate(draft, gate)
    for item in draft.state.evidence.values():
        until = item.valid_until
        if until and until <= draft.now and is_fresh(item):
            yield until, 4, item.ref, partial(_expire_evidence, draft, item, until)


def _expire_evidence(draft: Draft, item: Evidence, at: datetime) -> None:
    rows: Rows = {("evidence", item.ref): {"expired": True}}
    draft.record("evidence.expired", item.ref, rows, actor=SYSTEM, at=at)


def _turn_end(turn: Turn) -> datetime:
    ends = [at for at in (turn.lease_until, turn.ends_by) if at is not None]
    return min(ends)


def _expire_turn(draft: Draft, turn: Turn, at: datetime) -> None:
    rows = end_turn(draft, turn, "expired", "lease ended", at)
    todo = draft.state.todos.get(turn.todo)
    if todo and todo.epoch == turn.epoch and todo.claim_form == "lease":
        rows["todo", todo.ref] = soften(todo, at)
    draft.record("turn.expired", turn.id, rows, actor=SYSTEM, at=at)


def _due_todo(draft: Draft, todo: Todo) -> Iterator[Step]:
    if todo.claim_form == "lease" and todo.lease_until and todo.lease_until <= draft.now:
        yield todo.lease_until, 1, todo.ref, partial(_expire_lease, draft, todo, todo.lease_until)
    if todo.status == "deferred":
        condition = todo.resume_when
    elif todo.status == "blocked":
        condition = (todo.blocked_on or {}).get("until")
    else:
        return
    if condition and condition_standing(draft.state, condition, draft.now) == "holds":
        at = condition_instant(condition) or draft.state.goal.updated_at or draft.now
        yield at, 2, todo.ref, partial(_open_todo, draft, todo, at)


def _expire_lease(draft: Draft, todo: Todo, at: datetime) -> None:
    rows: Rows = {("todo", todo.ref): soften(todo, at)}
    draft.record("lease.expired", todo.ref, rows, actor=SYSTEM, at=at)


def _open_todo(draft: Draft, todo: Todo, at: datetime) -> None:
    opened = {"status": "open", "blocked_on": None, "resume_when": None, "status_reason": ""}
    draft.record("todo.opened", todo.ref, {("todo", todo.ref): opened}, actor=SYSTEM, at=at)


def _due_gate(draft: Draft, gate: Gate) -> Iterator[Step]:
    if gate.status == "provisional" and gate.effective_at and gate.effective_at <= draft.now:
        at = gate.effective_at
        yield at, 3, gate.ref, partial(_answer_takes_effect, draft, gate, at)
    if gate.status in ("open", "sent_back") and gate.expire_at and gate.expire_at <= draft.now:
        yield gate.expire_at, 3, gate.ref, partial(_expire_gate, draft, gate, gate.expire_at)


def _answer_takes_effect(draft: Draft, gate: Gate, at: datetime) -> None:
    take_effect(draft, gate, at)
    if gate.purpose == "closure":
        closure_answered(draft, gate, at)


def _expire_gate(draft: Draft, gate: Gate, at: datetime) -> None:
    """A deadline never counts as a yes; a default that was declared is chosen openly."""
    if not gate.default_option:
        end_gate(draft, gate, "expired", frees=False, actor=SYSTEM, at=at)
        return
    chosen = NO_ANSWER | {
        "outcome": "chosen",
        "option": gate.default_option,
        "answered_by": "default",
        "answered_at": at,
        "effective_at": at,
        "status": "provisional",
    }
    draft.record("gate.defaulted", gate.ref, {("gate", gate.ref): chosen}, actor=SYSTEM, at=at)
