"""What the live hub reads: how far every goal is, and when time alone will change one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, models
from django.db.models import Min, Q

from kanban.kernel.conditions import condition_instant
from kanban.models import Evidence, Gate, Goal, Member, Policy, Todo, Turn

SQLITE_PROBE = 0.05  # a probe costs microseconds there
SWEEP = 2.0  # PostgreSQL: the versions themselves are read

# Columns that hold an instant, and when it counts.
MOMENTS: tuple[tuple[type[models.Model], str, Q], ...] = (
    (Todo, "lease_until", Q()),
    (Todo, "next_due_at", Q(kind="monitor", status="open")),
    (Turn, "lease_until", Q(status="live")),
    (Turn, "ends_by", Q(status="live")),
    (Gate, "effective_at", Q(status="provisional")),
    (Gate, "expire_at", Q(status__in=("open", "sent_back"))),
    (Evidence, "valid_until", Q(expired=False, invalidated_at=None)),
    (Member, "limited_until", Q()),
    (Policy, "burst_until", Q()),
)


@dataclass(frozen=True, slots=True)
class Head:
    number: int
    version: int


def interval() -> float:
    """Seconds between two looks for what other processes wrote."""
    return SQLITE_PROBE if connection.vendor == "sqlite" else SWEEP


def mark() -> object:
    """Another value once any other connection has written; None where only `heads` can tell."""
    if connection.vendor != "sqlite":
        return None
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        version: int = cursor.fetchone()[0]
    # The figure means something on one connection only, so that belongs to the mark.
    return (connection.connection, version)


def heads() -> dict[str, Head]:
    rows = Goal.objects.order_by("pk").values_list("slug", "pk", "version")
    return {slug: Head(number, version) for slug, number, version in rows}


def instants(now: datetime) -> dict[str, datetime]:
    """The next known instant of each open goal that has one."""
    found: dict[str, datetime] = {}
    for goal, at in (*_column_instants(now), *_condition_instants()):
        if at > now and (goal not in found or at < found[goal]):
            found[goal] = at
    return found


def _column_instants(now: datetime) -> Iterator[tuple[str, datetime]]:
    for model, column, counts in MOMENTS:
        later = Q(**{f"{column}__gt": now}) & counts & Q(goal__closed_at=None)
        rows = model._default_manager.filter(later).order_by().values_list("goal__slug")
        yield from rows.annotate(at=Min(column))


def _condition_instants() -> Iterator[tuple[str, datetime]]:
    waiting = Todo.objects.filter(status__in=("deferred", "blocked"), goal__closed_at=None)
    for goal, resume_when, blocked_on in waiting.order_by().values_list(
        "goal__slug", "resume_when", "blocked_on"
    ):
        for condition in (resume_when, (blocked_on or {}).get("until")):
            if at := condition_instant(condition):
                yield goal, at
