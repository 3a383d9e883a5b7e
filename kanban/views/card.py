"""A card opened: as a drawer over the board, as a fragment for htmx, or as a page of its own."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kanban.kernel.state import State
from kanban.queries import clock
from kanban.queries.states import goal_state
from kanban.views.access import person_required
from kanban.views.board import board_context
from kanban.views.opened import gate_opened, todo_opened


@require_safe
@person_required
def todo(request: HttpRequest, slug: str, ref: str) -> HttpResponse:
    state = goal_state(slug, clock.now())
    return show(request, state, todo_opened(request, state, ref))


@require_safe
@person_required
def gate(request: HttpRequest, slug: str, ref: str) -> HttpResponse:
    state = goal_state(slug, clock.now())
    return show(request, state, gate_opened(request, state, ref))


def show(
    request: HttpRequest, state: State, drawer: dict[str, Any], status: int = 200
) -> HttpResponse:
    found = {"goal": state.goal, "drawer": drawer}
    if request.headers.get("HX-Request-Type") == "partial":
        return render(request, drawer["template"], found, status=status)
    if request.GET.get("view") == "page":
        return render(request, "card_page.html", found, status=status)
    return render(
        request, "board.html", board_context(request, state, drawer=drawer), status=status
    )
