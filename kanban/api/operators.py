"""The operators of a todo's life, but claiming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from kanban.api.answers import expected_version, idempotency_key, written
from kanban.api.auth import caller_on
from kanban.api.responses import answers
from kanban.api.schemas.base import Nothing
from kanban.api.schemas.evidence import evidence_given
from kanban.api.schemas.todos import (
    Because,
    BlockTodo,
    Defer,
    Drop,
    Move,
    Reassign,
    Release,
    Supersede,
)
from kanban.api.schemas.turns import Complete, Submit
from kanban.queries.clock import now
from kanban.transitions import claims
from kanban.transitions import todos as transitions
from kanban.transitions.receipt import Receipt

router = Router(tags=["todos"])

CHANGED = answers("Todo", writes=True)
NO_REASON = Release()
NOTHING = Nothing()


@router.post("/{goal}/todos/{ref}/release", response=CHANGED)
def release_todo(
    request: HttpRequest, goal: str, ref: str, given: Release = NO_REASON
) -> HttpResponse:
    reason = given.reason or ""
    return operate(request, goal, ref, claims.release_todo, given, reason=reason)


@router.post("/{goal}/todos/{ref}/reassign", response=CHANGED)
def reassign_todo(request: HttpRequest, goal: str, ref: str, given: Reassign) -> HttpResponse:
    return operate(
        request,
        goal,
        ref,
        claims.reassign_todo,
        given,
        agent=given.agent,
        reason=given.reason or "",
    )


@router.post("/{goal}/todos/{ref}/block", response=CHANGED)
def block_todo(request: HttpRequest, goal: str, ref: str, given: BlockTodo) -> HttpResponse:
    """On exactly one thing that ends it: `until`, `gate` or `person`."""
    held = given.given("reason", "execution_key", "epoch")
    return operate(
        request,
        goal,
        ref,
        transitions.block_todo,
        given,
        blocked_on=held,
        reason=given.reason,
    )


@router.post("/{goal}/todos/{ref}/unblock", response=CHANGED)
def unblock_todo(
    request: HttpRequest, goal: str, ref: str, given: Nothing = NOTHING
) -> HttpResponse:
    return _perform(request, goal, ref, transitions.unblock_todo)


@router.post("/{goal}/todos/{ref}/defer", response=CHANGED)
def defer_todo(request: HttpRequest, goal: str, ref: str, given: Defer) -> HttpResponse:
    return operate(
        request,
        goal,
        ref,
        transitions.defer_todo,
        given,
        resume_when=given.resume_when.given(),
        reason=given.reason or "",
    )


@router.post("/{goal}/todos/{ref}/resume", response=CHANGED)
def resume_todo(
    request: HttpRequest, goal: str, ref: str, given: Nothing = NOTHING
) -> HttpResponse:
    return _perform(request, goal, ref, transitions.resume_todo)


@router.post("/{goal}/todos/{ref}/submit", response=CHANGED)
def submit_todo(request: HttpRequest, goal: str, ref: str, given: Submit) -> HttpResponse:
    """Hands work to review, with evidence."""
    items = evidence_given(given.evidence)
    return operate(request, goal, ref, transitions.submit_todo, given, evidence=items)


@router.post("/{goal}/todos/{ref}/accept", response=CHANGED)
def accept_todo(
    request: HttpRequest, goal: str, ref: str, given: Nothing = NOTHING
) -> HttpResponse:
    return _perform(request, goal, ref, transitions.accept_todo)


@router.post("/{goal}/todos/{ref}/return", response=CHANGED)
def return_todo(request: HttpRequest, goal: str, ref: str, given: Because) -> HttpResponse:
    return _perform(request, goal, ref, transitions.return_todo, reason=given.reason)


@router.post("/{goal}/todos/{ref}/complete", response=CHANGED)
def complete_todo(request: HttpRequest, goal: str, ref: str, given: Complete) -> HttpResponse:
    """Done: with evidence and a continuation; a person may override with a note."""
    return operate(
        request,
        goal,
        ref,
        transitions.complete_todo,
        given,
        evidence=evidence_given(given.evidence),
        continuation=given.continuation.given() if given.continuation else None,
        override_note=given.override_note or "",
        check=given.check.given() if given.check else None,
    )


@router.post("/{goal}/todos/{ref}/supersede", response=CHANGED)
def supersede_todo(request: HttpRequest, goal: str, ref: str, given: Supersede) -> HttpResponse:
    return operate(
        request,
        goal,
        ref,
        transitions.supersede_todo,
        given,
        successors=[item.given() for item in given.successors or ()],
        reason=given.reason or "",
    )


@router.post("/{goal}/todos/{ref}/drop", response=CHANGED)
def drop_todo(request: HttpRequest, goal: str, ref: str, given: Drop) -> HttpResponse:
    return operate(request, goal, ref, transitions.drop_todo, given, reason=given.reason)


@router.post("/{goal}/todos/{ref}/reopen", response=CHANGED)
def reopen_todo(request: HttpRequest, goal: str, ref: str, given: Because) -> HttpResponse:
    return _perform(request, goal, ref, transitions.reopen_todo, reason=given.reason)


@router.post("/{goal}/todos/{ref}/move", response=CHANGED)
def move_todo(request: HttpRequest, goal: str, ref: str, given: Move) -> HttpResponse:
    """Before or after another todo, or into another priority."""
    return operate(
        request,
        goal,
        ref,
        transitions.move_todo,
        given,
        before=given.before or "",
        after=given.after or "",
        priority=given.priority,
    )


def operate(
    request: HttpRequest,
    goal: str,
    ref: str,
    transition: Callable[..., Receipt],
    fence: Any,
    **arguments: Any,
) -> HttpResponse:
    """An operator that its owner fences with execution key and epoch."""
    return _perform(
        request,
        goal,
        ref,
        transition,
        execution_key=fence.execution_key,
        epoch=fence.epoch,
        **arguments,
    )


def _perform(
    request: HttpRequest, goal: str, ref: str, transition: Callable[..., Receipt], **arguments: Any
) -> HttpResponse:
    caller = caller_on(request, goal)
    receipt = transition(
        caller.actor,
        goal,
        ref,
        now=now(),
        expect_version=expected_version(request),
        key=idempotency_key(request),
        **arguments,
    )
    return written(receipt)
