"""Completing a todo, and the five forms in which work continues."""

from __future__ import annotations

from typing import Any

from kanban.kernel import text
from kanban.kernel.claim import Rows, closed_fields, revoke_turn
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, Invalid, NotAllowed, invalid
from kanban.kernel.evidence import is_fresh, take_evidence
from kanban.kernel.execution import Execution
from kanban.kernel.gate import open_gate
from kanban.kernel.guards import (
    require_active_goal,
    require_decided,
    require_hand,
    require_holder,
    require_no_gate,
    require_not_closed,
)
from kanban.kernel.state import State, Todo
from kanban.kernel.todo import evidence_required, new_todo

FORMS = ("successors", "handoff", "gate", "monitor", "none")


def complete_todo(
    draft: Draft,
    ref: str,
    *,
    evidence: list[dict[str, Any] | str],
    continuation: dict[str, Any] | None,
    by: Execution | None = None,
    epoch: int | None = None,
    override_note: str = "",
    check: dict[str, Any] | None = None,
) -> None:
    """Done: by its owner with evidence and a continuation, or by a person."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_completer(draft, todo, by, epoch)
    for item in evidence:
        take_evidence(draft, item, todo=ref)
    fields = completion_fields(draft, todo, continuation, override_note, check)
    rows: Rows = {("todo", ref): fields}
    draft.record("todo.completed", ref, rows | revoke_turn(draft, todo, "completed"))


def require_completer(draft: Draft, todo: Todo, by: Execution | None, epoch: int | None) -> None:
    require_no_gate(draft, todo, "completed")
    require_decided(draft, todo, "completed")
    if draft.actor.is_person:
        return
    if todo.kind == "user_action":
        raise NotAllowed("human_required", f"{todo.ref} is a person's to do.", "Wait for them.")
    require_holder(todo, epoch)
    if todo.status != "open":
        raise Conflict("not_runnable", f"{todo.ref} is {todo.status}.")
    require_hand(draft, todo, by, epoch, "complete")


def completion_fields(
    draft: Draft,
    todo: Todo,
    continuation: dict[str, Any] | None,
    override_note: str = "",
    check: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields that close a todo as done, once evidence, check and continuation are in order."""
    note = text.note(override_note, "override_note")
    excused = draft.actor.is_person and (bool(note) or todo.kind == "user_action")
    if not excused and not _has_evidence(draft.state, todo):
        raise evidence_required(todo.ref)
    if todo.acceptance_check and not excused and (check or {}).get("exit_code") != 0:
        raise Invalid(
            "check_required",
            f"{todo.ref} is done when its check exits 0: {todo.acceptance_check}",
            "Run it after the work and send check{exit_code, summary}.",
        )
    if continuation is None:
        if not excused:
            raise continuation_required(todo.ref)
        continuation = {"type": "none", "rationale": note or "Done by a person."}
    successors, rationale = continue_work(draft, todo.ref, continuation)
    return {
        **closed_fields("done", draft.now),
        "successors": tuple(dict.fromkeys(successors)),
        "rationale": rationale,
        "override_note": note,
    }


def continue_work(draft: Draft, ref: str, continuation: dict[str, Any]) -> tuple[list[str], str]:
    """Carries out a continuation; returns the successors' references and the rationale."""
    match continuation.get("type"):
        case "successors":
            given = continuation.get("todos") or []
            if not given:
                raise continuation_required(ref)
            return [_successor(draft, ref, item) for item in given], ""
        case "handoff":
            return [_handoff(draft, continuation)], text.note(
                continuation.get("summary", ""), "summary"
            )
        case "gate":
            return [], f"asked {open_gate(draft, continuation.get('gate') or {})}"
        case "monitor":
            given_monitor = {"kind": "monitor"} | (continuation.get("monitor") or {})
            return [new_todo(draft, given_monitor)], ""
        case "none":
            return [], text.title(
                continuation.get("rationale", ""), "rationale", limit=text.NOTE_LIMIT
            )
    raise invalid(
        f"continuation type {continuation.get('type')!r} is none of {', '.join(FORMS)}.",
        fields=["continuation"],
    )


def continuation_required(ref: str) -> Invalid:
    return Invalid(
        "continuation_required",
        f"{ref} is done, but what comes next was not said.",
        "Name successors, a handoff, a gate, a monitor, or none with the reason.",
    )


def _successor(draft: Draft, ref: str, given: dict[str, Any]) -> str:
    """A new todo, or one that is there and still to be done."""
    if "ref" not in given:
        return new_todo(draft, given)
    heir = draft.todo(given["ref"])
    if heir.ref == ref:
        raise Conflict("cycle", f"{ref} cannot be its own successor.", cycle=[ref, ref])
    require_not_closed(heir)
    return heir.ref


def _handoff(draft: Draft, given: dict[str, Any]) -> str:
    """One successor bound to its receiver; the note is the start of its body."""
    to = given.get("to") or {}
    todo = dict(given.get("todo") or {})
    todo.setdefault("title", text.title(given.get("next_step", ""), "next_step")[:300])
    if to.get("agent"):
        todo["bound_agent"] = to["agent"]
    elif to.get("capability"):
        needed = {*todo.get("required_capabilities", ()), to["capability"]}
        todo["required_capabilities"] = sorted(needed)
    elif not to.get("anyone"):
        raise invalid("A handoff names an agent, a capability or anyone.", fields=["to"])
    parts = [
        text.body(given.get("summary", ""), "summary"),
        *(f"? {question}" for question in given.get("questions", ())),
        *(f"- {reference}" for reference in given.get("references", ())),
        todo.get("body", ""),
    ]
    todo["body"] = "\n\n".join(part for part in parts if part)
    return new_todo(draft, todo)


def _has_evidence(state: State, todo: Todo) -> bool:
    return any(todo.ref in item.supports and is_fresh(item) for item in state.evidence.values())
