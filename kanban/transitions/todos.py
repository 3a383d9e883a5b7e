"""Todos: adding, changing, claiming, and every operator of their life."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from kanban.kernel import claim, completion, rank, review, todo
from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.errors import invalid
from kanban.kernel.execution import Execution, execution
from kanban.kernel.frontier import failing, fits, is_runnable, member_of, order
from kanban.kernel.guards import require_active_goal, require_member, require_registered
from kanban.kernel.present import todo_json
from kanban.kernel.settle import settle_draft
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


def claim_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    agent: str = "",
    execution_key: str = "",
    capabilities: Iterable[str] | None = None,
    lease_seconds: int | None = None,
    write_scopes: Iterable[str] = (),
    expect_version: int | None = None,
    key: str | None = None,
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
    return _on(actor, goal, ref, "claim", request, rule, now, expect_version, key)


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
        ref = _best(draft, by, declared)
        if ref is None:
            return {"claimed": False, "reason": "no_claimable", "todo": None}
        claim.claim_todo(draft, ref, by, capabilities=declared, lease_seconds=lease_seconds)
        return {"claimed": True, "todo": todo_json(draft.state, draft.todo(ref), draft.now)}

    call = Call("todo.claim_next", [by.agent, by.mark, declared, lease_seconds], key)
    return perform(actor, goal, call, work, now=now)


def _best(draft: Draft, by: Execution, capabilities: Iterable[str] | None) -> str | None:
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    require_registered(draft.state, by.agent)
    member = member_of(draft.state, by.agent)
    declared = capabilities if capabilities is not None else (member.capabilities if member else ())
    runnable = [
        item
        for item in draft.state.todos.values()
        if not item.owner
        and is_runnable(
            draft.state, item, failing(fits(draft.state, item, by, declared, draft.now))
        )
    ]
    best = min(runnable, key=lambda item: order(item, by.agent), default=None)
    return best.ref if best else None


def update_todo(
    actor: Actor,
    goal: str,
    ref: str,
    given: dict[str, Any],
    *,
    now: datetime,
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        todo.update_todo(draft, ref, given, by, epoch)

    return _on(actor, goal, ref, "update", given, rule, now, expect_version, key)


def release_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    execution_key: str = "",
    epoch: int | None = None,
    reason: str = "",
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        claim.release_todo(draft, ref, by, epoch, reason=reason)

    return _on(actor, goal, ref, "release", [epoch, reason], rule, now, expect_version, key)


def reassign_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    agent: str,
    reason: str = "",
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        claim.reassign_todo(draft, ref, agent, reason=reason, by=by, epoch=epoch)

    return _on(actor, goal, ref, "reassign", [agent, reason], rule, now, expect_version, key)


def block_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    blocked_on: dict[str, Any],
    reason: str,
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        todo.block_todo(draft, ref, blocked_on=blocked_on, reason=reason, by=by, epoch=epoch)

    return _on(actor, goal, ref, "block", [blocked_on, reason], rule, now, expect_version, key)


def unblock_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    def rule(draft: Draft) -> None:
        todo.unblock_todo(draft, ref)

    return _on(actor, goal, ref, "unblock", None, rule, now, expect_version, key)


def defer_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    resume_when: dict[str, Any],
    reason: str = "",
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        todo.defer_todo(draft, ref, resume_when=resume_when, reason=reason, by=by, epoch=epoch)

    request = [resume_when, reason]
    return _on(actor, goal, ref, "defer", request, rule, now, expect_version, key)


def resume_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    def rule(draft: Draft) -> None:
        todo.resume_todo(draft, ref)

    return _on(actor, goal, ref, "resume", None, rule, now, expect_version, key)


def submit_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    evidence: list[dict[str, Any] | str],
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        review.submit_todo(draft, ref, evidence=evidence, by=by, epoch=epoch)

    return _on(actor, goal, ref, "submit", evidence, rule, now, expect_version, key)


def accept_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    def rule(draft: Draft) -> None:
        review.accept_todo(draft, ref)

    return _on(actor, goal, ref, "accept", None, rule, now, expect_version, key)


def return_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    reason: str,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    def rule(draft: Draft) -> None:
        review.return_todo(draft, ref, reason=reason)

    return _on(actor, goal, ref, "return", reason, rule, now, expect_version, key)


def complete_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    evidence: list[dict[str, Any] | str],
    continuation: dict[str, Any] | None,
    execution_key: str = "",
    epoch: int | None = None,
    override_note: str = "",
    check: dict[str, Any] | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    """Done: an owner brings evidence and a continuation; a person may override with a note."""
    by = _by(actor, execution_key)

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

    request = [evidence, continuation, epoch, override_note, check]
    return _on(actor, goal, ref, "complete", request, rule, now, expect_version, key)


def supersede_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    successors: list[dict[str, Any]],
    reason: str = "",
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    """Closes a todo in favour of others: existing ones by `ref`, or new ones."""
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        heirs = [
            item["ref"] if "ref" in item else todo.add_todo(draft, item) for item in successors
        ]
        todo.supersede_todo(draft, ref, successors=heirs, reason=reason, by=by, epoch=epoch)

    request = [successors, reason]
    return _on(actor, goal, ref, "supersede", request, rule, now, expect_version, key)


def drop_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    reason: str,
    execution_key: str = "",
    epoch: int | None = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    by = _by(actor, execution_key)

    def rule(draft: Draft) -> None:
        todo.drop_todo(draft, ref, reason=reason, by=by, epoch=epoch)

    return _on(actor, goal, ref, "drop", reason, rule, now, expect_version, key)


def reopen_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    reason: str,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    def rule(draft: Draft) -> None:
        todo.reopen_todo(draft, ref, reason=reason)

    return _on(actor, goal, ref, "reopen", reason, rule, now, expect_version, key)


def move_todo(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    before: str = "",
    after: str = "",
    priority: Any = None,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    """Ranks a todo before or after another, or gives it another priority."""

    def rule(draft: Draft) -> None:
        rank.place_todo(draft, ref, before=before, after=after, priority=priority)

    request = [before, after, priority]
    return _on(actor, goal, ref, "move", request, rule, now, expect_version, key)


def _by(actor: Actor, execution_key: str) -> Execution | None:
    return execution(actor.name, execution_key) if actor.is_agent else None


def _on(
    actor: Actor,
    goal: str,
    ref: str,
    operator: str,
    request: Any,
    rule: Callable[[Draft], None],
    now: datetime,
    expect_version: int | None,
    key: str | None,
) -> Receipt:
    """Performs an operator on one todo; the receipt shows the todo as it is afterwards."""

    def work(draft: Draft) -> dict[str, Any]:
        rule(draft)
        settle_draft(draft)
        return todo_json(draft.state, draft.todo(ref), draft.now)

    call = Call(f"todo.{operator} {ref}", request, key, ("todo", ref), expect_version)
    return perform(actor, goal, call, work, now=now)
