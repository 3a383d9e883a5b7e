"""Ownership of todos: claim, claim the next one, release, reassign."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Unpack

from kanban.kernel import claim
from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.execution import execution
from kanban.kernel.present import todo_json
from kanban.transitions.operator import OwnersWriting, Writing, fence, on_todo
from kanban.transitions.perform import Call, perform
from kanban.transitions.receipt import Receipt


def claim_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    agent: str = "",
    execution_key: str = "",
    capabilities: Iterable[str] | None = None,
    lease_seconds: int | None = None,
    write_scopes: Iterable[str] = (),
    **how: Unpack[Writing],
) -> Receipt:
    """Takes a todo softly, or hard with `lease_seconds`; the second comer is refused."""
    by = execution(agent or actor.name, execution_key)
    declared = None if capabilities is None else list(capabilities)
    scopes = list(write_scopes)

    def rule(draft: Draft) -> None:
        claim.claim_todo(
            draft,
            ref,
            by,
            capabilities=declared,
            lease_seconds=lease_seconds,
            write_scopes=scopes,
        )

    request = [by.agent, by.mark, declared, lease_seconds, scopes]
    return on_todo(actor, goal, ref, "claim", request, rule, how)


def claim_next(
    actor: Actor,
    goal: str,
    *,
    now: datetime,
    agent: str = "",
    execution_key: str = "",
    capabilities: Iterable[str] | None = None,
    lease_seconds: int | None = None,
    key: str | None = None,
) -> Receipt:
    """Picks and claims the best runnable todo; nothing claimable is an empty success."""
    by = execution(agent or actor.name, execution_key)
    declared = None if capabilities is None else list(capabilities)

    def work(draft: Draft) -> dict[str, Any]:
        ref = claim.next_claimable(draft, by, declared)
        if ref is None:
            return {"claimed": False, "reason": "no_claimable", "todo": None}
        claim.claim_todo(draft, ref, by, capabilities=declared, lease_seconds=lease_seconds)
        return {"claimed": True, "todo": todo_json(draft.state, draft.todo(ref), draft.now)}

    call = Call("todo.claim_next", [by.agent, by.mark, declared, lease_seconds], key)
    return perform(actor, goal, call, work, now=now)


def release_todo(
    actor: Actor, goal: str, ref: str, *, reason: str = "", **how: Unpack[OwnersWriting]
) -> Receipt:
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        claim.release_todo(draft, ref, by, epoch, reason=reason)

    return on_todo(actor, goal, ref, "release", reason, rule, how)


def reassign_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    agent: str,
    reason: str = "",
    **how: Unpack[OwnersWriting],
) -> Receipt:
    """Hands an owned todo to another agent as a soft claim."""
    by, epoch = fence(actor, how)

    def rule(draft: Draft) -> None:
        claim.reassign_todo(draft, ref, agent, reason=reason, by=by, epoch=epoch)

    return on_todo(actor, goal, ref, "reassign", [agent, reason], rule, how)
