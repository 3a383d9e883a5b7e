"""What an opened card shows: the view data of the drawer plus its labels and links."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from kanban.kernel.event import Event
from kanban.kernel.state import State
from kanban.queries import clock
from kanban.queries.drawer import GateDrawer, TodoDrawer, gate_drawer, todo_drawer, turns_of
from kanban.queries.moves import moves_of
from kanban.queries.states import card_events
from kanban.views import facts, move_words


def todo_opened(request: HttpRequest, state: State, ref: str) -> dict[str, Any]:
    view = todo_drawer(state, ref, _events(state, ref), clock.now())
    moves = moves_of(state, view.todo, view.card)
    asked = next((m for m in moves if m.asks and m.to == request.GET.get("move")), None)
    return _plain(view) | {
        "url": reverse("todo", args=[state.goal.slug, ref]),
        "move_url": reverse("move", args=[state.goal.slug, ref]),
        "moves": [move_words.labelled(move, view.card) for move in moves],
        "move_form": move_words.form_of(state, asked, view.todo, clock.now()) if asked else None,
        "menu_open": request.GET.get("menu") == "open",
        "facts": facts.todo_facts(state, view.todo),
    }


def gate_opened(request: HttpRequest, state: State, ref: str) -> dict[str, Any]:
    view = gate_drawer(state, ref, _events(state, ref), clock.now())
    mine = view.answered_by == f"person:{request.user.get_username()}"
    return _plain(view) | {
        "url": reverse("gate", args=[state.goal.slug, ref]),
        "can_undo": view.provisional and mine,
        "answer_label": _answer_label(view),
        "draft": {"option": request.POST.get("option"), "text": request.POST.get("text", "")},
    }


def opened_on_page(request: HttpRequest, state: State) -> dict[str, Any] | None:
    """The drawer that stands open in the page an htmx request comes from."""
    path = (request.headers.get("HX-Current-URL") or "").split("?")[0].partition("/goals/")[2]
    try:
        match = resolve(f"/goals/{path}")
    except Resolver404:
        return None
    ref = match.kwargs.get("ref", "")
    if match.kwargs.get("slug") != state.goal.slug:
        return None
    if match.url_name == "todo" and ref in state.todos:
        return todo_opened(request, state, ref)
    if match.url_name == "gate" and ref in state.gates:
        return gate_opened(request, state, ref)
    return None


def _events(state: State, ref: str) -> list[Event]:
    return card_events(state.goal.slug, ref, turns_of(state, ref))


def _plain(view: TodoDrawer | GateDrawer) -> dict[str, Any]:
    found = {field.name: getattr(view, field.name) for field in fields(view)}
    names = ("template", "mark", "answerable", "provisional", "sent_back", "settled")
    return found | {name: getattr(view, name) for name in names if hasattr(view, name)}


def _answer_label(view: GateDrawer) -> str:
    if view.answer:
        return view.answer
    return {
        "rejected": _("Said no"),
        "needs_info": _("You asked back"),
        "chosen": _("An answer in words"),
    }.get(view.outcome, "–")
