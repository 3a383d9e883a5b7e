"""What needs a person, across goals, with what each holds up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from kanban.kernel.frontier import UNSETTLED
from kanban.kernel.lanes import lane_of
from kanban.kernel.state import State
from kanban.queries.board import Standing, board_of
from kanban.queries.card import Card, card_of
from kanban.queries.question import GateCard, gate_card, idle_agents

SORTS = ("cost", "oldest", "goal")
BAR_WIDTH = 112


@dataclass(frozen=True, slots=True)
class GoalName:
    slug: str
    title: str
    needs: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing a person can settle; the cost is idle agents times waiting time."""

    goal: GoalName
    card: Card | GateCard
    since: datetime | None
    idle: tuple[str, ...]
    cost_minutes: int
    cost_width: int = 0
    first: bool = False


@dataclass(frozen=True, slots=True)
class GoalLine:
    slug: str
    title: str
    needs: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Inbox:
    asks: tuple[Ask, ...]
    goals: tuple[GoalLine, ...]

    @property
    def questions(self) -> int:
        return sum(isinstance(ask.card, GateCard) for ask in self.asks)

    @property
    def tasks(self) -> int:
        return len(self.asks) - self.questions

    @property
    def cost_minutes(self) -> int:
        return sum(ask.cost_minutes for ask in self.asks)

    @property
    def idle(self) -> int:
        return len({(ask.goal.slug, name) for ask in self.asks for name in ask.idle})

    @property
    def goals_asking(self) -> int:
        return len({ask.goal.slug for ask in self.asks})


def inbox_of(states: Iterable[State], now: datetime, sort: str = "cost") -> Inbox:
    seen = list(states)
    asks = [ask for state in seen if state.goal.status == "active" for ask in asks_of(state, now)]
    worst = max((ask.cost_minutes for ask in asks), default=0) or 1
    ordered = sorted(asks, key=_ORDER.get(sort, _by_cost))
    first = next((ask for ask in ordered if getattr(ask.card, "status", "") == "open"), None)
    return Inbox(
        asks=tuple(
            replace(ask, first=ask is first, cost_width=BAR_WIDTH * ask.cost_minutes // worst)
            for ask in ordered
        ),
        goals=tuple(goal_line(state, now) for state in seen),
    )


def asks_of(state: State, now: datetime) -> list[Ask]:
    goal = GoalName(state.goal.slug, state.goal.title)
    found: list[Ask] = []
    held = idle_agents(state, now)
    for gate in state.gates.values():
        if gate.status in UNSETTLED:
            idle = tuple(held.get(gate.ref, ()))
            waited = int((now - (gate.created_at or now)).total_seconds() // 60)
            cost = len(idle) * waited
            found.append(Ask(goal, gate_card(state, gate, now), gate.created_at, idle, cost))
    for todo in state.todos.values():
        card = card_of(state, todo, now)
        if card.lane == "needs_you":
            found.append(Ask(goal, card, todo.created_at, (), 0))
    return found


def needs_count(state: State) -> int:
    """The one number of the badge, the tab's title and the inbox: questions and tasks."""
    if state.goal.status != "active":
        return 0
    questions = sum(gate.status == "open" for gate in state.gates.values())
    return questions + sum(lane_of(state, todo) == "needs_you" for todo in state.todos.values())


def goal_name(state: State) -> GoalName:
    return GoalName(state.goal.slug, state.goal.title, needs_count(state))


def goal_line(state: State, now: datetime) -> GoalLine:
    standing = board_of(state, now).standing
    return GoalLine(state.goal.slug, state.goal.title, needs_count(state), standing)


def _by_cost(ask: Ask) -> tuple[int, bool, float]:
    return (-ask.cost_minutes, not ask.card.gate, _age(ask))


def _by_age(ask: Ask) -> tuple[float]:
    return (_age(ask),)


def _by_goal(ask: Ask) -> tuple[str, int, float]:
    return (ask.goal.title, -ask.cost_minutes, _age(ask))


def _age(ask: Ask) -> float:
    return ask.since.timestamp() if ask.since else 0.0


_ORDER = {"cost": _by_cost, "oldest": _by_age, "goal": _by_goal}
