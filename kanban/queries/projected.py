"""Cards as projections see them: plain facts of todos and gates, no words of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from kanban.kernel.errors import NotFound
from kanban.kernel.evidence import is_fresh
from kanban.kernel.frontier import UNSETTLED
from kanban.kernel.lanes import gate_lane, lane_of
from kanban.kernel.present import answer_label, waits_for
from kanban.kernel.settle import settle
from kanban.kernel.state import Evidence, Gate, State, Todo
from kanban.models import Event, Goal
from kanban.queries.snapshot import Snapshot, ledger_time
from kanban.queries.snapshot import load as load_snapshot

HIDDEN_TODOS = ("superseded", "dropped")
SHOWN_GATES = (*UNSETTLED, "chosen", "rejected")
FEW = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedCard:
    """One row of a projection. A field is sent only where an audience has a rule for it."""

    goal: str
    ref: str
    kind: str  # advancement, monitor, user_action, gate
    title: str
    lane: str
    priority: int | None = None
    rank: str = ""
    owner: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    answer: str = ""
    rejected: bool = False
    waits_for: tuple[str, ...] = ()  # references, names, or an instant
    verdict: str = ""
    fresh: bool = False
    evidence: str = ""
    handoff: str = ""  # who receives it
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class ProjectedGoal:
    """The cards of a goal; `version` counts the events that are stored, not those to be settled."""

    version: int
    cards: list[ProjectedCard]


def load(slug: str, now: datetime) -> ProjectedGoal | None:
    """None where there is no such goal."""
    try:
        snapshot = load_snapshot(slug)
    except NotFound:
        return None
    at = ledger_time(snapshot.state, now)
    state = settle(snapshot.state, at)[0]
    cards = projected_cards(state, at, _times(snapshot))
    return ProjectedGoal(snapshot.state.goal.version, cards)


def version_of(slug: str) -> int | None:
    return Goal.objects.filter(slug=slug).values_list("version", flat=True).first()


def _times(snapshot: Snapshot) -> dict[int, datetime]:
    """When the versions at which cards last changed came about."""
    todos, gates = snapshot.state.todos.values(), snapshot.state.gates.values()
    wanted = {todo.version for todo in todos} | {gate.version for gate in gates}
    events = Event.objects.filter(goal_id=snapshot.goal_id)
    # Beyond a few the whole log of the goal is read in one go.
    if len(wanted) <= FEW:
        events = events.filter(version__in=wanted)
    return {version: at for version, at in events.values_list("version", "at") if version in wanted}


def projected_cards(
    state: State, now: datetime, times: Mapping[int, datetime]
) -> list[ProjectedCard]:
    """The shown todos and gates of a settled state; `times` says when a goal version came about."""
    slug = state.goal.slug
    latest = _latest_evidence(state)
    return [
        *(
            _todo(slug, state, todo, now, times, latest.get(todo.ref))
            for todo in state.todos.values()
            if todo.status not in HIDDEN_TODOS
        ),
        *(
            _gate(slug, gate, now, times, latest.get(gate.ref))
            for gate in state.gates.values()
            if gate.status in SHOWN_GATES
        ),
    ]


def _todo(
    slug: str,
    state: State,
    todo: Todo,
    now: datetime,
    times: Mapping[int, datetime],
    latest: Evidence | None,
) -> ProjectedCard:
    return ProjectedCard(
        goal=slug,
        ref=todo.ref,
        kind=todo.kind,
        title=todo.title,
        lane=lane_of(state, todo),
        priority=todo.priority,
        rank=todo.rank,
        owner=todo.owner,
        waits_for=tuple(waits_for(state, todo)),
        verdict=latest.verdict if latest else "",
        fresh=latest is not None and is_fresh(latest),
        evidence=latest.summary if latest else "",
        handoff=todo.bound_agent,
        updated=times.get(todo.version, now),
    )


def _gate(
    slug: str,
    gate: Gate,
    now: datetime,
    times: Mapping[int, datetime],
    latest: Evidence | None,
) -> ProjectedCard:
    settled = gate.status not in UNSETTLED
    return ProjectedCard(
        goal=slug,
        ref=gate.ref,
        kind="gate",
        title=gate.label or gate.question,
        lane=gate_lane(gate),
        question=gate.question,
        options=tuple(str(option["label"]) for option in gate.options),
        # A provisional answer can still be taken back, so it is not told to others.
        answer=_answer(gate) if settled else "",
        rejected=gate.status == "rejected",
        verdict=latest.verdict if latest else "",
        fresh=latest is not None and is_fresh(latest),
        evidence=latest.summary if latest else "",
        updated=times.get(gate.version, now),
    )


def _answer(gate: Gate) -> str:
    return ": ".join(filter(None, [answer_label(gate), gate.answer_text]))


def _latest_evidence(state: State) -> dict[str, Evidence]:
    """The newest piece per todo or gate; one that was invalidated no longer speaks."""
    latest: dict[str, Evidence] = {}
    for item in state.evidence.values():
        if item.invalidated_at is None:
            for ref in {item.todo, *item.supports} - {""}:
                latest[ref] = item
    return latest
