"""Goals: creating, changing, their life, criteria and members."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from kanban.api.answers import (
    expected_version,
    idempotency_key,
    kept,
    page,
    written,
)
from kanban.api.auth import Caller, caller_of, caller_on
from kanban.api.decisions import read_goal
from kanban.api.me import visible_goals
from kanban.api.responses import answers
from kanban.api.schemas.base import Nothing, Reason
from kanban.api.schemas.goals import (
    Close,
    CriterionChange,
    CriterionIn,
    GoalChange,
    GoalIn,
    MemberIn,
)
from kanban.api.schemas.queries import GoalFilter
from kanban.kernel.errors import NotAllowed
from kanban.kernel.present import goal_json
from kanban.queries.clock import now
from kanban.queries.credentials import allows_self_registration
from kanban.queries.goals import goal_lines
from kanban.transitions import goals as transitions
from kanban.transitions import members

router = Router(tags=["goals"])

CHANGED = answers("Goal", writes=True)
NO_REASON = Reason()
NOTHING = Nothing()
ITSELF = MemberIn()


@router.get("", response=answers("Goals"))
def list_goals(request: HttpRequest, query: Query[GoalFilter]) -> HttpResponse:
    slugs = visible_goals(caller_of(request))
    lines = goal_lines(slugs, query.status or "")
    return kept(request, page(lines, "slug", query.limit, query.cursor))


@router.post("", response=answers("Goal", created=True, writes=True))
def create_goal(request: HttpRequest, given: GoalIn) -> HttpResponse:
    """An agent creates one when a person asked for it: it joins; the write scope stays empty."""
    caller = caller_of(request)
    _require_unlimited(caller)
    receipt = transitions.create_goal(
        caller.actor, given.given(), now=now(), key=idempotency_key(request)
    )
    return written(receipt, 201)


@router.get("/{goal}", response=CHANGED)
def get_goal(request: HttpRequest, goal: str) -> HttpResponse:
    state, _ = read_goal(caller_of(request), goal, now())
    return kept(request, goal_json(state), state.goal.version)


@router.patch("/{goal}", response=CHANGED)
def update_goal(request: HttpRequest, goal: str, given: GoalChange) -> HttpResponse:
    """A person, signed in; objective and write scope bump `revision`."""
    caller = caller_on(request, goal)
    receipt = transitions.update_goal(
        caller.actor,
        goal,
        given.given(),
        now=now(),
        expect_version=expected_version(request),
        key=idempotency_key(request),
    )
    return written(receipt)


@router.post("/{goal}/criteria", response=answers("Goal", created=True, writes=True))
def add_criterion(request: HttpRequest, goal: str, given: CriterionIn) -> HttpResponse:
    caller = caller_on(request, goal)
    receipt = transitions.add_criterion(
        caller.actor, goal, given.text, now=now(), key=idempotency_key(request)
    )
    return written(receipt, 201)


@router.patch("/{goal}/criteria/{ref}", response=CHANGED)
def update_criterion(
    request: HttpRequest, goal: str, ref: str, given: CriterionChange
) -> HttpResponse:
    """New words (a new revision), a state set by hand with a note, or its removal."""
    caller = caller_on(request, goal)
    receipt = transitions.update_criterion(
        caller.actor,
        goal,
        ref,
        given.given(),
        now=now(),
        expect_version=expected_version(request),
        key=idempotency_key(request),
    )
    return written(receipt)


@router.post("/{goal}/pause", response=CHANGED)
def pause_goal(request: HttpRequest, goal: str, given: Reason = NO_REASON) -> HttpResponse:
    caller = caller_on(request, goal)
    receipt = transitions.pause_goal(
        caller.actor, goal, now=now(), reason=given.reason or "", key=idempotency_key(request)
    )
    return written(receipt)


@router.post("/{goal}/resume", response=CHANGED)
def resume_goal(request: HttpRequest, goal: str, given: Nothing = NOTHING) -> HttpResponse:
    """Goes on after a pause or a stop."""
    caller = caller_on(request, goal)
    receipt = transitions.resume_goal(caller.actor, goal, now=now(), key=idempotency_key(request))
    return written(receipt)


@router.post("/{goal}/stop", response=CHANGED)
def stop_goal(request: HttpRequest, goal: str, given: Reason = NO_REASON) -> HttpResponse:
    """Running turns end, claims are released; a person may resume it."""
    caller = caller_on(request, goal)
    receipt = transitions.stop_goal(
        caller.actor, goal, now=now(), reason=given.reason or "", key=idempotency_key(request)
    )
    return written(receipt)


@router.post("/{goal}/close", response=CHANGED)
def close_goal(request: HttpRequest, goal: str, given: Close) -> HttpResponse:
    """A person, signed in, ends the goal as achieved or abandoned; final."""
    caller = caller_on(request, goal)
    receipt = transitions.close_goal(
        caller.actor,
        goal,
        now=now(),
        outcome=given.outcome,
        reason=given.reason,
        key=idempotency_key(request),
    )
    return written(receipt)


@router.post("/{goal}/agents", response=answers("Member", created=True, writes=True))
def register_member(request: HttpRequest, goal: str, given: MemberIn = ITSELF) -> HttpResponse:
    """An agent registers only itself, and only where the goal allows that."""
    caller = caller_of(request)
    agent = caller.agent(given.agent)
    if caller.is_agent and not (caller.covers(goal) and allows_self_registration(goal)):
        caller.require_goal(goal)
    receipt = members.register_member(
        caller.actor,
        goal,
        agent,
        delegated=given.delegated,
        now=now(),
        key=idempotency_key(request),
    )
    return written(receipt, 201 if receipt.events else 200)


@router.delete("/{goal}/agents/{agent}", response=answers("", writes=True, empty=True))
def remove_member(request: HttpRequest, goal: str, agent: str) -> HttpResponse:
    """What it holds is released and its turns end."""
    caller = caller_on(request, goal)
    members.remove_member(caller.actor, goal, agent, now=now(), key=idempotency_key(request))
    return HttpResponse(status=204)


def _require_unlimited(caller: Caller) -> None:
    if caller.goals:
        raise NotAllowed(
            "token_scope",
            f"The token is limited to {', '.join(sorted(caller.goals))}.",
            "Use a token without that limit, or ask a person to create the goal.",
        )
