"""Why isn't this running? The decision of each agent, the rule that decided first."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from kanban.kernel.state import State
from kanban.queries import clock
from kanban.queries.quota_page import meter_of
from kanban.queries.states import goal_state
from kanban.queries.why import Fact, Why, why_of
from kanban.views.access import person_required


@require_safe
@person_required
def why(request: HttpRequest, slug: str) -> HttpResponse:
    now = clock.now()
    state = goal_state(slug, now)
    found = why_of(state, now, request.GET.get("agent", ""))
    shown = {
        "goal": state.goal,
        "page": "why",
        "now": now,
        "quota": meter_of(state, now),
        "why": found,
        "facts": [_labelled(state, fact) for fact in found.facts],
        "action_url": _action(state, found),
    }
    return render(request, "why.html", shown)


def _labelled(state: State, fact: Fact) -> dict[str, Any]:
    label = {
        "selected": _("Would start"),
        "turn": _("Works on"),
        "gap": _("Missing"),
        "wake_at": _("Looks again"),
    }[fact.code]
    todo = state.todos.get(fact.ref)
    return {
        "label": label,
        "text": todo.title if todo else fact.text,
        "url": reverse("todo", args=[state.goal.slug, fact.ref]) if todo else "",
        "at": fact.at,
    }


def _action(state: State, found: Why) -> str:
    ref = found.action_ref
    if ref not in state.gates:
        return ""
    return reverse("gate", args=[state.goal.slug, ref])
