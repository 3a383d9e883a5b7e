"""What the live hub asks of Django: who is calling, and which goals they may hear of."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from kanban.api.answers import answer
from kanban.api.auth import Caller, authenticate
from kanban.api.errors import problem
from kanban.api.me import visible_goals
from kanban.kernel.errors import LoopxError


@require_safe
def who(request: HttpRequest) -> HttpResponse:
    """`goals` null: all of them. 401 for nobody."""
    try:
        caller = authenticate(request)
    except LoopxError as error:
        return problem(request, error)
    return answer({"kind": caller.actor.kind, "name": caller.actor.name, "goals": _goals(caller)})


def _goals(caller: Caller) -> list[str] | None:
    return visible_goals(caller) if caller.is_agent else None
