"""Todos: adding, changing, and every operator of their life but ownership."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Unpack

from kanban.kernel import completion, rank, review, todo
from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.errors import invalid
from kanban.kernel.present import todo_json
from kanban.transitions.operator import OwnersWriting, Writing, fence, on_todo
from kanban.transitions.perform import Call, perform
from kanban.transitions.receipt import Receipt

BULK = 200


def add_todos(
    actor: Actor,
    goal: str,
    given: list[dict[str, Any]],
    *,
    now: datetime,
    key: str | None = None,
) -> Receipt:
    """Adds one or up to 200 todos, all or none."""
    if not 1 <= len(given) <= BULK:
        raise invalid(f"Between 1 and {BULK} todos at once, not {len(given)}.", fields=["todos"])

    def work(draft: Draft) -> dict[str, Any]:
        refs = [todo.add_todo(draft, item) for item in given]
        return {"todos": [todo_json(draft.state, draft.todo(ref), draft.now) for ref in refs]}

    return perform(actor, goal, Call("todo.add", given, key), work, now=now)


def update_todo(
    actor: Actor, goal: str, ref: str, given: dict[str, Any], **how: Unpack[OwnersWriting]
) -> Receipt:
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        todo.update_todo(draft, ref, given, by, epoch)

    return on_todo(actor, goal, ref, "update", given, rule, how)


def move_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    before: str = "",
    after: str = "",
    priority: Any = None,
    **how: Unpack[OwnersWriting],
) -> Receipt:
    """Ranks a todo before or after another, or gives it another priority."""
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        rank.place_todo(
            draft, ref, before=before, after=after, priority=priority, by=by, epoch=epoch
        )

    return on_todo(actor, goal, ref, "move", [before, after, priority], rule, how)


def block_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    blocked_on: dict[str, Any],
    reason: str,
    **how: Unpack[OwnersWriting],
) -> Receipt:
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        todo.block_todo(draft, ref, blocked_on=blocked_on, reason=reason, by=by, epoch=epoch)

    return on_todo(actor, goal, ref, "block", [blocked_on, reason], rule, how)


def unblock_todo(actor: Actor, goal: str, ref: str, **how: Unpack[Writing]) -> Receipt:
    def rule(draft: Draft) -> None:
        todo.unblock_todo(draft, ref)

    return on_todo(actor, goal, ref, "unblock", None, rule, how)


def defer_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    resume_when: dict[str, Any],
    reason: str = "",
    **how: Unpack[OwnersWriting],
) -> Receipt:
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        todo.defer_todo(draft, ref, resume_when=resume_when, reason=reason, by=by, epoch=epoch)

    return on_todo(actor, goal, ref, "defer", [resume_when, reason], rule, how)


def resume_todo(actor: Actor, goal: str, ref: str, **how: Unpack[Writing]) -> Receipt:
    def rule(draft: Draft) -> None:
        todo.resume_todo(draft, ref)

    return on_todo(actor, goal, ref, "resume", None, rule, how)


def submit_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    evidence: list[dict[str, Any] | str],
    **how: Unpack[OwnersWriting],
) -> Receipt:
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        review.submit_todo(draft, ref, evidence=evidence, by=by, epoch=epoch)

    return on_todo(actor, goal, ref, "submit", evidence, rule, how)


def accept_todo(actor: Actor, goal: str, ref: str, **how: Unpack[Writing]) -> Receipt:
    def rule(draft: Draft) -> None:
        review.accept_todo(draft, ref)

    return on_todo(actor, goal, ref, "accept", None, rule, how)


def return_todo(
    actor: Actor, goal: str, ref: str, *, reason: str, **how: Unpack[Writing]
) -> Receipt:
    def rule(draft: Draft) -> None:
        review.return_todo(draft, ref, reason=reason)

    return on_todo(actor, goal, ref, "return", reason, rule, how)


def complete_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    evidence: list[dict[str, Any] | str],
    continuation: dict[str, Any] | None,
    override_note: str = "",
    check: dict[str, Any] | None = None,
    **how: Unpack[OwnersWriting],
) -> Receipt:
    """Done: an owner brings evidence and a continuation; a person may override with a note."""
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        completion.complete_todo(
            draft,
            ref,
            evidence=evidence,
            continuation=continuation,
            by=by,
            epoch=epoch,
            override_note=override_note,
            check=check,
        )

    request = [evidence, continuation, override_note, check]
    return on_todo(actor, goal, ref, "complete", request, rule, how)


def supersede_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    successors: list[dict[str, Any]],
    reason: str = "",
    **how: Unpack[OwnersWriting],
) -> Receipt:
    """Closes a todo in favour of others: existing ones by `ref`, or new ones."""
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        heirs = [
            item["ref"] if "ref" in item else todo.add_todo(draft, item) for item in successors
        ]
        todo.supersede_todo(draft, ref, successors=heirs, reason=reason, by=by, epoch=epoch)

    return on_todo(actor, goal, ref, "supersede", [successors, reason], rule, how)


def drop_todo(
    actor: Actor, goal: str, ref: str, *, reason: str, **how: Unpack[OwnersWriting]
) -> Receipt:
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        todo.drop_todo(draft, ref, reason=reason, by=by, epoch=epoch)

    return on_todo(actor, goal, ref, "drop", reason, rule, how)


def reopen_todo(
    actor: Actor, goal: str, ref: str, *, reason: str, **how: Unpack[Writing]
) -> Receipt:
    def rule(draft: Draft) -> None:
        todo.reopen_todo(draft, ref, reason=reason)

    return on_todo(actor, goal, ref, "reopen", reason, rule, how)
