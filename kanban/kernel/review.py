"""Review: work handed in by its author, accepted or returned by somebody else."""

from __future__ import annotations

from typing import Any

from kanban.kernel import text
from kanban.kernel.claim import NO_CLAIM, Rows, closed_fields, revoke_turn, soften
from kanban.kernel.draft import Draft
from kanban.kernel.errors import NotAllowed
from kanban.kernel.evidence import take_evidence
from kanban.kernel.execution import Execution
from kanban.kernel.frontier import member_of
from kanban.kernel.guards import (
    require_active_goal,
    require_decided,
    require_hand,
    require_holder,
    require_member,
    require_no_gate,
)
from kanban.kernel.state import Todo
from kanban.kernel.todo import evidence_required, kept_claim, require_status


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
    require_holder(todo, epoch)
    require_hand(draft, todo, by, epoch, "submit")
    require_status(todo, "open")
    require_no_gate(draft, todo, "submitted")
    require_decided(draft, todo, "submitted")
    if not evidence:
        raise evidence_required(ref)
    for item in evidence:
        take_evidence(draft, item, todo=ref)
    rows: Rows = {("todo", ref): {"status": "review", **kept_claim(draft, todo)}}
    draft.record("todo.submitted", ref, rows | revoke_turn(draft, todo, "submitted"))


def accept_todo(draft: Draft, ref: str) -> None:
    """Another member than the author, or a person, takes reviewed work as done."""
    todo = _reviewed(draft, ref)
    require_no_gate(draft, todo, "accepted")
    require_decided(draft, todo, "accepted")
    rows: Rows = {("todo", ref): closed_fields("done", draft.now)}
    draft.record("todo.accepted", ref, rows | revoke_turn(draft, todo, "accepted"))


def return_todo(draft: Draft, ref: str, *, reason: str) -> None:
    """Back to its author, who keeps the claim while it may act."""
    todo = _reviewed(draft, ref)
    author = member_of(draft.state, todo.owner)
    kept = author is not None and author.work_mode == "active"
    rows: Rows = {
        ("todo", ref): {
            "status": "open",
            "status_reason": text.title(reason, "reason", limit=text.NOTE_LIMIT),
            **(soften(todo, draft.now) if kept else NO_CLAIM),
        }
    }
    draft.record("todo.returned", ref, rows | revoke_turn(draft, todo, "returned"))


def _reviewed(draft: Draft, ref: str) -> Todo:
    """The todo in review, if the actor may judge it."""
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    todo = draft.todo(ref)
    require_status(todo, "review")
    if draft.actor.is_agent and draft.actor.name == todo.owner:
        raise NotAllowed("not_owner", f"{ref} is your own work.", "Another member reviews it.")
    if draft.actor.is_agent and draft.actor.name in todo.excluded_agents:
        raise NotAllowed("excluded", f"{draft.actor.name} is excluded from {ref}.")
    return todo
