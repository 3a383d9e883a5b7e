"""Preconditions that many operators share; each raises the refusal it stands for."""

from __future__ import annotations

from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, NotAllowed, invalid
from kanban.kernel.execution import Execution
from kanban.kernel.frontier import CLOSED, blocked_by, covering_gates, member_of, scope_granted
from kanban.kernel.state import State, Todo


def require_active_goal(state: State) -> None:
    if state.goal.status != "active":
        raise Conflict(
            "goal_not_active",
            f"The goal is {state.goal.status}.",
            "A person resumes a paused or stopped goal; a closed one stays closed.",
            goal_status=state.goal.status,
        )


def require_open_goal(state: State) -> None:
    """Active or paused: people may settle questions while agents rest."""
    if state.goal.status not in ("active", "paused"):
        require_active_goal(state)


def require_member(state: State, actor: Actor) -> None:
    """Agents act only where they are registered; people everywhere."""
    if actor.is_agent and member_of(state, actor.name) is None:
        raise NotAllowed(
            "not_member",
            f"{actor.name} is not registered on {state.goal.slug}.",
            "A person adds it: loopx agent add, or the goal's agents page.",
        )


def require_self(actor: Actor, by: Execution) -> None:
    """An agent acts for itself only."""
    if actor.is_agent and actor.name != by.agent:
        raise NotAllowed("agent_mismatch", f"{actor.name} cannot act as {by.agent}.")


def require_registered(state: State, agent: str) -> None:
    if member_of(state, agent) is None:
        raise invalid(f"{agent!r} is not an agent of this goal.", "Register it first.")


def require_not_closed(todo: Todo) -> None:
    if todo.status in CLOSED:
        raise Conflict(
            "todo_closed",
            f"{todo.ref} is {todo.status}.",
            "Take another todo, or ask a person to reopen it.",
        )


def require_no_gate(draft: Draft, todo: Todo, verb: str) -> None:
    """While a gate covers a todo, or ended without a choice, only a person's judgment passes."""
    if draft.actor.judges:
        return
    if gates := covering_gates(draft.state, todo):
        raise Conflict(
            "gate_open",
            f"{gates[0].ref} is not decided yet; {todo.ref} cannot be {verb} before.",
            "Finish the slice with progress and wait for the answer.",
            gate=gates[0].ref,
        )
    if ended := blocked_by(todo):
        raise NotAllowed(
            "human_required",
            f"{ended} ended without a choice; {todo.ref} cannot be {verb} by {draft.actor}.",
            "A person unblocks it, or answers a new question about it.",
        )


def require_decided(draft: Draft, todo: Todo, verb: str) -> None:
    """Work that needs a decision is not finished by agents before somebody has made it."""
    open_scopes = [s for s in todo.decision_scopes if not scope_granted(draft.state, todo, s)]
    if open_scopes and not draft.actor.judges:
        raise Conflict(
            "gate_open",
            f"Nobody has decided {open_scopes[0]}; {todo.ref} cannot be {verb} before.",
            "Ask for it with a gate of that decision scope that names the todo.",
            decision_scope=open_scopes[0],
        )


def require_owned(draft: Draft, todo: Todo, verb: str, reason: str = "") -> None:
    """An agent does this to what is its own, or by delegated authority; a person to anything."""
    if draft.actor.is_person or todo.owner:
        return
    member = draft.state.members[draft.actor.name]
    if not (verb in member.delegated and reason):
        raise NotAllowed(
            "not_owner",
            f"{todo.ref} has no owner.",
            f"Claim it first, or leave it to a person; delegated authority to {verb} also does.",
        )


def require_hand(
    draft: Draft, todo: Todo, by: Execution | None, epoch: int | None, verb: str, reason: str = ""
) -> None:
    """On an owned todo: its owner by fence, a person, or delegated authority with a reason."""
    if draft.actor.is_person:
        return
    require_member(draft.state, draft.actor)
    if todo.owner in ("", draft.actor.name):
        if todo.owner:
            require_fence(draft, todo, by, epoch)
        return
    member = draft.state.members[draft.actor.name]
    if verb in member.delegated and reason:
        return
    raise NotAllowed(
        "not_owner",
        f"{todo.ref} belongs to {todo.owner}.",
        "Leave it, comment on it, or wait until it is free.",
        owner=todo.owner,
    )


def require_fence(draft: Draft, todo: Todo, by: Execution | None, epoch: int | None) -> None:
    """The writer is the execution that holds the claim, under the claim's present epoch."""
    if by is None or epoch is None:
        raise invalid(
            f"{todo.ref} is claimed: execution_key and epoch are needed.",
            "Send the epoch that the claim returned.",
            fields=["epoch"],
        )
    if todo.owner != by.agent or todo.epoch != epoch:
        raise lease_lost(todo)
    # A todo that was handed over has no execution yet: any process of the new owner may write.
    if todo.execution not in ("", by.mark):
        raise Conflict(
            "other_execution",
            f"{todo.ref} is held by another process of {by.agent}.",
            "Use that process's execution key, or take another todo.",
        )


def require_holder(todo: Todo, epoch: int | None) -> None:
    """Refuses a writeback to what nobody holds: the caller's claim ended, or never was."""
    if not todo.owner and epoch is not None:
        raise lease_lost(todo)
    if not todo.owner:
        raise Conflict("not_runnable", f"Nobody holds {todo.ref}.", "Claim it first.")


def lease_lost(todo: Todo) -> Conflict:
    if not todo.owner:
        return Conflict(
            "lease_expired",
            f"Nobody holds {todo.ref} any more.",
            "Begin again, then finish with the same evidence.",
        )
    return Conflict(
        "lease_lost",
        f"{todo.ref} belongs to {todo.owner} now (epoch {todo.epoch}).",
        "Drop this work; your evidence may still be added by itself.",
        owner=todo.owner,
        epoch=todo.epoch,
    )
