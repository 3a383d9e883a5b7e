"""A goal's state while one transition works on it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kanban.kernel.actor import Actor
from kanban.kernel.errors import missing
from kanban.kernel.state import TABLES, Change, Gate, RowKey, State, Todo, apply


class Draft:
    """Holds the state, the moment and the actor; every recorded change is applied at once.

    Rules read `draft.state` and record changes; nothing here does I/O. The store writes
    `draft.changes` and the rows they touched.
    """

    def __init__(self, state: State, *, now: datetime, actor: Actor) -> None:
        self.before = state
        self.state = state
        self.now = now
        self.actor = actor
        self.changes: list[Change] = []

    def record(
        self,
        kind: str,
        subject: str,
        rows: Mapping[RowKey, Mapping[str, Any]],
        *,
        actor: Actor | None = None,
        at: datetime | None = None,
    ) -> None:
        moment = max(at or self.now, self.state.goal.updated_at or at or self.now)
        change = Change(kind, subject, str(actor or self.actor), moment, rows)
        self.state = apply(self.state, change)
        self.changes.append(change)

    def record_one(self, kind: str, row: RowKey, /, **fields: Any) -> None:
        self.record(kind, row[1] or self.state.goal.slug, {row: fields})

    def next_ref(self, name: str) -> str:
        """The next free reference of a kind of object, such as T13; never given out twice."""
        letter = {"criterion": "A", "todo": "T", "gate": "G", "evidence": "E", "entry": "Q"}[name]
        return f"{letter}{getattr(self.state.goal, TABLES[name].counter) + 1}"

    def todo(self, ref: str) -> Todo:
        try:
            return self.state.todos[ref]
        except KeyError:
            raise missing("todo", ref) from None

    def gate(self, ref: str) -> Gate:
        try:
            return self.state.gates[ref]
        except KeyError:
            raise missing("question", ref) from None
