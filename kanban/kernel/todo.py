"""The operators on a todo: add, update, block, defer, drop, reopen, supersede."""

from __future__ import annotations

from typing import Any

from kanban.kernel import text
from kanban.kernel.actor import require_administrator, require_person
from kanban.kernel.claim import NO_CLAIM, Rows, closed_fields, revoke_turn, soften
from kanban.kernel.conditions import (
    parse_condition,
    refuse_cycle,
)
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, Invalid, NotAllowed, invalid
from kanban.kernel.execution import Execution
from kanban.kernel.frontier import CLOSED, UNSETTLED, forebears, scope_granted
from kanban.kernel.guards import (
    require_active_goal,
    require_hand,
    require_member,
    require_no_gate,
    require_not_closed,
    require_owned,
)
from kanban.kernel.rank import first_rank
from kanban.kernel.state import Todo
from kanban.kernel.todo_fields import UPDATABLE, parse_fields


def add_todo(draft: Draft, given: dict[str, Any]) -> str:
    """Adds a todo from the contract's fields and returns its reference."""
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    return new_todo(draft, given)


def new_todo(draft: Draft, given: dict[str, Any]) -> str:
    """The same within another operator, which has judged who acts and when."""
    ref = draft.next_ref("todo")
    fields = parse_fields(draft, {"kind": "advancement"} | given, ref)
    draft.record_one(
        "todo.added",
        ("todo", ref),
        **fields,
        rank=first_rank(ref),
        created_at=draft.now,
        created_by=str(draft.actor),
    )
    return ref


def update_todo(
    draft: Draft, ref: str, given: dict[str, Any], by: Execution | None, epoch: int | None
) -> None:
    """Changes fields of an open todo; agents may only add limits, people may also remove them."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_hand(draft, todo, by, epoch, "update", str(given.get("reason", "")))
    wanted = {name: value for name, value in given.items() if name != "reason"}
    if unknown := wanted.keys() - UPDATABLE:
        names = ", ".join(sorted(unknown))
        raise Invalid("unknown_field", f"{names} cannot be updated.", fields=sorted(unknown))
    fields = parse_fields(draft, wanted, ref)
    if not draft.actor.judges:
        _refuse_lighter(todo, fields)
    changed = {name: value for name, value in fields.items() if getattr(todo, name) != value}
    if changed:
        draft.record_one("todo.updated", ("todo", ref), **changed)


def _refuse_lighter(todo: Todo, fields: dict[str, Any]) -> None:
    """What people, checks and dependencies ask of a todo is taken away by a person only."""
    for name in ("decision_scopes", "excluded_agents", "depends_on"):
        if name in fields and not {*getattr(todo, name)} <= {*fields[name]}:
            raise NotAllowed("human_required", f"Only a person removes {name} of {todo.ref}.")
    for name in ("acceptance_check", "waits_for"):
        if getattr(todo, name) and fields.get(name, getattr(todo, name)) != getattr(todo, name):
            raise NotAllowed("human_required", f"Only a person changes {name} of {todo.ref}.")


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
    require_status(todo, "open")
    rows: Rows = {
        ("todo", ref): {
            "status": "blocked",
            "blocked_on": parse_blocked_on(draft, ref, blocked_on),
            "status_reason": text.title(reason, "reason", limit=text.NOTE_LIMIT),
            **kept_claim(draft, todo),
        }
    }
    draft.record("todo.blocked", ref, rows | revoke_turn(draft, todo))


def unblock_todo(draft: Draft, ref: str) -> None:
    """Opens a blocked todo: a person always; its owner what no gate and no person holds."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_member(draft.state, draft.actor)
    require_status(todo, "blocked")
    _require_not_for_person(draft, todo)
    _require_own(draft, todo)
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
    require_status(todo, "open", "blocked")
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
            **kept_claim(draft, todo),
        }
    }
    draft.record("todo.deferred", ref, rows | revoke_turn(draft, todo))


