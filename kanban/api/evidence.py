"""Evidence: what was found, and taking it out of account."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from kanban.api.answers import idempotency_key, kept, page, written
from kanban.api.auth import caller_of, caller_on
from kanban.api.decisions import read_goal
from kanban.api.responses import answers
from kanban.api.schemas.evidence import EvidenceIn, Invalidate
from kanban.api.schemas.queries import EvidenceFilter
from kanban.kernel.errors import missing
from kanban.kernel.present import evidence_json
from kanban.queries.clock import now
from kanban.transitions import evidence as transitions

router = Router(tags=["evidence"])


@router.get("/{goal}/evidence", response=answers("EvidenceList"))
def list_evidence(request: HttpRequest, goal: str, query: Query[EvidenceFilter]) -> HttpResponse:
    state, _ = read_goal(caller_of(request), goal, now())
    about = {ref for ref in (query.todo, query.criterion) if ref}
    wanted = [evidence_json(item) for item in state.evidence.values() if about <= {*item.supports}]
    return kept(request, page(wanted, "ref", query.limit, query.cursor), state.goal.version)


@router.post("/{goal}/evidence", response=answers("Evidence", created=True, writes=True))
def add_evidence(request: HttpRequest, goal: str, given: EvidenceIn) -> HttpResponse:
    caller = caller_on(request, goal)
    receipt = transitions.add_evidence(
        caller.actor, goal, given.given(), now=now(), key=idempotency_key(request)
    )
    return written(receipt, 201)


@router.get("/{goal}/evidence/{ref}", response=answers("Evidence"))
def get_evidence(request: HttpRequest, goal: str, ref: str) -> HttpResponse:
    state, _ = read_goal(caller_of(request), goal, now())
    item = state.evidence.get(ref)
    if item is None:
        raise missing("evidence", ref)
    return kept(request, evidence_json(item))


@router.post("/{goal}/evidence/{ref}/invalidate", response=answers("Evidence", writes=True))
def invalidate_evidence(
    request: HttpRequest, goal: str, ref: str, given: Invalidate
) -> HttpResponse:
    """It stays in the log with the reason, and counts no more."""
    caller = caller_on(request, goal)
    receipt = transitions.invalidate_evidence(
        caller.actor,
        goal,
        ref,
        now=now(),
        reason=given.reason,
        replaced_by=given.replaced_by or "",
        key=idempotency_key(request),
    )
    return written(receipt)
