"""What templates need to speak: icons, marks, monograms, addresses, and the words of the views."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from kanban.views import clock_words, events, labels, quota_words, sentences, why_words

register = template.Library()

for _words in (
    sentences.actor_name,
    sentences.chip_words,
    sentences.gate_cost,
    sentences.goal_words,
    sentences.idle_words,
    sentences.inbox_words,
    sentences.minutes,
    sentences.sentence,
    sentences.standing,
    labels.evidence_kind,
    labels.figures,
    labels.freshness,
    labels.gate_kind,
    labels.gate_status,
    labels.group_label,
    labels.is_void,
    labels.lane_empty,
    labels.lane_label,
    labels.lane_tip,
    labels.undo_words,
    labels.verdict_icon,
    labels.verdict_label,
    labels.verdict_mark,
    quota_words.money,
    quota_words.quota_headline,
    quota_words.quota_words,
    quota_words.slots_words,
    quota_words.thousands,
    quota_words.window_words,
    why_words.fact_words,
    why_words.reason_short,
    why_words.reason_words,
    why_words.remedy_words,
    why_words.rule_question,
    why_words.why_headline,
    events.event_words,
):
    register.filter(_words.__name__, _words)


_MARKS = {
    "needs_you": ("needs", "needs"),
    "needs-open": ("needs", "needs-open"),
    "dropped": ("none", "close"),
}


@register.simple_tag
def icon(name: str) -> SafeString:
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def mark(name: str) -> SafeString:
    """A state mark: its shape says the state, its colour repeats it."""
    tone, shape = _MARKS.get(name, (name, name))
    return format_html(
        '<svg class="mark mark-{}" aria-hidden="true"><use href="#i-{}"/></svg>', tone, shape
    )


@register.simple_tag
def clock(at: datetime | None, form: str) -> SafeString | str:
    return clock_words.moment(at, form)


@register.simple_tag
def form_key() -> SafeString:
    """One key per rendered form: sending it twice writes once."""
    return format_html('<input type="hidden" name="key" value="{}">', uuid.uuid4().hex)


@register.simple_tag
def card_url(goal: Any, card: Any) -> str:
    """The address of a card of a goal; questions have their own."""
    ref = card if isinstance(card, str) else card.ref
    return reverse("gate" if ref.startswith("G") else "todo", args=[goal.slug, ref])


@register.filter
def monogram(name: str) -> str:
    """Two letters for a name: codex-2 is C2, pi-eval is PE, 主 stays 主."""
    parts = [part for part in name.replace("_", "-").replace(" ", "-").split("-") if part]
    if not parts:
        return "–"
    if not parts[0][0].isascii():
        return parts[0][0]
    letters = parts[0][:2] if len(parts) == 1 else parts[0][0] + parts[-1][0]
    return letters.upper()
