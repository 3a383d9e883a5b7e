"""A card as an audience may see it: allowed fields only, scrubbed, in the board's language."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.translation import gettext, override
from django.utils.translation import gettext_noop as _

from kanban.kernel.present import A_PERSON
from kanban.queries.projected import ProjectedCard
from projections.columns import KINDS, LANES, PRIORITIES
from projections.scrub import LABELS, scrub
from projections.sink import Value

# Which columns carry which field of a card. A field that is no key here is never sent; a test
# holds this table against the fields of ProjectedCard.
CARRIED_BY: Final[dict[str, tuple[str, ...]]] = {
    "goal": ("key", "goal"),
    "ref": ("key",),
    "kind": ("kind",),
    "title": ("title",),
    "lane": ("status",),
    "priority": ("priority", "rank"),
    "rank": ("rank",),
    "owner": ("owner",),
    "question": ("question",),
    "options": ("question",),
    "answer": ("answer",),
    "rejected": ("answer",),
    "waits_for": ("waits_for",),
    "verdict": ("evidence",),
    "fresh": ("evidence",),
    "evidence": ("evidence",),
    "handoff": ("handoff",),
    "updated": ("updated",),
}
# The key and the choices are ours, so nothing in them can be private.
PLAIN: Final = frozenset({"key", "kind", "status", "priority", "updated", "rank"})
OUTSIDE: Final = PLAIN | {"title", "question", "answer", "goal"}
AUDIENCES: Final[dict[str, frozenset[str]]] = {
    "stakeholder": OUTSIDE | {"owner", "waits_for", "evidence", "handoff"},
    "outside": OUTSIDE,
}
# Moves with every renewal of a lease; alone it is no reason to write.
UNCOMPARED: Final = frozenset({"updated"})

VERDICTS: Final = {
    "supports": _("supports"),
    "contradicts": _("contradicts"),
    "inconclusive": _("inconclusive"),
}
WITHHELD: Final = _("withheld")
CELL_LIMIT: Final = 20_000
FORMULA: Final = re.compile(r"^\s*(?:[=@]|[+\-](?=[\w(=@.]))")


@dataclass(frozen=True, slots=True)
class Rendered:
    """One row as it may leave: its cells by column, what was withheld from it, its fingerprint."""

    key: str
    goal: str
    cells: dict[str, Value]
    withheld: tuple[tuple[str, str], ...]  # (column, kind of secret)
    digest: str


def render(card: ProjectedCard, audience: str, language: str) -> Rendered:
    with override(language):
        return _render(card, AUDIENCES[audience])


def render_all(cards: list[ProjectedCard], audience: str, language: str) -> dict[str, Rendered]:
    allowed = AUDIENCES[audience]
    with override(language):
        return {row.key: row for row in (_render(card, allowed) for card in cards)}


def _render(card: ProjectedCard, allowed: frozenset[str]) -> Rendered:
    cells: dict[str, Value] = {}
    withheld: list[tuple[str, str]] = []
    for column, cell in CELLS.items():
        value = cell(card) if column in allowed else None
        if isinstance(value, str) and column not in PLAIN:
            value, kinds = _safe(value)
            withheld += [(column, kind) for kind in kinds]
        cells[column] = value
    return Rendered(key_of(card), card.goal, cells, tuple(withheld), digest(cells))


def key_of(card: ProjectedCard) -> str:
    return f"{card.goal}/{card.ref}"


def _safe(value: str) -> tuple[str, tuple[str, ...]]:
    clean = scrub(value, lambda kind: f"[{gettext(WITHHELD)}: {gettext(LABELS[kind])}]")
    text = clean.text[:CELL_LIMIT]
    return (f"'{text}" if FORMULA.match(text) else text), clean.kinds


def digest(cells: dict[str, Value]) -> str:
    compared = {
        column: value.isoformat() if isinstance(value, datetime) else value
        for column, value in cells.items()
        if column not in UNCOMPARED and value not in (None, "")
    }
    text = json.dumps(compared, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _question(card: ProjectedCard) -> str:
    return "\n".join([card.question, *(f"• {option}" for option in card.options)]).strip()


def _answer(card: ProjectedCard) -> str:
    return ": ".join(filter(None, [gettext("No") if card.rejected else "", card.answer]))


def _evidence(card: ProjectedCard) -> str:
    if not card.verdict:
        return ""
    standing = gettext("fresh") if card.fresh else gettext("expired")
    verdict = gettext(VERDICTS.get(card.verdict, card.verdict))
    return f"{verdict} ({standing}): {card.evidence}"


def _waits_for(card: ProjectedCard) -> str:
    return ", ".join(gettext(name) if name == A_PERSON else name for name in card.waits_for)


def _priority(card: ProjectedCard) -> str | None:
    return None if card.priority is None else gettext(PRIORITIES[card.priority][0])


def _rank(card: ProjectedCard) -> str:
    return f"{card.priority or 0}·{card.rank}"


CELLS: Final[dict[str, Callable[[ProjectedCard], Value]]] = {
    "key": key_of,
    "title": lambda card: card.title,
    "kind": lambda card: gettext(KINDS[card.kind][0]),
    "status": lambda card: gettext(LANES[card.lane][0]),
    "priority": _priority,
    "owner": lambda card: card.owner,
    "question": _question,
    "answer": _answer,
    "waits_for": _waits_for,
    "evidence": _evidence,
    "handoff": lambda card: card.handoff,
    "updated": lambda card: card.updated,
    "goal": lambda card: card.goal,
    "rank": _rank,
}
