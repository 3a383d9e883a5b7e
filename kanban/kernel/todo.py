"""The operators on a todo: add, update, block, defer, submit, accept, complete, supersede, drop."""

from __future__ import annotations

from typing import Any

from kanban.kernel import text
from kanban.kernel.actor import require_administrator
from kanban.kernel.claim import NO_CLAIM, Rows, revoke_turn, soften
from kanban.kernel.conditions import (
    condition_standing,
    parse_condition,
    refuse_cycle,
)
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, Invalid, NotAllowed, invalid
from kanban.kernel.evidence import take_evidence
from kanban.kernel.execution import Execution
from kanban.kernel.frontier import CLOSED, UNSETTLED
from kanban.kernel.guards import (
    require_active_goal,
    require_hand,
    require_member,
    require_no_gate,
    require_not_closed,
)
from kanban.kernel.state import Todo
from kanban.kernel.todo_fields import parse_fields, parse_priority


def add_todo(draft: Draft, given: dict[str, Any]) -> str:
    """Adds a todo from the contract's fields and returns its reference."""
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    ref = draft.next_ref("todo")
    fields = parse_fields(draft, {"kind": "advancement"} | given, ref)
    draft.record_one(
        "todo.added",
        ("todo", ref),
        **fields,
        rank=f"{int(ref[1:]):08d}",
        created_at=draft.now,
        created_by=str(draft.actor),
    )
    return ref


def update_todo(
    draft: Draft, ref: str, given: dict[str, Any], by: Execution | None, epoch: int | None
) -> None:
    """Changes fields of an open todo; agents may only add limits, people may also remove them."""
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_hand(draft, todo, by, epoch, "update", str(given.get("reason", "")))
    fields = parse_fields(
        draft, {key: value for key, value in given.items() if key != "reason"}, ref
    )
    if draft.actor.is_agent:
        for name in ("decision_scopes", "excluded_agents", "depends_on"):
            if name in fields and not {*getattr(todo, name)} <= {*fields[name]}:
                raise NotAllowed("human_required", f"Only a person removes {name} of {ref}.")
    changed = {name: value for name, value in fields.items() if getattr(todo, name) != value}
    if changed:
        draft.record_one("todo.updated", ("todo", ref), **changed)


def block_todo(
    draft: Draft,
    ref: str,
    *,
    blocked_on: dict[str, Any],
    reason: str,
    by: Execution | None = None,
    epoch: int | None = None,
) -> None:
    """Blocks an open todo on exactly one thing that ends it: until, gate or person."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_hand(draft, todo, by, epoch, "block", reason)
    _require_status(todo, "open")
    rows: Rows = {
        ("todo", ref): {
            "status": "blocked",
            "blocked_on": parse_blocked_on(draft, ref, blocked_on),
            "status_reason": text.title(reason, "reason", limit=text.NOTE_LIMIT),
            **_kept_claim(draft, todo),
        }
    }
    draft.record("todo.blocked", ref, rows | revoke_turn(draft, todo))


def unblock_todo(draft: Draft, ref: str) -> None:
    """Opens a blocked todo: a person always; an agent what no gate and no person holds."""
    todo = draft.todo(ref)
    require_member(draft.state, draft.actor)
    _require_status(todo, "blocked")
    _require_not_for_person(draft, todo)
    if draft.actor.is_agent and todo.owner not in ("", draft.actor.name):
        raise NotAllowed("not_owner", f"{ref} belongs to {todo.owner}.")
    _open(draft, ref, "todo.unblocked")


def defer_todo(
    draft: Draft,
    ref: str,
    *,
    resume_when: dict[str, Any],
    reason: str = "",
    by: Execution | None = None,
    epoch: int | None = None,
) -> None:
    """Puts a todo aside until a condition holds; it keeps its soft claim."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_hand(draft, todo, by, epoch, "defer", reason)
    _require_status(todo, "open", "blocked")
    _require_not_for_person(draft, todo)
    condition = parse_condition(draft.state, resume_when, draft.now)
    if condition["type"] == "todo_done":
        refuse_cycle(draft.state, ref, [condition["ref"]])
    rows: Rows = {
        ("todo", ref): {
            "status": "deferred",
            "resume_when": condition,
            "blocked_on": None,
            "status_reason": text.note(reason, "reason"),
            **_kept_claim(draft, todo),
        }
    }
    draft.record("todo.deferred", ref, rows | revoke_turn(draft, todo))


