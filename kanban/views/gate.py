"""Answering a question, taking the answer back, sending it at once."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from kanban.kernel.errors import Conflict
from kanban.kernel.present import answer_label
from kanban.kernel.state import Gate
from kanban.queries import clock
from kanban.queries.states import goal_state
from kanban.transitions.gates import answer_gate, send_now, undo_answer
from kanban.views.access import actor_of, person_required
from kanban.views.changed import Toast, changed

READING = timedelta(seconds=2)


@require_POST
@person_required
def answer(request: HttpRequest, slug: str, ref: str) -> HttpResponse:
    given, now = request.POST, clock.now()
    _refuse_unread(slug, ref, now)
    answer_gate(
        actor_of(request),
        slug,
        ref,
        outcome=given.get("outcome", "chosen"),
        option=given.get("option", "") if given.get("outcome") == "chosen" else "",
        text=given.get("text", ""),
        revision=_whole(given.get("revision", "")),
        now=now,
        key=given.get("key"),
    )
    return changed(request, slug, ref, _answered(slug, ref))


@require_POST
@person_required
def undo(request: HttpRequest, slug: str, ref: str) -> HttpResponse:
    undo_answer(actor_of(request), slug, ref, now=clock.now(), key=request.POST.get("key"))
    told = _("Taken back. The question is open again.")
    return changed(request, slug, ref, Toast(told))


@require_POST
@person_required
def send(request: HttpRequest, slug: str, ref: str) -> HttpResponse:
    send_now(actor_of(request), slug, ref, now=clock.now(), key=request.POST.get("key"))
    return changed(request, slug, ref, Toast(_("Sent. Agents have the answer now.")))


def _refuse_unread(slug: str, ref: str, now: datetime) -> None:
    """The live page puts new wording under the hand: what has just come was not what was read."""
    gate = goal_state(slug, now).gates.get(ref)
    if gate is None or gate.revision == 1 or gate.revised_at is None or gate.answered_at:
        return
    if now - gate.revised_at < READING:
        raise Conflict(
            "gate_changed",
            f"{ref} was reworded a moment ago: {gate.question}",
            "Read the new wording, then answer.",
            revision=gate.revision,
            question=gate.question,
        )


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _answered(slug: str, ref: str) -> Toast:
    gate = goal_state(slug, clock.now()).gates[ref]
    return Toast(
        text=_said(gate),
        detail=_("You can take it back for a moment; agents get it after that."),
        until=gate.effective_at,
        undo_url=reverse("undo", args=[slug, ref]),
    )


def _said(gate: Gate) -> str:
    if gate.outcome == "needs_info":
        return _("Asked back")
    if gate.outcome == "rejected":
        return _("Answered: no")
    return _("Answered: {answer}").format(answer=answer_label(gate) or gate.answer_text[:80])
