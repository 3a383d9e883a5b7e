"""What people and programs look at: inbox, board, history, quota."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from kanban.api.answers import answer, idempotency_key, read_cursor, write_cursor
from kanban.api.auth import caller_of, caller_on
from kanban.api.decisions import read_goal
from kanban.api.me import visible_goals
from kanban.api.responses import answers
from kanban.api.schemas.goals import PolicyIn
from kanban.api.schemas.queries import EventFilter
from kanban.kernel.errors import invalid
from kanban.kernel.present import gate_json, policy_json, quota_json, todo_json
from kanban.kernel.state import Policy, State
from kanban.queries.board import board_of
from kanban.queries.clock import now
from kanban.queries.history import Span, events_page
from kanban.queries.inbox import Ask, inbox_of
from kanban.queries.snapshot import settled
from kanban.transitions.quota import set_policies

router = Router(tags=["goals"])
inbox = Router(tags=["inbox"])

JSON = dict[str, Any]


@inbox.get("", response=answers("Inbox"))
def get_inbox(request: HttpRequest) -> HttpResponse:
    """What needs a person, across goals; what costs most first."""
    moment = now()
    states = {slug: settled(slug, moment) for slug in visible_goals(caller_of(request))}
    found = inbox_of(states.values(), moment)
    items = [_ask(states[ask.goal.slug], ask, moment) for ask in found.asks]
    return answer({"items": items, "cursor": None, "questions": found.questions})


@router.get("/{goal}/board", response=answers("Board"))
def get_board(request: HttpRequest, goal: str) -> HttpResponse:
    """The lanes and their cards, in the order of the web board."""
    state, moment = read_goal(caller_of(request), goal, now())
    board = board_of(state, moment)
    lanes = [
        {
            "lane": lane.name,
            "count": lane.count,
            "older": lane.older,
            "cards": [
                {"group": group.name or None, **_object(state, card.ref, moment)}
                for group in lane.groups
                for card in group.cards
            ],
        }
        for lane in board.lanes
    ]
    return answer({"goal": goal, "version": state.goal.version, "lanes": lanes})


@router.get("/{goal}/events", response=answers("Events"))
def list_events(request: HttpRequest, goal: str, query: Query[EventFilter]) -> HttpResponse:
    """The log, oldest first."""
    caller_on(request, goal)
    span = Span(
        after=_after(query.cursor),
        since=_end("since", query.since),
        until=_end("until", query.until),
        kinds=tuple(query.kind),
    )
    found = events_page(goal, span, query.limit + 1)
    shown = found[: query.limit]
    more = len(found) > query.limit
    return answer({"items": shown, "cursor": write_cursor(shown[-1]["version"]) if more else None})


@router.get("/{goal}/quota", response=answers("Quota"))
def get_quota(request: HttpRequest, goal: str) -> HttpResponse:
    state, moment = read_goal(caller_of(request), goal, now())
    return answer(quota_json(state, moment))


@router.get("/{goal}/quota/policy", response=answers("Policy"))
def get_policy(request: HttpRequest, goal: str) -> HttpResponse:
    state, _ = read_goal(caller_of(request), goal, now())
    own = {name: policy_json(policy) for name, policy in state.policies.items() if name}
    return answer(policy_json(state.policies.get("", Policy())) | {"agents": own})


@router.put("/{goal}/quota/policy", response=answers("Quota", writes=True))
def put_policy(request: HttpRequest, goal: str, given: PolicyIn) -> HttpResponse:
    """For people and the owner's key; what is left out stays as it is."""
    caller = caller_on(request, goal)
    policies = {"": given.policy()} if given.policy() or not given.agents else {}
    policies |= {name: own.policy() for name, own in (given.agents or {}).items()}
    receipt = set_policies(
        caller.actor,
        goal,
        policies,
        now=now(),
        reason=given.reason,
        key=idempotency_key(request),
    )
    return answer(receipt.body)


def _ask(state: State, ask: Ask, moment: datetime) -> JSON:
    return {
        "goal": ask.goal.slug,
        "goal_title": ask.goal.title,
        **_object(state, ask.card.ref, moment),
        "idle_agents": list(ask.idle),
        "cost_minutes": ask.cost_minutes,
    }


def _object(state: State, ref: str, moment: datetime) -> JSON:
    if ref in state.gates:
        return gate_json(state, state.gates[ref], moment)
    return todo_json(state, state.todos[ref], moment)


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    version = read_cursor(cursor)
    if not isinstance(version, int) or not 0 <= version < 2**53:
        raise invalid("The cursor is none that this list gave.", fields=["cursor"])
    return version


def _end(name: str, text: str | None) -> int | datetime | None:
    """A version, or a moment."""
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) < 16:
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
        aware = moment.tzinfo is not None
        utc = moment.astimezone(UTC) if aware else moment
    except (ValueError, OverflowError):
        aware = False
    if not aware:
        raise invalid(
            f"{name}={text[:40]!r} is neither a version nor an RFC 3339 time.", fields=[name]
        )
    return utc
