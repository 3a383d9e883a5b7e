"""Quota of a goal: a bar and the figures behind it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kanban.queries import clock
from kanban.queries.quota_page import quota_page
from kanban.queries.states import goal_state
from kanban.views.access import person_required
from kanban.views.quota_words import stats


@require_safe
@person_required
def quota(request: HttpRequest, slug: str) -> HttpResponse:
    now = clock.now()
    state = goal_state(slug, now)
    page = quota_page(state, now)
    found = {
        "goal": state.goal,
        "page": "quota",
        "use": page,
        "quota": page.meter,
        "stats": stats(page),
        "policy_url": reverse("admin:kanban_policy_changelist"),
    }
    return render(request, "quota.html", found)
