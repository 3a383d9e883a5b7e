"""The decision and the packet: what an agent asks before and after every slice of work."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from kanban.api.answers import (
    brief_decision,
    claim_headers,
    decision_headers,
    idempotency_key,
    readable,
    receipt_headers,
)
from kanban.api.auth import Caller, caller_of
from kanban.api.responses import answers
from kanban.api.schemas.queries import AskQuery
from kanban.api.schemas.turns import Finish, Renew, TurnIn
from kanban.api.words import decision_words, finished_words, packet_words, turn_words
from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask
from kanban.kernel.errors import NotFound, missing
from kanban.kernel.execution import execution
from kanban.kernel.limits import LEASE_DEFAULT_SECONDS
from kanban.kernel.packet import packet
from kanban.kernel.present import decision_json, turn_json
from kanban.kernel.state import State
from kanban.queries.clock import now
from kanban.queries.credentials import turn_place
from kanban.queries.snapshot import ledger_time, settled
from kanban.transitions import turns as transitions

router = Router(tags=["turns"])
by_id = Router(tags=["turns"])


def board_address(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def read_goal(caller: Caller, goal: str, at: datetime) -> tuple[State, datetime]:
    """The settled goal, and the moment it was settled at."""
    state = caller.require_seen(settled(goal, at))
    return state, ledger_time(state, at)


@router.get("/{goal}/should-run", response=answers("Decision"))
def should_run(request: HttpRequest, goal: str, query: Query[AskQuery]) -> HttpResponse:
    """May the loop go on, and how? Reads only; obey `outcome`."""
    caller = caller_of(request)
    ask = ask_of(caller, query)
    state, moment = read_goal(caller, goal, now())
    body = decision_json(decide(state, ask, moment), trace=query.explain)
    words = decision_words(board_address(request))
    return readable(request, brief_decision(body), words, headers=decision_headers(body))


@router.get("/{goal}/packet", response=answers("Packet"))
def get_packet(request: HttpRequest, goal: str, query: Query[AskQuery]) -> HttpResponse:
    """What an agent must know when it comes back to a goal, in at most 4 KiB."""
    caller = caller_of(request)
    ask = ask_of(caller, query)
    state, moment = read_goal(caller, goal, now())
    decision = decide(state, ask, moment)
    body = packet(state, decision, None, moment)
    return readable(request, body, packet_words, headers=decision_headers(decision_json(decision)))


@router.post("/{goal}/turns", response=answers("Turn", created=True, writes=True))
def begin_turn(request: HttpRequest, goal: str, given: TurnIn) -> HttpResponse:
    """Decides again and, on yes, claims with a lease and reserves quota, all or nothing.

    Where the execution has a live turn already, that one is answered (200). When the answer is no
    longer yes: 409 `not_now` with the decision.
    """
    caller = caller_of(request)
    agent = caller.agent(given.agent)
    caller.require_goal(goal)
    receipt = transitions.begin_turn(
        caller.actor,
        goal,
        Ask(
            execution(agent, given.execution_key),
            tuple(given.capabilities) if given.capabilities is not None else None,
            given.slots or 1,
            given.todo or "",
            tuple(given.shown or ()),
        ),
        now=now(),
        lease_seconds=given.lease_seconds
        if given.lease_seconds is not None
        else LEASE_DEFAULT_SECONDS,
        key=idempotency_key(request),
    )
    body = receipt.body
    headers = decision_headers(body["decision"]) | receipt_headers(receipt)
    headers |= claim_headers(body["todo"], body["epoch"], body["id"])
    body = body | {"decision": brief_decision(body["decision"])}
    status = 201 if receipt.events else 200
    return readable(request, body, turn_words, status=status, headers=headers)


@by_id.get("/{turn}", response=answers("Turn"))
def get_turn(request: HttpRequest, turn: str) -> HttpResponse:
    goal, _ = _place(caller_of(request), turn)
    state, _ = read_goal(caller_of(request), goal, now())
    if turn not in state.turns:
        raise missing("turn", turn)
    return readable(request, turn_json(state.turns[turn]), turn_words)


@by_id.post("/{turn}/renew", response=answers("Turn", writes=True))
def renew_turn(request: HttpRequest, turn: str, given: Renew) -> HttpResponse:
    """Extends the lease, never past the turn's own end."""
    caller = caller_of(request)
    goal, agent = _place(caller, turn)
    receipt = transitions.renew_turn(
        caller.actor,
        goal,
        turn,
        now=now(),
        agent=agent,
        execution_key=given.execution_key,
        epoch=given.epoch,
        lease_seconds=given.lease_seconds
        if given.lease_seconds is not None
        else LEASE_DEFAULT_SECONDS,
        key=idempotency_key(request),
    )
    body = receipt.body
    headers = claim_headers(body["todo"], body["epoch"], body["id"]) | receipt_headers(receipt)
    return readable(request, body, turn_words, headers=headers)


@by_id.post("/{turn}/finish", response=answers("Finished", writes=True))
def finish_turn(request: HttpRequest, turn: str, given: Finish) -> HttpResponse:
    """Settles a turn: evidence, todos, gates, what follows, and quota, in one go."""
    caller = caller_of(request)
    goal, agent = _place(caller, turn)
    receipt = transitions.finish_turn(
        caller.actor,
        goal,
        turn,
        given.given("execution_key", "epoch"),
        now=now(),
        agent=agent,
        execution_key=given.execution_key,
        epoch=given.epoch,
        key=idempotency_key(request),
    )
    decision = receipt.body["decision"]
    body = receipt.body | {
        "decision": brief_decision(decision),
        "receipt": {
            "version": receipt.version,
            "events": list(receipt.events),
            "replayed": receipt.replayed,
        },
    }
    headers = decision_headers(decision) | receipt_headers(receipt)
    return readable(request, body, finished_words(board_address(request)), headers=headers)


def ask_of(caller: Caller, query: AskQuery) -> Ask:
    return Ask(
        execution(caller.agent(query.agent), query.execution_key),
        query.capabilities,
        query.slots,
        query.todo or "",
        tuple(query.shown),
    )


def _place(caller: Caller, turn: str) -> tuple[str, str]:
    """Goal and agent of a turn that the caller may see."""
    found = turn_place(turn)
    if found is None:
        raise missing("turn", turn)
    goal, agent = found
    try:
        caller.require_goal(goal)
    except NotFound:
        raise missing("turn", turn) from None
    return goal, agent
