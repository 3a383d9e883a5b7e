"""The log in pages, as its readers outside see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from kanban.kernel.codec import FORMS, decode_rows, to_json
from kanban.kernel.event import Event
from kanban.kernel.present import moment
from kanban.models import Event as EventRow
from kanban.queries.events import event_of

JSON = dict[str, Any]

# Stands for an execution key: of no use to others.
HIDDEN = frozenset({"execution"})


@dataclass(frozen=True, slots=True)
class Span:
    """Which events are wanted: versions after `after`, and the ends of the span, included."""

    after: int = 0
    since: int | datetime | None = None
    until: int | datetime | None = None
    kinds: tuple[str, ...] = ()


def events_page(goal: str, span: Span, limit: int) -> list[JSON]:
    """Up to `limit` events, oldest first."""
    wanted = Q(goal__slug=goal, version__gt=span.after)
    if span.since is not None:
        wanted &= Q(**{f"{_column(span.since)}__gte": span.since})
    if span.until is not None:
        wanted &= Q(**{f"{_column(span.until)}__lte": span.until})
    if span.kinds:
        kinds = Q()
        for kind in span.kinds:
            kinds |= Q(kind=kind) if "." in kind else Q(kind__startswith=f"{kind}.")
        wanted &= kinds
    rows = EventRow.objects.filter(wanted).order_by("version")[:limit]
    return [event_json(event_of(goal, row)) for row in rows]


def event_json(event: Event) -> JSON:
    rows = decode_rows(event.data, event.texts)
    return {
        "version": event.version,
        "at": moment(event.at),
        "kind": event.kind,
        "actor": event.actor,
        "subject": event.subject,
        "changes": {
            f"{name}/{key}" if key else name: {
                field: to_json(FORMS[name][field], value)
                for field, value in fields.items()
                if field not in HIDDEN
            }
            for (name, key), fields in rows.items()
        },
        "hash": event.hash,
    }


def _column(end: int | datetime) -> str:
    return "version" if isinstance(end, int) else "at"
