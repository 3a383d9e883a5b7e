"""Turns: begin, renew, finish; each one transaction."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from kanban.kernel import turn as rules
from kanban.kernel.actor import Actor
from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask
from kanban.kernel.draft import Draft
from kanban.kernel.execution import execution
from kanban.kernel.limits import LEASE_DEFAULT_SECONDS
from kanban.kernel.packet import packet
from kanban.kernel.present import decision_json, quota_json, todo_json, turn_json
from kanban.kernel.settle import settle_draft
from kanban.kernel.state import Turn
from kanban.transitions.members import member_changes
from kanban.transitions.perform import Call, Work, perform, perform_together
from kanban.transitions.receipt import Receipt


def begin_turn(
    actor: Actor,
    goal: str,
    ask: Ask,
    *,
    now: datetime,
    lease_seconds: int = LEASE_DEFAULT_SECONDS,
    key: str | None = None,
) -> Receipt:
    """Decides, claims with a lease and reserves quota; raises `not_now` with the decision.

    The body carries the turn, the decision, and the packet with all that the work needs.
    """
    turn_id = str(uuid.uuid4())

    def work(draft: Draft) -> dict[str, Any]:
        turn, decision = rules.begin_turn(draft, ask, turn_id=turn_id, lease_seconds=lease_seconds)
        return turn_json(turn) | {
            "decision": decision_json(decision),
            "packet": packet(draft.state, decision, turn, draft.now),
        }

    request = [ask.by.agent, ask.by.mark, ask.todo, ask.slots, ask.capabilities, lease_seconds]
    return perform(actor, goal, Call("turn.begin", request, key), work, now=now)


def renew_turn(
    actor: Actor,
    goal: str,
    turn_id: str,
    *,
    now: datetime,
    agent: str,
    execution_key: str = "",
    epoch: int | None = None,
    lease_seconds: int = LEASE_DEFAULT_SECONDS,
    key: str | None = None,
) -> Receipt:
    by = execution(agent, execution_key)

    def work(draft: Draft) -> dict[str, Any]:
        return turn_json(
            rules.renew_turn(draft, turn_id, by, lease_seconds=lease_seconds, epoch=epoch)
        )

    call = Call(f"turn.renew {turn_id}", [by.mark, epoch, lease_seconds], key)
    return perform(actor, goal, call, work, now=now)


def finish_turn(
    actor: Actor,
    goal: str,
    turn_id: str,
    given: dict[str, Any],
    *,
    now: datetime,
    agent: str,
    execution_key: str = "",
    epoch: int | None = None,
    key: str | None = None,
) -> Receipt:
    """Settles a turn; the body carries todo, quota and the next decision."""
    by = execution(agent, execution_key)

    def work(draft: Draft) -> dict[str, Any]:
        turn = rules.finish_turn(draft, turn_id, by, given, epoch=epoch)
        settle_draft(draft)
        return _finished(draft, turn, Ask(by))

    call = Call(f"turn.finish {turn_id}", [by.mark, epoch, given], key)
    writes = [(goal, call, work), *_limits_elsewhere(goal, agent, given.get("limited_until"))]
    receipts = perform_together(actor, writes, now=now)
    return next(receipt for receipt in receipts if receipt.goal == goal)


def _limits_elsewhere(goal: str, agent: str, limited: Any) -> list[tuple[str, Call, Work]]:
    """A provider's limit holds on the agent's other goals too, from the same commit on."""
    if not limited:
        return []
    changes = member_changes(agent, rules.limit_fields(limited))
    return [change for change in changes if change[0] != goal]


def _finished(draft: Draft, turn: Turn, ask: Ask) -> dict[str, Any]:
    decision = decide(draft.state, ask, draft.now)
    todo = draft.state.todos.get(turn.todo)
    return {
        "turn": turn_json(turn),
        "todo": todo_json(draft.state, todo, draft.now) if todo else None,
        "quota": quota_json(draft.state, draft.now),
        "decision": decision_json(decision),
        "notices": list(decision.notices),
    }
