"""The goal board, and the lanes that changed on it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from kanban.kernel.state import State
from kanban.queries import clock
from kanban.queries.board import Filter, board_of
from kanban.queries.quota_page import meter_of
from kanban.queries.states import goal_state
from kanban.views.access import person_required
from kanban.views.opened import opened_on_page
from kanban.views.parts import lane_parts, parts_response, ptag_of


@require_safe
@person_required
def board(request: HttpRequest, slug: str) -> HttpResponse:
    state = goal_state(slug, clock.now())
    return render(request, "board.html", board_context(request, state))


@require_safe
@person_required
def lanes(request: HttpRequest, slug: str) -> HttpResponse:
    """What changed since the page's tag, in one answer; 304 when nothing did."""
    state = goal_state(slug, clock.now())
    found = board_context(request, state, drawer=opened_on_page(request, state))
    return parts_response(request, found)


def filter_of(request: HttpRequest) -> Filter:
    given = request.GET
    return Filter(
        q=given.get("q", "").strip()[:200],
        urgent="urgent" in given,
        stale="stale" in given,
        agent=given.get("agent", ""),
        older="older" in given,
    )


def board_context(request: HttpRequest, state: State, **more: Any) -> dict[str, Any]:
    """Everything a board page shows; the tag stands for what its lanes say."""
    now = clock.now()
    chosen = filter_of(request)
    found: dict[str, Any] = {
        "goal": state.goal,
        "page": "board",
        "board": board_of(state, now, chosen),
        "filters": chosen,
        "query": request.GET.urlencode(),
        "search_url": reverse("goal", args=[state.goal.slug]),
        "filter_links": _filter_links(request),
        "agent_links": _agent_links(request, state),
        "quota": meter_of(state, now),
        **more,
    }
    parts = lane_parts(request, found)
    return found | {"parts": parts, "ptag": ptag_of(parts)}


def _filter_links(request: HttpRequest) -> list[dict[str, Any]]:
    labels = {"urgent": _("Urgent"), "stale": _("Stale")}
    return [_link(request, name, "1", label) for name, label in labels.items()]


def _agent_links(request: HttpRequest, state: State) -> list[dict[str, Any]]:
    return [_link(request, "agent", name, name) for name in sorted(state.members)]


def _link(request: HttpRequest, name: str, value: str, label: str) -> dict[str, Any]:
    """A link that switches one filter and keeps the others."""
    rest = {key: request.GET[key] for key in request.GET if key != name}
    on = request.GET.get(name) == value
    query = urlencode(rest if on else rest | {name: value})
    return {"url": f"?{query}" if query else request.path, "on": on, "label": label}
