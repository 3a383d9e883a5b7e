"""The states a page is made of: one goal's, every goal's, and the tail of a log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from kanban.kernel.event import Event
from kanban.kernel.schedule import next_instant
from kanban.kernel.state import State
from kanban.models import Event as EventRow
from kanban.models import Goal
from kanban.queries.events import event_of, goal_events
from kanban.queries.inbox import GoalName, goal_name
from kanban.queries.snapshot import goal_slugs, settled

OPEN = ("active", "paused")
CARD_EVENTS = 200


def goal_state(slug: str, now: datetime) -> State:
    """The goal as every reader sees it now; raises `not_found`."""
    return settled(slug, now)


def all_states(now: datetime) -> list[State]:
    return [settled(slug, now) for slug in goal_slugs()]


def open_states(now: datetime) -> list[State]:
    """Goals that are not over, newest first."""
    return [state for state in all_states(now) if state.goal.status in OPEN]


def newest_events(slug: str, version: int, limit: int) -> list[Event]:
    """Up to `limit` events ending with `version`, newest first."""
    return list(goal_events(slug, since=max(0, version - limit), until=version))[::-1]


def card_events(slug: str, ref: str, turns: set[str]) -> list[Event]:
    """The latest events of one card: about it, about its turns, or touching its row."""
    about = Q(subject=ref) | Q(data__contains=f'/{ref}"') | Q(subject__in=turns)
    rows = EventRow.objects.filter(about, goal__slug=slug).order_by("-version")
    return [event_of(slug, row) for row in rows[:CARD_EVENTS]]


@dataclass(frozen=True, slots=True)
class _Known:
    head: str
    until: datetime | None
    status: str
    name: GoalName


_names: dict[str, _Known] = {}


def goal_names(now: datetime) -> list[GoalName]:
    """The open goals of the switcher; read anew only when a goal or the time has moved on."""
    found: list[GoalName] = []
    rows = Goal.objects.filter(version__gt=0).order_by("-pk").values_list("slug", "head_hash")
    for slug, head in rows:
        known = _names.get(slug)
        stale = known is None or known.head != head or _passed(known.until, now)
        if stale or known is None:
            state = settled(slug, now)
            until = next_instant(state, now)
            known = _Known(head, until, state.goal.status, goal_name(state))
            _names[slug] = known
        if known.status in OPEN:
            found.append(known.name)
    return found


def _passed(until: datetime | None, now: datetime) -> bool:
    return until is not None and until <= now
