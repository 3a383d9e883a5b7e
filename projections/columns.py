"""The tables of a board in the board's language: columns, choices and views."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext, override
from django.utils.translation import gettext_noop as _

from projections.sink import Choice, Column, Table, View

LANES: Final = {
    "needs_you": (_("Needs you"), 1),
    "ready": (_("Ready"), 5),
    "working": (_("Working"), 2),
    "waiting": (_("Waiting"), 10),
    "done": (_("Done"), 4),
}
KINDS: Final = {
    "advancement": (_("Task"), 5),
    "monitor": (_("Watch"), 6),
    "user_action": (_("For a person"), 1),
    "gate": (_("Question"), 3),
}
PRIORITIES: Final = {
    0: (_("P0 urgent"), 0),
    1: (_("P1 high"), 1),
    2: (_("P2 normal"), 10),
    3: (_("P3 low"), 9),
}
CARD_COLUMNS: Final = (
    ("key", _("Key"), "text"),
    ("title", _("Title"), "text"),
    ("kind", _("Kind"), "choice"),
    ("status", _("Status"), "choice"),
    ("priority", _("Priority"), "choice"),
    ("owner", _("Owner"), "text"),
    ("question", _("Question and options"), "text"),
    ("answer", _("Answer"), "text"),
    ("waits_for", _("Waits for"), "text"),
    ("evidence", _("Evidence"), "text"),
    ("handoff", _("Handoff"), "text"),
    ("updated", _("Updated"), "time"),
    ("goal", _("Goal"), "text"),
    ("rank", _("Rank"), "text"),
)


def cards_table(language: str) -> Table:
    with override(language):
        choices = {
            "kind": _choices(KINDS),
            "status": _choices(LANES),
            "priority": _choices(PRIORITIES),
        }
        columns = tuple(
            Column(key, gettext(label), kind, choices.get(key, ()))  # type: ignore[arg-type]
            for key, label, kind in CARD_COLUMNS
        )
        views = (
            View("all", gettext("All cards")),
            View("board", gettext("Board"), "kanban", group_by="status"),
        )
        return Table("cards", gettext("Cards"), columns, views)


def tables(language: str) -> list[Table]:
    return [cards_table(language)]


def _choices(labels: dict[str, tuple[str, int]] | dict[int, tuple[str, int]]) -> tuple[Choice, ...]:
    return tuple(Choice(gettext(label), color) for label, color in labels.values())
