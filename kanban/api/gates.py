"""Gates: agents ask, revise and withdraw; only people answer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from kanban.api.answers import expected_version, idempotency_key, kept, page, written
from kanban.api.auth import caller_of, caller_on
from kanban.api.decisions import read_goal
from kanban.api.responses import answers
from kanban.api.schemas.base import Nothing, Reason
from kanban.api.schemas.gates import Answer, GateChange, GateIn, Received
from kanban.api.schemas.queries import GateFilter
from kanban.kernel.actor import require_person
from kanban.kernel.errors import missing
from kanban.kernel.limits import UNDO_DEFAULT_SECONDS
from kanban.kernel.present import gate_json
from kanban.queries.clock import now
from kanban.transitions import gates as transitions

router = Router(tags=["gates"])

CHANGED = answers("Gate", writes=True)
NO_REASON = Reason()
NOTHING = Nothing()
NOBODY = Received()


@router.get("/{goal}/gates", response=answers("Gates"))
def list_gates(request: HttpRequest, goal: str, query: Query[GateFilter]) -> HttpResponse:
    state, moment = read_goal(caller_of(request), goal, now())
    wanted = [
        gate_json(state, gate, moment)
        for gate in state.gates.values()
        if query.status in (None, gate.status)
    ]
    return kept(request, page(wanted, "ref", query.limit, query.cursor), state.goal.version)


@router.post("/{goal}/gates", response=answers("Gate", created=True, writes=True))
def ask_gate(request: HttpRequest, goal: str, given: GateIn) -> HttpResponse:
    """Puts one concrete question to a person; a vague one is refused."""
    caller = caller_on(request, goal)
    receipt = transitions.ask_gate(
        caller.actor, goal, given.given(), now=now(), key=idempotency_key(request)
    )
    return written(receipt, 201)


@router.get("/{goal}/gates/{ref}", response=answers("Gate"))
def get_gate(request: HttpRequest, goal: str, ref: str) -> HttpResponse:
    state, moment = read_goal(caller_of(request), goal, now())
    gate = state.gates.get(ref)
    if gate is None:
        raise missing("question", ref)
    return kept(request, gate_json(state, gate, moment), gate.version)


@router.patch("/{goal}/gates/{ref}", response=CHANGED)
def revise_gate(request: HttpRequest, goal: str, ref: str, given: GateChange) -> HttpResponse:
    """New words for an open question: by its asker or a person."""
    caller = caller_on(request, goal)
    receipt = transitions.revise_gate(
        caller.actor,
        goal,
        ref,
        given.given(),
        now=now(),
        expect_version=expected_version(request),
        key=idempotency_key(request),
    )
    return written(receipt)


@router.post("/{goal}/gates/{ref}/withdraw", response=CHANGED)
def withdraw_gate(
    request: HttpRequest, goal: str, ref: str, given: Reason = NO_REASON
) -> HttpResponse:
    caller = caller_on(request, goal)
    receipt = transitions.withdraw_gate(
        caller.actor,
        goal,
        ref,
        now=now(),
        reason=given.reason or "withdrawn",
        key=idempotency_key(request),
    )
    return written(receipt)


@router.post("/{goal}/gates/{ref}/received", response=CHANGED)
def receive_answer(
    request: HttpRequest, goal: str, ref: str, given: Received = NOBODY
) -> HttpResponse:
    """Notes that an agent has read the answer."""
    caller = caller_of(request)
    agent = caller.agent(given.agent)
    caller.require_goal(goal)
    receipt = transitions.receive_answer(
        caller.actor, goal, ref, agent=agent, now=now(), key=idempotency_key(request)
    )
    return written(receipt)


@router.post("/{goal}/gates/{ref}/answer", response=CHANGED)
def answer_gate(request: HttpRequest, goal: str, ref: str, given: Answer) -> HttpResponse:
    """A signed-in person decides; no token can. Takes effect when `undo_seconds` are over."""
    caller = caller_of(request)
    require_person(caller.actor, "Answering a question")
    wait = UNDO_DEFAULT_SECONDS if given.undo_seconds is None else given.undo_seconds
    receipt = transitions.answer_gate(
        caller.actor,
        goal,
        ref,
        now=now(),
        outcome=given.outcome,
        revision=given.revision,
        option=given.option or "",
        text=given.text or "",
        undo_seconds=wait,
        key=idempotency_key(request),
    )
    return written(receipt)


@router.post("/{goal}/gates/{ref}/undo", response=CHANGED)
def undo_answer(
    request: HttpRequest, goal: str, ref: str, given: Nothing = NOTHING
) -> HttpResponse:
    """Takes one's own answer back inside its window; no token can."""
    caller = caller_of(request)
    require_person(caller.actor, "Taking an answer back")
    receipt = transitions.undo_answer(
        caller.actor, goal, ref, now=now(), key=idempotency_key(request)
    )
    return written(receipt)
