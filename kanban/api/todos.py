"""Todos: reading, adding, changing and claiming."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Body, Query, Router

from kanban.api.answers import (
    answer,
    claim_headers,
    expected_version,
    idempotency_key,
    kept,
    page,
    readable,
    receipt_headers,
)
from kanban.api.auth import caller_of, caller_on
from kanban.api.decisions import read_goal
from kanban.api.operators import operate
from kanban.api.responses import answers
from kanban.api.schemas.queries import TodoFilter
from kanban.api.schemas.todos import (
    Claim,
    ClaimNext,
    OneOrMany,
    TodoChange,
    TodosIn,
)
from kanban.api.words import todo_words
from kanban.kernel.errors import missing
from kanban.kernel.present import todo_json
from kanban.queries.clock import now
from kanban.transitions import claims
from kanban.transitions import todos as transitions
from kanban.transitions.receipt import Receipt

router = Router(tags=["todos"])

CHANGED = answers("Todo", writes=True)


@router.get("/{goal}/todos", response=answers("Todos"))
def list_todos(request: HttpRequest, goal: str, query: Query[TodoFilter]) -> HttpResponse:
    state, moment = read_goal(caller_of(request), goal, now())
    wanted = [
        shown
        for todo in state.todos.values()
        if query.owner in (None, todo.owner)
        and query.status in (None, todo.status)
        and query.lane in (None, (shown := todo_json(state, todo, moment))["lane"])
    ]
    return kept(request, page(wanted, "ref", query.limit, query.cursor), state.goal.version)


@router.post("/{goal}/todos", response=answers("Todo", created=True, writes=True))
def add_todos(request: HttpRequest, goal: str, given: Body[OneOrMany]) -> HttpResponse:
    """One todo, answered as it is; or `{"todos": […]}`, all or none, answered as `items`."""
    caller = caller_on(request, goal)
    many = isinstance(given, TodosIn)
    items = given.todos if isinstance(given, TodosIn) else [given]
    receipt = transitions.add_todos(
        caller.actor,
        goal,
        [item.given() for item in items],
        now=now(),
        key=idempotency_key(request),
    )
    made = receipt.body["todos"]
    return answer({"items": made} if many else made[0], 201, receipt_headers(receipt))


@router.post("/{goal}/todos/claim-next", response=answers("Todo", writes=True, empty=True))
def claim_next(request: HttpRequest, goal: str, given: ClaimNext) -> HttpResponse:
    """Picks and claims the best runnable todo; 204 when there is none."""
    caller = caller_of(request)
    agent = caller.agent(given.agent)
    caller.require_goal(goal)
    receipt = claims.claim_next(
        caller.actor,
        goal,
        now=now(),
        agent=agent,
        execution_key=given.execution_key,
        capabilities=given.capabilities,
        lease_seconds=given.lease_seconds,
        key=idempotency_key(request),
    )
    if not receipt.body["claimed"]:
        return HttpResponse(status=204, headers=receipt_headers(receipt))
    return _claimed(request, receipt, receipt.body["todo"])


@router.get("/{goal}/todos/{ref}", response=answers("Todo"))
def get_todo(request: HttpRequest, goal: str, ref: str) -> HttpResponse:
    state, moment = read_goal(caller_of(request), goal, now())
    todo = state.todos.get(ref)
    if todo is None:
        raise missing("todo", ref)
    return kept(request, todo_json(state, todo, moment), todo.version)


@router.patch("/{goal}/todos/{ref}", response=CHANGED)
def update_todo(request: HttpRequest, goal: str, ref: str, given: TodoChange) -> HttpResponse:
    """Agents may add decision scopes, exclusions and dependencies; only people remove them."""
    fields = given.given("execution_key", "epoch")
    return operate(request, goal, ref, transitions.update_todo, given, given=fields)


@router.post("/{goal}/todos/{ref}/claim", response=CHANGED)
def claim_todo(request: HttpRequest, goal: str, ref: str, given: Claim) -> HttpResponse:
    """A soft claim, or a lease with `lease_seconds`; the second comer is refused."""
    caller = caller_of(request)
    agent = caller.agent(given.agent)
    caller.require_goal(goal)
    receipt = claims.claim_todo(
        caller.actor,
        goal,
        ref,
        now=now(),
        agent=agent,
        execution_key=given.execution_key,
        capabilities=given.capabilities,
        lease_seconds=given.lease_seconds,
        write_scopes=given.write_scopes or (),
        expect_version=expected_version(request),
        key=idempotency_key(request),
    )
    return _claimed(request, receipt, receipt.body)


def _claimed(request: HttpRequest, receipt: Receipt, todo: dict[str, Any]) -> HttpResponse:
    owner = todo["owner"] or {}
    headers = claim_headers(todo["ref"], owner.get("epoch")) | receipt_headers(receipt)
    return readable(request, todo, todo_words, headers=headers)
