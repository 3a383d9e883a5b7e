"""One card opened: everything the drawer and the card's own page show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kanban.kernel.errors import missing
from kanban.kernel.event import Event
from kanban.kernel.frontier import CLOSED, UNSETTLED
from kanban.kernel.gate import held_up
from kanban.kernel.present import answer_label
from kanban.kernel.state import Evidence, Gate, State, Todo
from kanban.queries.card import Card, card_of, evidence_for
from kanban.queries.question import GateCard, gate_card, worded
from kanban.queries.timeline import Day, days_of, entry_of


@dataclass(frozen=True, slots=True)
class TodoDrawer:
    ref: str
    title: str
    lane: str
    body: str
    card: Card
    todo: Todo
    closed: bool
    closing: str
    evidence: tuple[Evidence, ...]
    days: tuple[Day, ...]

    template = "_todo.html"

    @property
    def mark(self) -> str:
        return self.lane


@dataclass(frozen=True, slots=True)
class GateDrawer:
    ref: str
    title: str
    status: str
    card: GateCard
    asked_at: datetime | None
    why: str
    fallback: str
    outcome: str
    answer: str
    answer_text: str
    answered_by: str
    answered_at: datetime | None
    effective_at: datetime | None
    end_reason: str
    receipts: tuple[str, ...]
    holds: tuple[Card, ...]
    evidence: tuple[Evidence, ...]
    days: tuple[Day, ...]

    template = "_gate_drawer.html"

    @property
    def answerable(self) -> bool:
        return self.status == "open"

    @property
    def provisional(self) -> bool:
        return self.status == "provisional"

    @property
    def sent_back(self) -> bool:
        return self.status == "sent_back"

    @property
    def settled(self) -> bool:
        return self.status not in UNSETTLED

    @property
    def mark(self) -> str:
        return "done" if self.settled else "needs_you"


def todo_drawer(state: State, ref: str, events: Iterable[Event], now: datetime) -> TodoDrawer:
    if ref not in state.todos:
        raise missing("card", ref)
    todo = state.todos[ref]
    card = card_of(state, todo, now)
    return TodoDrawer(
        ref=ref,
        title=todo.title,
        lane=card.lane,
        body=todo.body,
        card=card,
        todo=todo,
        closed=todo.status in CLOSED,
        closing=todo.override_note or todo.rationale or todo.status_reason,
        evidence=tuple(evidence_for(state, ref)),
        days=days_of(entry_of(state, event) for event in events),
    )


def gate_drawer(state: State, ref: str, events: Iterable[Event], now: datetime) -> GateDrawer:
    if ref not in state.gates:
        raise missing("question", ref)
    gate = worded(state, state.gates[ref])
    return GateDrawer(
        ref=ref,
        title=gate.question,
        status=gate.status,
        card=gate_card(state, gate, now),
        asked_at=gate.created_at,
        why=gate.why,
        fallback=gate.fallback,
        outcome=gate.outcome,
        answer=answer_label(gate),
        answer_text=gate.answer_text,
        answered_by=gate.answered_by,
        answered_at=gate.answered_at,
        effective_at=gate.effective_at,
        end_reason=gate.end_reason,
        receipts=gate.received_by,
        holds=tuple(card_of(state, state.todos[held], now) for held in _about(state, gate)),
        evidence=tuple(state.evidence[key] for key in gate.evidence if key in state.evidence),
        days=days_of(entry_of(state, event) for event in events),
    )


def _about(state: State, gate: Gate) -> list[str]:
    if gate.status in UNSETTLED:
        return held_up(state, gate)
    return [ref for ref in gate.blocks_todos if ref in state.todos]


def turns_of(state: State, ref: str) -> set[str]:
    return {turn.id for turn in state.turns.values() if turn.todo == ref}
