"""The log as it stands: history, the chain's check, and replay against the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from kanban.kernel.event import Event
from kanban.kernel.replay import Finding, differences, replay, verify_chain
from kanban.models import Event as EventRow
from kanban.models import Goal
from kanban.queries.reading import one_view
from kanban.queries.snapshot import load

BATCH = 1_000


def goal_events(slug: str, *, since: int = 0, until: int | None = None) -> Iterator[Event]:
    """The events after version `since`, oldest first, read in batches."""
    rows = EventRow.objects.filter(goal__slug=slug, version__gt=since).order_by("version")
    if until is not None:
        rows = rows.filter(version__lte=until)
    for row in rows.iterator(chunk_size=BATCH):
        yield event_of(slug, row)


def verify_goal(slug: str) -> list[Finding]:
    """Checks chain, anchor and replay of one goal; empty when all is in order.

    All of it as of one commit, so that writers at work are no finding.
    """
    with one_view():
        return _verify(slug)


def _verify(slug: str) -> list[Finding]:
    goal = Goal.objects.get(slug=slug)
    broken = verify_chain(goal_events(slug), version=goal.version, head=goal.head_hash)
    if broken:
        return [broken]
    found = differences(replay(slug, goal_events(slug)), load(slug, whole=True).state)
    return [Finding(0, f"the rows differ from the log: {line}") for line in found]


def event_of(slug: str, row: EventRow) -> Event:
    return Event(
        goal=slug,
        version=row.version,
        kind=row.kind,
        actor=row.actor,
        subject=row.subject,
        data=json.loads(row.data),
        texts=json.loads(row.texts),
        at=_utc(row.at),
        request_id=row.request_id,
        prev_hash=row.prev_hash,
        hash=row.hash,
    )


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)