def resume_todo(draft: Draft, ref: str) -> None:
    """Opens a deferred todo early: its owner or a person."""
    todo = draft.todo(ref)
    require_member(draft.state, draft.actor)
    _require_status(todo, "deferred")
    if draft.actor.is_agent and todo.owner not in ("", draft.actor.name):
        raise NotAllowed("not_owner", f"{ref} belongs to {todo.owner}.")
    _open(draft, ref, "todo.resumed")


def submit_todo(
    draft: Draft,
    ref: str,
    *,
    evidence: list[dict[str, Any] | str],
    by: Execution | None,
    epoch: int | None,
) -> None:
    """Hands work to review with evidence; the author keeps the claim softly."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    if not todo.owner:
        raise Conflict("not_runnable", f"Nobody holds {ref}.", "Claim it first.")
    require_hand(draft, todo, by, epoch, "submit")
    _require_status(todo, "open")
    require_no_gate(draft, todo, "submitted")
    if not evidence:
        raise evidence_required(ref)
    for item in evidence:
        take_evidence(draft, item, todo=ref)
    rows: Rows = {("todo", ref): {"status": "review", **_kept_claim(draft, todo)}}
    draft.record("todo.submitted", ref, rows | revoke_turn(draft, todo, "submitted"))


def accept_todo(draft: Draft, ref: str) -> None:
    """Another member than the author, or a person, takes reviewed work as done."""
    _require_reviewer(draft, ref)
    draft.record_one("todo.accepted", ("todo", ref), **closed_fields(draft, "done"))


def return_todo(draft: Draft, ref: str, *, reason: str) -> None:
    _require_reviewer(draft, ref)
    why = text.title(reason, "reason", limit=text.NOTE_LIMIT)
    draft.record_one(
        "todo.returned",
        ("todo", ref),
        status="open",
        status_reason=why,
        **(NO_CLAIM if not draft.todo(ref).owner else soften(draft.todo(ref), draft.now)),
    )


def drop_todo(
    draft: Draft,
    ref: str,
    *,
    reason: str,
    by: Execution | None = None,
    epoch: int | None = None,
) -> None:
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_hand(draft, todo, by, epoch, "drop", reason)
    if draft.actor.is_agent and not todo.owner:
        raise NotAllowed("not_owner", f"{ref} has no owner; only a person drops it.")
    why = text.title(reason, "reason", limit=text.NOTE_LIMIT)
    rows: Rows = {("todo", ref): {**closed_fields(draft, "dropped"), "status_reason": why}}
    draft.record("todo.dropped", ref, rows | revoke_turn(draft, todo))


def reopen_todo(draft: Draft, ref: str, *, reason: str) -> None:
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    if todo.status not in CLOSED:
        raise Conflict("not_runnable", f"{ref} is {todo.status}, not closed.")
    delegated = (
        draft.actor.is_agent
        and draft.actor.name in draft.state.members
        and "complete" in draft.state.members[draft.actor.name].delegated
    )
    if not delegated:
        require_administrator(draft.actor, "Reopening a todo")
    draft.record_one(
        "todo.reopened",
        ("todo", ref),
        status="open",
        closed_at=None,
        outcome="",
        superseded_by=(),
        status_reason=text.title(reason, "reason", limit=text.NOTE_LIMIT),
        **NO_CLAIM,
    )


def supersede_todo(
    draft: Draft,
    ref: str,
    *,
    successors: list[str],
    reason: str = "",
    by: Execution | None = None,
    epoch: int | None = None,
) -> None:
    """Closes a todo in favour of its successors; what gates said of it passes on to them."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_hand(draft, todo, by, epoch, "supersede", reason)
    require_no_gate(draft, todo, "superseded")
    _require_not_for_person(draft, todo)
    if not successors and not reason.strip():
        raise Invalid("continuation_required", "Name successors, or say why there are none.")
    for heir in successors:
        draft.todo(heir)
        refuse_cycle(draft.state, ref, [heir])
    rows: Rows = {
        ("todo", ref): {
            **closed_fields(draft, "superseded"),
            "superseded_by": tuple(successors),
            "status_reason": text.note(reason, "reason"),
        }
    }
    for heir in successors:
        scopes_passed = {*draft.todo(heir).decision_scopes, *todo.decision_scopes}
        rows["todo", heir] = {"decision_scopes": tuple(sorted(scopes_passed))}
    for gate in draft.state.gates.values():
        if ref in gate.blocks_todos and gate.status in UNSETTLED:
            named = dict.fromkeys([*gate.blocks_todos, *successors])
            rows["gate", gate.ref] = {"blocks_todos": tuple(named)}
    draft.record("todo.superseded", ref, rows | revoke_turn(draft, todo))


