"""Evidence: adding it, and taking it out of account."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.kernel import evidence
from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.guards import require_member
from kanban.kernel.present import evidence_json
from kanban.transitions.perform import Call, perform
from kanban.transitions.receipt import Receipt


def add_evidence(
    actor: Actor, goal: str, given: dict[str, Any], *, now: datetime, key: str | None = None
) -> Receipt:
    def work(draft: Draft) -> dict[str, Any]:
        require_member(draft.state, actor)
        ref = evidence.add_evidence(draft, given)
        return evidence_json(draft.state.evidence[ref])

    return perform(actor, goal, Call("evidence.add", given, key), work, now=now)


def invalidate_evidence(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    reason: str,
    replaced_by: str = "",
    key: str | None = None,
) -> Receipt:
    def work(draft: Draft) -> dict[str, Any]:
        require_member(draft.state, actor)
        evidence.invalidate_evidence(draft, ref, reason=reason, replaced_by=replaced_by)
        return evidence_json(draft.state.evidence[ref])

    call = Call(f"evidence.invalidate {ref}", [reason, replaced_by], key)
    return perform(actor, goal, call, work, now=now)
