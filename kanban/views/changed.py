"""The answer to a write: the changed parts and a toast, or the way back to a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from kanban.queries import clock
from kanban.queries.states import goal_state
from kanban.views.board import board_context
from kanban.views.opened import opened_on_page
from kanban.views.parts import parts_response
from kanban.views.preferences import next_url


@dataclass(frozen=True, slots=True)
class Toast:
    """One line of fact, one of consequence, and a way back while there is one."""

    text: str
    detail: str = ""
    tone: str = ""
    until: datetime | None = None
    undo_url: str = ""


def changed(request: HttpRequest, slug: str, ref: str, toast: Toast) -> HttpResponse:
    if not request.headers.get("HX-Request"):
        messages.info(request, toast.text)
        page = reverse("gate" if ref.startswith("G") else "todo", args=[slug, ref])
        return redirect(next_url(request, page))
    state = goal_state(slug, clock.now())
    drawer = opened_on_page(request, state)
    found = board_context(request, state, drawer=drawer, toast=asdict(toast))
    return parts_response(request, found)
