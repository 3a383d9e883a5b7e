"""The log as people read it: one entry per event, newest first, under days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from kanban.kernel.codec import decode_rows
from kanban.kernel.event import Event
from kanban.kernel.present import option_label
from kanban.kernel.state import State
from kanban.queries.question import worded

QUIET = frozenset({"turn.renewed", "lease.renewed"})
ACTORS = ("person", "agent", "system")


@dataclass(frozen=True, slots=True)
class Entry:
    version: int
    at: datetime
    actor: str
    kind: str
    subject: str
    title: str = ""
    agent: str = ""
    detail: str = ""
    quotes: tuple[str, ...] = ()

    @property
    def person(self) -> bool:
        return self.actor.startswith("person:")


@dataclass(frozen=True, slots=True)
class Day:
    at: datetime
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    days: tuple[Day, ...]
    older: int = 0  # the version to go on from, 0 when there is no more
    by: str = ""


def timeline_of(state: State, events: Iterable[Event], *, by: str = "", older: int = 0) -> Timeline:
    entries = [entry_of(state, event) for event in events if event.kind not in QUIET]
    shown = [entry for entry in entries if not by or actor_kind(entry.actor) == by]
    return Timeline(days_of(shown), older, by)


def days_of(entries: Iterable[Entry]) -> tuple[Day, ...]:
    return tuple(
        Day(held[0].at, held)
        for _, group in groupby(entries, key=lambda entry: entry.at.date())
        if (held := tuple(group))
    )


def actor_kind(actor: str) -> str:
    return actor.partition(":")[0]


def entry_of(state: State, event: Event) -> Entry:
    rows = decode_rows(event.data, event.texts)
    fields = _own_fields(rows, event.subject)
    subject = _subject(state, event)
    return Entry(
        version=event.version,
        at=event.at,
        actor=event.actor,
        kind=event.kind,
        subject=subject,
        title=_title(state, subject),
        agent=_agent(state, event, fields),
        detail=_detail(state, event, fields),
        quotes=_quotes(fields),
    )


def _own_fields(rows: Mapping[tuple[str, str], Mapping[str, Any]], subject: str) -> dict[str, Any]:
    for (_, key), fields in rows.items():
        if key == subject:
            return dict(fields)
    return {}


def _subject(state: State, event: Event) -> str:
    """A turn is told by the card it is about."""
    turn = state.turns.get(event.subject)
    return (turn.todo or turn.gap) if turn else event.subject


def _title(state: State, ref: str) -> str:
    if ref in state.todos:
        return state.todos[ref].title
    if ref in state.gates:
        return worded(state, state.gates[ref]).question
    if ref in state.evidence:
        return state.evidence[ref].summary
    return state.criteria[ref].text if ref in state.criteria else ""


def _agent(state: State, event: Event, fields: Mapping[str, Any]) -> str:
    if event.subject in state.members:
        return event.subject
    if event.kind == "gate.received":
        return str((fields.get("received_by") or ("",))[-1])
    return str(fields.get("owner") or fields.get("agent") or "")


def _detail(state: State, event: Event, fields: Mapping[str, Any]) -> str:
    if event.kind == "gate.answered":
        gate = worded(state, state.gates[event.subject])
        option = str(fields.get("option", ""))
        return option_label(gate, option) if option else str(fields.get("outcome", ""))
    return str(fields.get("result") or fields.get("outcome") or "")


def _quotes(fields: Mapping[str, Any]) -> tuple[str, ...]:
    named = ("answer_text", "status_reason", "summary", "rationale", "override_note")
    return tuple(str(fields[name]) for name in named if fields.get(name))
