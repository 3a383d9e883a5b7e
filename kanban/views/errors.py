"""A refusal as people read it: what happened, which fact, what is safe, what next."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

from kanban.kernel.errors import LoopxError

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
log = logging.getLogger("kanban.views")


@dataclass(frozen=True, slots=True)
class Problem:
    title: str
    what: str
    fact: str
    next: str
    back: str
    back_label: str
    kept: tuple[tuple[str, str], ...] = ()


def refused(view: View[P]) -> View[P]:
    """Turns a LoopxError of the view into its status and a page, or a toast for htmx."""

    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except LoopxError as error:
            return render_refusal(request, error)

    return answered


def render_refusal(request: HttpRequest, error: LoopxError) -> HttpResponse:
    problem = problem_of(request, error)
    if request.headers.get("HX-Request"):
        shown = {"text": problem.what, "detail": f"{problem.fact} {problem.next}".strip()}
        found = shown | {"tone": "error"}
        return _as_toast(render(request, "_toast.html", found, status=error.status))
    return render(request, "refused.html", {"problem": problem}, status=error.status)


def _as_toast(response: HttpResponse) -> HttpResponse:
    response["HX-Retarget"] = "#toasts"
    response["HX-Reswap"] = "innerHTML"
    response["HX-Push-Url"] = "false"
    return response


def problem_of(request: HttpRequest, error: LoopxError) -> Problem:
    what, following = (gettext(words) if words else "" for words in _TOLD.get(error.code, _OTHER))
    # The kernel speaks English; where the reader does not, the translated words stand alone.
    english = (get_language() or "en").startswith("en")
    kept = tuple(
        (name, value)
        for name in ("text", "note", "title", "objective")
        if isinstance(value := request.POST.get(name), str) and value
    )
    return Problem(
        title=gettext("Not done"),
        what=what,
        fact=error.detail if english else "",
        next=following if following or not english else error.hint,
        back=request.headers.get("Referer", "") or "/",
        back_label=gettext("Back"),
        kept=kept,
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for a fault of ours, with a reference that the log has too."""
    reference = uuid.uuid4().hex[:8]
    log.error("internal error %s at %s", reference, request.path)
    if request.headers.get("HX-Request"):
        told = gettext("Something went wrong here. What you wrote is still in the form.")
        found = {"text": told, "detail": f"{gettext('Reference')} {reference}", "tone": "error"}
        return _as_toast(render(request, "_toast.html", found, status=500))
    return render(request, "500.html", {"reference": reference}, status=500)


# What happened and what next, for each code that a person can meet on the board.
_TOLD = {
    "already_answered": (
        _("Somebody has answered this question already."),
        _("Open it to see the answer."),
    ),
    "already_claimed": (_("Somebody holds this card."), _("Release it first, or wait.")),
    "busy": (_("Too many writers at once."), _("Nothing was changed; send it again.")),
    "check_required": (
        _("This card has a check that must pass first."),
        _("Say why it is done all the same, or let an agent run the check."),
    ),
    "continuation_required": (
        _("It was not said what comes next."),
        _("Say why nothing follows, or add a card that does."),
    ),
    "cycle": (_("The card would wait for itself."), _("Choose another card to wait for.")),
    "evidence_required": (
        _("A card is not done without proof."),
        _("Say why it is done all the same."),
    ),
    "gate_changed": (
        _("The question was reworded while you were reading."),
        _("Read the new wording, then answer."),
    ),
    "gate_ended": (_("This question is over."), _("Ask a new one that follows it.")),
    "gate_open": (
        _("It waits for your answer."),
        _("Answer the question; the card becomes ready by itself."),
    ),
    "goal_not_active": (
        _("The goal is not active."),
        _("A paused goal can be resumed; a closed one stays closed."),
    ),
    "human_required": (_("You may not do this."), _("Ask the owner.")),
    "idempotency_mismatch": (
        _("This form was sent before with other content."),
        _("Open the page again and send it anew."),
    ),
    "invalid": (_("Something is missing or does not fit."), ""),
    "not_found": (_("It is not there."), _("It may belong to another goal.")),
    "not_owner": (_("Somebody else answered this question."), _("Only they can take it back.")),
    "not_runnable": (_("The card cannot be moved there now."), ""),
    "stale_version": (
        _("The card changed while you were reading."),
        _("Look at it again, then decide."),
    ),
    "todo_closed": (_("The card is closed already."), _("Open it again first.")),
    "undo_over": (
        _("The time to take the answer back is over."),
        _("Ask a new question that follows it."),
    ),
    "vague_question": (_("The question names nothing to decide."), ""),
}
_OTHER = (_("That is not possible now."), _("Nothing was changed."))