def place_todo(
    draft: Draft, ref: str, *, before: str = "", after: str = "", priority: Any = None
) -> None:
    """A new place: just before or after another todo, in another priority, or both."""
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_hand(draft, todo, None, None, "update")
    fields: dict[str, Any] = {}
    if priority is not None:
        fields["priority"] = parse_priority(priority)
    if neighbour := before or after:
        fields["priority"] = draft.todo(neighbour).priority
        fields["rank"] = _rank_beside(draft, ref, neighbour, above=bool(before))
    if any(getattr(todo, name) != value for name, value in fields.items()):
        draft.record_one("todo.moved", ("todo", ref), **fields)


def _rank_beside(draft: Draft, ref: str, neighbour: str, *, above: bool) -> str:
    beside = draft.todo(neighbour)
    ranks = [
        todo.rank
        for todo in draft.state.todos.values()
        if todo.priority == beside.priority and todo.ref != ref
    ]
    if above:
        return rank_between(max((r for r in ranks if r < beside.rank), default=""), beside.rank)
    return rank_between(beside.rank, min((r for r in ranks if r > beside.rank), default=""))


def rank_between(before: str, after: str) -> str:
    """A decimal fraction's digits between two others; "" stands for the open end."""
    width = max(len(before), len(after)) + 1
    low = int(before.ljust(width, "0") or "0")
    high = int(after.ljust(width, "0")) if after else 10**width
    return str((low + high) // 2).zfill(width).rstrip("0") or "0"


def closed_fields(draft: Draft, status: str) -> dict[str, Any]:
    return {
        "status": status,
        "closed_at": draft.now,
        "outcome": status,
        "blocked_on": None,
        **NO_CLAIM,
    }


def evidence_required(ref: str) -> Invalid:
    return Invalid(
        "evidence_required",
        f"{ref} cannot be finished without evidence.",
        "Add at least one: kind, verdict, summary, and what it supports.",
    )


def parse_blocked_on(draft: Draft, ref: str, given: dict[str, Any]) -> dict[str, Any]:
    named = {name: value for name, value in given.items() if value}
    if len(named) != 1 or not {*named} <= {"until", "gate", "person"}:
        raise invalid("Say what ends it: exactly one of until, gate or person.", fields=["block"])
    if "gate" in named:
        gate = draft.gate(named["gate"])
        if gate.status not in UNSETTLED:
            raise Conflict("gate_ended", f"{gate.ref} is {gate.status}.")
        return {"gate": gate.ref}
    if "person" in named:
        return {"person": text.title(named["person"], "person", limit=150)}
    condition = parse_condition(draft.state, named["until"], draft.now)
    if condition["type"] == "todo_done":
        refuse_cycle(draft.state, ref, [condition["ref"]])
    return {"until": condition}


def blocked_condition_holds(draft: Draft, todo: Todo) -> bool:
    until = (todo.blocked_on or {}).get("until")
    return bool(until) and condition_standing(draft.state, until, draft.now) == "holds"


def _require_status(todo: Todo, *allowed: str) -> None:
    require_not_closed(todo)
    if todo.status not in allowed:
        raise Conflict(
            "not_runnable",
            f"{todo.ref} is {todo.status}, not {' or '.join(allowed)}.",
            "Look at it again: it may have changed.",
            todo_status=todo.status,
        )


def _require_not_for_person(draft: Draft, todo: Todo) -> None:
    """What waits for a person, or for a question that ended without a choice, is theirs to free."""
    held = todo.blocked_on or {}
    if draft.actor.is_agent and ("gate" in held or "person" in held):
        what = held.get("gate") or held.get("person")
        raise NotAllowed("human_required", f"{todo.ref} waits for {what}.", "A person unblocks it.")


def _require_reviewer(draft: Draft, ref: str) -> None:
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    todo = draft.todo(ref)
    _require_status(todo, "review")
    if draft.actor.is_agent and draft.actor.name == todo.owner:
        raise NotAllowed("not_owner", f"{ref} is your own work.", "Another member reviews it.")
    if draft.actor.is_agent and draft.actor.name in todo.excluded_agents:
        raise NotAllowed("excluded", f"{draft.actor.name} is excluded from {ref}.")


def _kept_claim(draft: Draft, todo: Todo) -> dict[str, Any]:
    return soften(todo, draft.now) if todo.owner else {}


def _open(draft: Draft, ref: str, kind: str) -> None:
    draft.record_one(
        kind, ("todo", ref), status="open", blocked_on=None, resume_when=None, status_reason=""
    )
