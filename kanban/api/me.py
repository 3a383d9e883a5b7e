"""The caller itself: who it is, and what an agent may say of itself."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from kanban.api.answers import answer
from kanban.api.auth import Caller, caller_of
from kanban.api.responses import answers
from kanban.api.schemas.agents import Limit
from kanban.api.schemas.base import Nothing
from kanban.kernel.errors import invalid
from kanban.queries.agents import agents_json
from kanban.queries.clock import now
from kanban.queries.snapshot import goal_slugs, goals_of
from kanban.transitions.members import change_agent

router = Router(tags=["me"])

NOTHING = Nothing()


@router.get("", response=answers("Me"))
def get_me(request: HttpRequest) -> HttpResponse:
    return answer(_me(caller_of(request)))


@router.post("/pause", response=answers("Me", writes=True))
def pause_me(request: HttpRequest, given: Nothing = NOTHING) -> HttpResponse:
    """An agent pauses itself; only a person unpauses it."""
    return _change(request, {"work_mode": "paused"})


@router.post("/limit", response=answers("Me", writes=True))
def report_limit(request: HttpRequest, given: Limit) -> HttpResponse:
    """The agent's provider refuses it until a moment, or until further notice (`unknown`)."""
    unknown = given.until == "unknown"
    until = None if unknown else given.until
    return _change(request, {"limited_until": until, "limit_unknown": unknown})


@router.delete("/limit", response=answers("Me", writes=True))
def end_limit(request: HttpRequest) -> HttpResponse:
    return _change(request, {"limited_until": None, "limit_unknown": False})


def visible_goals(caller: Caller) -> list[str]:
    """Slugs of what the caller may see, newest first."""
    if not caller.is_agent:
        return goal_slugs()
    return [goal for goal in goals_of(caller.actor.name) if caller.covers(goal)]


def _change(request: HttpRequest, given: dict[str, Any]) -> HttpResponse:
    caller = caller_of(request)
    if not caller.is_agent:
        raise invalid(
            "Only an agent says this of itself.", "People change agents under /agents/{agent}."
        )
    change_agent(caller.actor, caller.actor.name, given, now=now())
    return answer(_me(caller))


def _me(caller: Caller) -> dict[str, Any]:
    actor = caller.actor
    body = {"kind": actor.kind, "name": actor.name, "goals": visible_goals(caller)}
    if not caller.is_agent:
        return body | {"rights": actor.rights}
    return body | {
        "verbs": sorted(caller.verbs),
        "limited_to_goals": sorted(caller.goals),
        "agent": agents_json([actor.name])[0],
    }
