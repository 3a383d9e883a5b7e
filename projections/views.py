"""The pages of projections: how each board stands, what would leave, and the switch."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from kanban.kernel.errors import invalid
from kanban.views.access import actor_of, person_required
from projections import asking
from projections.models import Board
from projections.preview import preview as preview_of

ACTIONS = ("sync", "doctor", "setup")


@require_safe
@person_required
def projections(request: HttpRequest) -> HttpResponse:
    boards = Board.objects.prefetch_related("watches")
    lines = [{"board": board, "facts": asking.present(board)} for board in boards]
    return render(request, "projections/projections.html", {"lines": lines, "page": "projections"})


@require_safe
@person_required
def projection(request: HttpRequest, slug: str) -> HttpResponse:
    board = asking.get(slug)
    context = {
        "board": board,
        "facts": asking.present(board),
        "requests": board.requests.all()[:5],
        "page": "projections",
    }
    return render(request, "projections/projection.html", context)


@require_safe
@person_required
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    board = asking.get(slug)
    context = {"board": board, "preview": preview_of(board, timezone.now()), "page": "projections"}
    return render(request, "projections/preview.html", context)


@require_POST
@person_required
def act(request: HttpRequest, slug: str) -> HttpResponse:
    """Sync, doctor or set-up now, or the switch; the worker does it and the page shows how."""
    actor, action = actor_of(request), request.POST.get("action", "")
    if action in ("on", "off"):
        asking.switch(actor, slug, on=action == "on")
    elif action in ACTIONS:
        asking.ask(actor, slug, action, now=timezone.now(), execute=True)
    else:
        raise invalid(_("This page does not know that action."))
    return redirect("projection", slug)
