"""The goal board: five lanes of cards, and one sentence that says where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from kanban.kernel.evidence import unmet_criteria
from kanban.kernel.frontier import UNSETTLED, is_stale
from kanban.kernel.state import State, Todo
from kanban.queries.card import Card, card_of
from kanban.queries.question import GateCard, gate_card, idle_agents

GROUPS = ("scheduled", "watching", "gated", "blocked")
LIMITS = {"needs_you": 5, "working": 4}
DONE_FOR = timedelta(days=14)
HIDDEN = ("superseded", "dropped")
Shown = Card | GateCard
SortKey = Callable[[Card], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Filter:
    """What of the board is shown; all of it stands in the address."""

    q: str = ""
    urgent: bool = False
    stale: bool = False
    agent: str = ""
    older: bool = False

    @property
    def active(self) -> bool:
        return bool(self.q or self.urgent or self.stale or self.agent)

    def takes(self, card: Shown) -> bool:
        if self.q and not all(word in card.words for word in self.q.lower().split()):
            return False
        if self.urgent and not (isinstance(card, Card) and card.priority == 0):
            return False
        if self.stale and not card.stale:
            return False
        who = card.who.name if isinstance(card, Card) and card.who else ""
        asker = card.asked_by if isinstance(card, GateCard) else ""
        return not self.agent or self.agent == who or asker == f"agent:{self.agent}"


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    cards: tuple[Shown, ...]
    level: int = 3


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    groups: tuple[Group, ...]
    count: int
    limit: int = 0
    older: int = 0

    @property
    def over(self) -> bool:
        return bool(self.limit) and self.count > self.limit


@dataclass(frozen=True, slots=True)
class Standing:
    """Who needs what, in figures."""

    questions: int
    tasks: int
    working: int
    waiting_for_you: int
    silent: int
    agents: int
    met: int
    criteria: int
    status: str


@dataclass(frozen=True, slots=True)
class Board:
    lanes: tuple[Lane, ...]
    standing: Standing


def board_of(state: State, now: datetime, wanted: Filter | None = None) -> Board:
    chosen = wanted or Filter()
    todos = [card_of(state, t, now) for t in state.todos.values() if t.status not in HIDDEN]
    gates = [gate_card(state, g, now) for g in state.gates.values() if g.status in UNSETTLED]
    shown = [card for card in todos if chosen.takes(card)]
    lanes = (
        _needs(gates, [card for card in shown if card.lane == "needs_you"], chosen),
        _lane("ready", shown, key=_rank(state)),
        _lane("working", shown, key=lambda card: (card.stale, card.priority, _number(card))),
        _waiting(shown),
        _done(shown, now, chosen),
    )
    return Board(lanes, _standing(state, todos, gates, now))


def _needs(gates: list[GateCard], cards: list[Card], wanted: Filter) -> Lane:
    asked = sorted((g for g in gates if wanted.takes(g)), key=_cost_first)
    # The answers of one question lie open: a wall of open forms helps nobody.
    first = next((gate.ref for gate in asked if gate.status == "open"), "")
    ordered: tuple[Shown, ...] = (
        *(replace(gate, first=gate.ref == first) for gate in asked),
        *sorted(cards, key=lambda card: (card.priority, _number(card))),
    )
    group = (Group("", ordered),) if ordered else ()
    return Lane("needs_you", group, len(ordered), LIMITS["needs_you"])


def _cost_first(gate: GateCard) -> tuple[bool, int, float]:
    since = gate.since.timestamp() if gate.since else 0.0
    return (not gate.blocking, -gate.holds_up, since)


def _lane(name: str, cards: Iterable[Card], *, key: SortKey) -> Lane:
    mine = tuple(sorted((card for card in cards if card.lane == name), key=key))
    return Lane(name, (Group("", mine),) if mine else (), len(mine), LIMITS.get(name, 0))


def _waiting(cards: Iterable[Card]) -> Lane:
    mine = sorted((card for card in cards if card.lane == "waiting"), key=_number)
    groups = tuple(
        Group(name, held, level=4)
        for name in GROUPS
        if (held := tuple(card for card in mine if card.group == name))
    )
    return Lane("waiting", groups, len(mine))


def _done(cards: Iterable[Card], now: datetime, wanted: Filter) -> Lane:
    mine = sorted((card for card in cards if card.lane == "done"), key=_closed, reverse=True)
    recent = tuple(
        card
        for card in mine
        if wanted.older or card.closed_at is None or card.closed_at > now - DONE_FOR
    )
    group = (Group("", recent),) if recent else ()
    return Lane("done", group, len(recent), older=len(mine) - len(recent))


def _standing(state: State, cards: list[Card], gates: list[GateCard], now: datetime) -> Standing:
    active = [member.agent for member in state.members.values() if member.active]
    at_work = {turn.agent for turn in state.turns.values() if turn.status == "live"}
    silent = {t.owner for t in state.todos.values() if t.owner and is_stale(t, now)} - at_work
    open_gates = [gate for gate in gates if gate.status == "open"]
    criteria = [criterion for criterion in state.criteria.values() if not criterion.removed]
    return Standing(
        questions=len(open_gates),
        tasks=sum(card.lane == "needs_you" for card in cards),
        working=len(at_work),
        waiting_for_you=len({n for names in idle_agents(state, now).values() for n in names}),
        silent=len(silent),
        agents=len(active),
        met=len(criteria) - len(unmet_criteria(state)),
        criteria=len(criteria),
        status=state.goal.status,
    )


def _rank(state: State) -> SortKey:
    def key(card: Card) -> tuple[Any, ...]:
        todo: Todo = state.todos[card.ref]
        return (todo.priority, todo.rank, _number(card))

    return key


def _number(card: Card) -> int:
    return int(card.ref[1:])


def _closed(card: Card) -> float:
    return card.closed_at.timestamp() if card.closed_at else 0.0
