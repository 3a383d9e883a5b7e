"""Adding a card."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from kanban.kernel.errors import Invalid
from kanban.queries import clock
from kanban.queries.states import goal_state
from kanban.transitions.todos import add_todos
from kanban.views.access import actor_of, person_required
from kanban.views.board import board_context
from kanban.views.forms import CardForm


@require_http_methods(["GET", "POST"])
@person_required
def new_card(request: HttpRequest, slug: str) -> HttpResponse:
    form = CardForm(request.POST or None)
    if form.is_valid():
        try:
            given, key = form.cleaned_data, request.POST.get("key")
            made = add_todos(actor_of(request), slug, [given], now=clock.now(), key=key)
            return _go(request, redirect("todo", slug, made.body["todos"][0]["ref"]))
        except Invalid as error:
            form.add_error(None, error.detail)
    return _show(request, slug, form)


def _show(request: HttpRequest, slug: str, form: CardForm) -> HttpResponse:
    state = goal_state(slug, clock.now())
    status = 422 if form.errors else 200
    drawer = {"template": "_new_card.html", "ref": "", "title": ""}
    if request.headers.get("HX-Request-Type") == "partial":
        found = {"goal": state.goal, "form": form, "drawer": drawer}
        return render(request, "_new_card.html", found, status=status)
    found = board_context(request, state, drawer=drawer, form=form)
    return render(request, "board.html", found, status=status)


def _go(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """htmx follows a redirect as a fragment; the new card needs the whole board."""
    if request.headers.get("HX-Request"):
        response["HX-Redirect"] = response["Location"]
        response.status_code = 200
        del response["Location"]
    return response
