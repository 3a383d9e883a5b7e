"""What happened, newest first."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from kanban.queries import clock
from kanban.queries.quota_page import meter_of
from kanban.queries.states import goal_state, newest_events
from kanban.queries.timeline import ACTORS, timeline_of
from kanban.views.access import person_required

PAGE = 200


@require_safe
@person_required
def timeline(request: HttpRequest, slug: str) -> HttpResponse:
    now = clock.now()
    state = goal_state(slug, now)
    by = request.GET.get("by", "") if request.GET.get("by") in ACTORS else ""
    before = request.GET.get("before", "")
    last = int(before) if before.isdecimal() else state.goal.version
    events = newest_events(slug, last, PAGE)
    older = max(0, last - PAGE)
    found = {
        "goal": state.goal,
        "page": "timeline",
        "quota": meter_of(state, now),
        "timeline": timeline_of(state, events, by=by, older=older),
        "by": _choices(by),
    }
    return render(request, "timeline.html", found)


def _choices(chosen: str) -> list[dict[str, Any]]:
    labels = {
        "": _("All"),
        "person": _("People"),
        "agent": _("Agents"),
        "system": "LoopX",
    }
    return [
        {"url": f"?by={key}" if key else "?", "label": label, "on": key == chosen}
        for key, label in labels.items()
    ]
