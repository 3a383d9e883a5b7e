"""What needs you, across goals; on an empty database the first page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from kanban.queries import clock
from kanban.queries.inbox import SORTS, inbox_of
from kanban.queries.snapshot import goal_slugs
from kanban.queries.states import open_states
from kanban.views.access import person_required
from kanban.views.forms import GoalForm


@require_safe
@person_required
def inbox(request: HttpRequest) -> HttpResponse:
    now = clock.now()
    states = open_states(now)
    if not goal_slugs():
        return render(request, "first_run.html", {"form": GoalForm(), "first": True})
    sort = request.GET.get("sort", "cost")
    found = {"inbox": inbox_of(states, now, sort), "sorts": _sorts(sort), "page": "inbox"}
    return render(request, "inbox.html", found)


def _sorts(chosen: str) -> list[dict[str, object]]:
    labels = {"cost": _("Cost of waiting"), "oldest": _("Oldest"), "goal": _("Goal")}
    return [{"key": key, "label": labels[key], "on": key == chosen} for key in SORTS]
