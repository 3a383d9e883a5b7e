"""Moves in words: the menu's lines, and the small form that a move asks for."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from kanban.kernel.frontier import CLOSED
from kanban.kernel.state import State, Todo
from kanban.queries.card import Card
from kanban.queries.moves import Move
from kanban.views.clock_words import duration
from kanban.views.labels import lane_label

WAITS = (timedelta(hours=1), timedelta(hours=4), timedelta(days=1), timedelta(days=7))


def labelled(move: Move, card: Card) -> dict[str, Any]:
    label = _("Drop it") if move.to == "dropped" else lane_label(move.to)
    return {
        "to": move.to,
        "label": f"{label}…" if move.asks else label,
        "help": _help(move, card),
        "asks": move.asks,
        "possible": move.possible,
    }


def _help(move: Move, card: Card) -> str:
    holder = card.who.name if card.who else _("the agent")
    return {
        "release": _("Takes the card from {who}; a turn under way ends").format(who=holder),
        "resume": _("Takes it up again now"),
        "unblock": _("Says that nothing blocks it any more"),
        "check": _("Becomes ready by itself when nothing holds it up"),
        "reopen": _("Opens it again; asks why"),
        "return": _("Sends it back; asks why"),
        "accept": _("Accepts what was handed in"),
        "defer": _("Asks until when, or for what"),
        "complete": _("Asks why it is done"),
        "drop": _("Asks why; the card stays in the timeline"),
        "never": _("Not by hand: only a question puts a card there"),
    }[move.code]


def form_of(state: State, move: Move, todo: Todo, now: datetime) -> dict[str, Any]:
    if move.code == "defer":
        return _defer_form(state, todo, now)
    question, action, following = {
        "reopen": (_("Why is it open again?"), _("Open again"), _("Agents read it.")),
        "return": (_("What is missing?"), _("Send back"), _("The author reads it.")),
        "complete": (
            _("Why is it done?"),
            _("Mark as done"),
            _("A card is done by proof, or by your word: it stays in the timeline."),
        ),
        "drop": (_("Why is it not needed?"), _("Drop the card"), _("It stays in the timeline.")),
    }[move.code]
    title = _("Drop it") if move.to == "dropped" else _move_to(move.to)
    return {
        "to": move.to,
        "title": title,
        "question": question,
        "action": action,
        "help": following,
        "note": "",
    }


def _defer_form(state: State, todo: Todo, now: datetime) -> dict[str, Any]:
    others = [
        {"value": other.ref, "label": f"{other.ref} {other.title}"}
        for other in state.todos.values()
        if other.status not in CLOSED and other.ref != todo.ref
    ]
    return {
        "to": "waiting",
        "title": _move_to("waiting"),
        "choices": [
            # An instant, not a span: the same form sent twice says the same.
            {
                "value": (now + span).isoformat(),
                "label": _("For {time}").format(time=duration(span.total_seconds())),
            }
            for span in WAITS
        ],
        "cards": others,
        "action": _("Let it wait"),
    }


def _move_to(lane: str) -> str:
    return _("Move to {lane}").format(lane=lane_label(lane))
