"""The fixed words of the board: lanes, groups, kinds, states of questions and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext as _

from kanban.kernel.state import Evidence
from kanban.views.clock_words import moment

FIGURES = 4


def lane_label(lane: str) -> str:
    return {
        "needs_you": _("Needs you"),
        "ready": _("Ready"),
        "working": _("Working"),
        "waiting": _("Waiting"),
        "done": _("Done"),
    }[lane]


def lane_tip(lane: str) -> str:
    return {
        "needs_you": _(
            "Questions and tasks only a person can settle. Sorted by what waiting costs."
        ),
        "ready": _("Can start now. The order here is the priority."),
        "working": _("An agent holds the card. The limit is a reminder, not a block."),
        "waiting": _("Waits for a date, a change elsewhere, another card or an answer."),
        "done": _("Finished in the last 14 days."),
    }[lane]


def lane_empty(lane: str) -> str:
    first, second = {
        "needs_you": (_("Nothing needs you."), _("Questions from agents show up here.")),
        "ready": (_("No work yet."), _("Add a card, or let an agent propose some.")),
        "working": (_("Nobody is at work."), _("A card is here while an agent holds it.")),
        "waiting": (_("Nothing waits."), _("Cards with a date or a blocker rest here.")),
        "done": (_("Nothing finished yet."), _("Finished cards stay for 14 days.")),
    }[lane]
    return format_html("<strong>{}</strong>{}", first, second)


def group_label(group: str) -> str:
    return {
        "scheduled": _("Scheduled"),
        "watching": _("Watching"),
        "gated": _("Waits for an answer"),
        "blocked": _("Blocked"),
    }[group]


def gate_kind(kind: str) -> str:
    return {
        "direction": _("direction"),
        "write_scope": _("where to write"),
        "resource": _("resources"),
        "production": _("production"),
        "publish": _("publishing"),
        "private_read": _("private data"),
        "risk": _("risk"),
        "closure": _("closing the goal"),
        "other": _("other"),
    }.get(kind, kind)


def gate_status(status: str) -> str:
    return {
        "open": _("Needs you · open"),
        "provisional": _("Answered · can be taken back"),
        "sent_back": _("Sent back"),
        "chosen": _("Answered"),
        "rejected": _("Answered: no"),
        "expired": _("Ran out without an answer"),
        "withdrawn": _("Withdrawn"),
    }.get(status, status)


def undo_words(drawer: Mapping[str, Any]) -> str:
    return format_html(
        _("Agents still see the question as open; they get the answer in {left}."),
        left=moment(drawer["effective_at"], "left"),
    )


def priority_label(priority: int) -> str:
    return [_("Urgent"), _("High"), _("Normal"), _("Low")][priority]


def todo_kind(kind: str) -> str:
    return {
        "advancement": _("Work"),
        "monitor": _("Watching"),
        "user_action": _("Task for a person"),
    }.get(kind, kind)


def evidence_kind(kind: str) -> str:
    return {
        "test": _("test"),
        "metric": _("metric"),
        "diff": _("diff"),
        "url": _("link"),
        "pull_request": _("pull request"),
        "log": _("log"),
        "note": _("note"),
        "decision": _("decision"),
        "artifact": _("artifact"),
    }.get(kind, kind)


def is_void(item: Evidence) -> bool:
    return item.expired or item.invalidated_at is not None


def figures(item: Evidence) -> str:
    """The first few plain figures of a piece of evidence."""
    plain = [(k, v) for k, v in item.data.items() if isinstance(v, str | int | float)]
    return ", ".join(f"{name} = {value}" for name, value in plain[:FIGURES])


def verdict_mark(item: Evidence) -> str:
    if is_void(item):
        return "mark-none"
    return {"supports": "mark-done", "contradicts": "mark-bad"}.get(item.verdict, "mark-ready")


def verdict_icon(item: Evidence) -> str:
    if is_void(item):
        return "i-waiting"
    return {"supports": "i-done", "contradicts": "i-close"}.get(item.verdict, "i-ready")


def verdict_label(item: Evidence) -> str:
    if item.invalidated_at:
        return _("Withdrawn")
    if item.expired:
        return _("Ran out")
    named = {"supports": _("Supports"), "contradicts": _("Contradicts")}
    return named.get(item.verdict, _("Not conclusive"))


def freshness(item: Evidence) -> str:
    """How long a piece of evidence still counts, in words."""
    if item.invalidated_at:
        text = _("withdrawn: {reason}").format(reason=item.invalidated_reason or "–")
        return format_html('<span class="expired">{}</span>', text)
    if item.expired:
        words = format_html(_("ran out {age} ago"), age=moment(item.valid_until, "age"))
        return format_html('<span class="expired">{}</span>', words)
    if item.valid_until is None:
        return format_html('<span class="fresh">{}</span>', _("good until contradicted"))
    words = format_html(_("good until {point}"), point=moment(item.valid_until, "point"))
    return format_html('<span class="fresh">{}</span>', words)