def resume_todo(draft: Draft, ref: str) -> None:
    """Opens a deferred todo early: its owner or a person."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_member(draft.state, draft.actor)
    require_status(todo, "deferred")
    _require_own(draft, todo)
    _open(draft, ref, "todo.resumed")


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
    require_owned(draft, todo, "drop")
    _require_not_for_person(draft, todo)
    why = text.title(reason, "reason", limit=text.NOTE_LIMIT)
    rows: Rows = {("todo", ref): {**closed_fields("dropped", draft.now), "status_reason": why}}
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
    unfreed = ("rejected", "expired", "withdrawn")
    ended = [gate for gate in draft.state.gates.values() if gate.status in unfreed]
    if any(ref in gate.blocks_todos for gate in ended):
        require_person(draft.actor, "Reopening what nobody chose to let pass")
    rows: Rows = {
        ("todo", ref): {
            "status": "open",
            "closed_at": None,
            "outcome": "",
            "successors": (),
            "superseded_by": (),
            "rationale": "",
            "override_note": "",
            "status_reason": text.title(reason, "reason", limit=text.NOTE_LIMIT),
            **NO_CLAIM,
        }
    }
    draft.record("todo.reopened", ref, rows | _spent_choices(draft, todo))


def _spent_choices(draft: Draft, todo: Todo) -> Rows:
    """A choice is spent by the work that it let pass: done again, it is asked about again."""
    spent = forebears(draft.state, todo.ref) if todo.status == "done" else set()
    rows: Rows = {}
    for gate in draft.state.gates.values():
        granted = gate.status == "chosen" and gate.decision_scope in todo.decision_scopes
        if granted and spent & {*gate.blocks_todos}:
            left = tuple(name for name in gate.blocks_todos if name not in spent)
            rows["gate", gate.ref] = {"blocks_todos": left}
    return rows


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
    require_owned(draft, todo, "supersede", reason)
    successors = list(dict.fromkeys(successors))
    if not successors and not reason.strip():
        raise Invalid("continuation_required", "Name successors, or say why there are none.")
    for heir in successors:
        _refuse_heir(draft, todo, draft.todo(heir))
        refuse_cycle(draft.state, ref, [heir])
    rows: Rows = {
        ("todo", ref): {
            **closed_fields("superseded", draft.now),
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


def _refuse_heir(draft: Draft, todo: Todo, heir: Todo) -> None:
    """An agent replaces work by work: not a person's task, not by what is over, and a choice about
    the one is none about another that waits for a choice of its own."""
    if draft.actor.judges:
        return
    if todo.kind == "user_action":
        raise NotAllowed("human_required", f"{todo.ref} is a person's to do or to replace.")
    require_not_closed(heir)
    own = [s for s in heir.decision_scopes if not scope_granted(draft.state, heir, s)]
    if lent := [s for s in own if scope_granted(draft.state, todo, s)]:
        raise Conflict(
            "gate_open",
            f"{lent[0]} was decided for {todo.ref}, not for {heir.ref}.",
            "Ask for it with a gate that names that todo, or replace by a new todo.",
        )


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


def require_status(todo: Todo, *allowed: str) -> None:
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
    if "gate" in held:
        require_person(draft.actor, f"Freeing what waits for {held['gate']}")
    if draft.actor.is_agent and "person" in held:
        what = held["person"]
        raise NotAllowed("human_required", f"{todo.ref} waits for {what}.", "A person unblocks it.")


def _require_own(draft: Draft, todo: Todo) -> None:
    if draft.actor.is_agent and todo.owner != draft.actor.name:
        whose = f"belongs to {todo.owner}" if todo.owner else "has no owner"
        raise NotAllowed("not_owner", f"{todo.ref} {whose}.", "Its owner or a person does it.")


def kept_claim(draft: Draft, todo: Todo) -> dict[str, Any]:
    return soften(todo, draft.now) if todo.owner else {}


def _open(draft: Draft, ref: str, kind: str) -> None:
    draft.record_one(
        kind, ("todo", ref), status="open", blocked_on=None, resume_when=None, status_reason=""
    )
