"""Where the cards come from: the kernel's settled state, read through kanban.queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kanban.queries import projected
from kanban.queries.projected import ProjectedCard


@dataclass(frozen=True, slots=True)
class CardSet:
    """All cards of a goal at one version of it."""

    version: int
    cards: list[ProjectedCard]


def card_set(goal: str, now: datetime) -> CardSet | None:
    """None where the goal does not exist (any more)."""
    found = projected.load(goal, now)
    return None if found is None else CardSet(found.version, found.cards)


def version(goal: str) -> int | None:
    return projected.version_of(goal)
