"""A card as every view shows it: title, who acts next, freshness, a few chips."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from kanban.kernel.conditions import condition_instant, open_dependencies
from kanban.kernel.evidence import is_fresh
from kanban.kernel.frontier import CLOSED, covering_gates, is_due, is_stale, stale_at
from kanban.kernel.lanes import lane_of, wait_group
from kanban.kernel.state import Evidence, State, Todo, Turn

CHIPS = 3
PRIORITY_CHIPS = ("urgent", "high")


@dataclass(frozen=True, slots=True)
class Next:
    """Who acts next, as facts; the words are made in the reader's language."""

    code: str
    who: str = ""
    at: datetime | None = None
    text: str = ""
    ref: str = ""
    count: int = 0
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Chip:
    code: str
    tone: str = ""
    at: datetime | None = None
    count: int = 0
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Who:
    name: str
    person: bool = False
    active: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A todo on the board."""

    ref: str
    title: str
    lane: str
    group: str
    next: Next
    chips: tuple[Chip, ...] = ()
    who: Who | None = None
    priority: int = 2
    stale: bool = False
    finished: bool = False
    closed_at: datetime | None = None
    words: str = ""  # what search looks at, in lower case

    gate = False


def card_of(state: State, todo: Todo, now: datetime) -> Card:
    lane = lane_of(state, todo)
    stale = bool(todo.owner) and is_stale(todo, now)
    return Card(
        ref=todo.ref,
        title=todo.title,
        lane=lane,
        group=wait_group(state, todo) if lane == "waiting" else "",
        next=next_of(state, todo, lane, now),
        chips=chips_of(state, todo, lane, stale)[:CHIPS],
        who=who_of(state, todo),
        priority=todo.priority,
        stale=stale,
        finished=todo.status in CLOSED,
        closed_at=todo.closed_at,
        words=f"{todo.ref} {todo.title} {todo.body}".lower(),
    )


def next_of(state: State, todo: Todo, lane: str, now: datetime) -> Next:
    if todo.status in CLOSED:
        return _next_closed(todo)
    if lane == "needs_you":
        return _next_person(state, todo)
    if lane == "working":
        return _next_working(state, todo, now)
    if lane == "waiting":
        return _next_waiting(state, todo, now)
    return _next_ready(state, todo)


def _next_closed(todo: Todo) -> Next:
    if todo.status == "done":
        return Next("done", at=todo.closed_at)
    return Next(todo.status, at=todo.closed_at, ref=", ".join(todo.superseded_by))


def _next_person(state: State, todo: Todo) -> Next:
    if todo.status == "review":
        return Next("you_review", who=todo.owner)
    if gate := (todo.blocked_on or {}).get("gate"):
        return Next("you_unblock_gate", ref=str(gate), text=_label(state, str(gate)))
    if todo.status == "blocked":
        return Next("you_unblock", text=todo.status_reason)
    return Next("you_act", who=todo.waits_for, day=todo.due)


def _next_working(state: State, todo: Todo, now: datetime) -> Next:
    if todo.status == "review":
        return Next("review", who=todo.owner)
    if covering := covering_gates(state, todo):
        return Next("waits_gate", ref=covering[0].ref, text=covering[0].label)
    if todo.claim_form == "lease":
        turn = _turn_of(state, todo)
        return Next("working", who=todo.owner, at=(turn and turn.lease_until) or todo.lease_until)
    if is_stale(todo, now):
        return Next("silent", who=todo.owner, at=todo.owner_wrote_at)
    return Next("holds", who=todo.owner, at=stale_at(todo))


def _next_waiting(state: State, todo: Todo, now: datetime) -> Next:
    if is_due(todo, now):
        return Next("watch_due", at=todo.next_due_at)
    if todo.kind == "monitor":
        return Next("watching", at=todo.next_due_at, count=todo.unchanged_streak)
    if covering := covering_gates(state, todo):
        return Next("waits_gate", ref=covering[0].ref, text=covering[0].label)
    if waiting := open_dependencies(state, todo):
        return _waits_card(state, waiting[0])
    condition = todo.resume_when or (todo.blocked_on or {}).get("until") or {}
    if at := condition_instant(condition or None):
        return Next("starts", at=at)
    ref = str(condition.get("ref", ""))
    if ref in state.todos:
        return _waits_card(state, ref)
    if ref in state.gates:
        return Next("waits_gate", ref=ref, text=_label(state, ref))
    if ref in state.criteria:
        return Next("waits_evidence", ref=ref, text=state.criteria[ref].text)
    if gate := (todo.blocked_on or {}).get("gate"):
        return Next("refused", ref=str(gate), text=_label(state, str(gate)))
    return Next("blocked", text=todo.status_reason)


def _next_ready(state: State, todo: Todo) -> Next:
    active = [member for member in state.members.values() if member.active]
    if not active:
        return Next("no_agent")
    if todo.bound_agent:
        return Next("ready_bound", who=todo.bound_agent)
    wanted = {*todo.required_capabilities}
    able = [member.agent for member in active if wanted <= {*member.capabilities}]
    if not able:
        return Next("nobody_able", text=", ".join(sorted(wanted)))
    return Next("ready_bound", who=able[0]) if len(able) == 1 else Next("ready")


def _waits_card(state: State, ref: str) -> Next:
    return Next("waits_card", ref=ref, text=state.todos[ref].title)


def _label(state: State, ref: str) -> str:
    gate = state.gates.get(ref)
    return gate.label if gate else ""


def chips_of(state: State, todo: Todo, lane: str, stale: bool) -> tuple[Chip, ...]:
    chips: list[Chip] = []
    if todo.status not in CLOSED and todo.priority < len(PRIORITY_CHIPS):
        chips.append(Chip(PRIORITY_CHIPS[todo.priority], "strong"))
    if stale:
        chips.append(Chip("stale", "stale"))
    if todo.due and todo.status not in CLOSED:
        chips.append(Chip("due", day=todo.due))
    if lane == "ready" and _next_ready(state, todo).code == "nobody_able":
        chips.append(Chip("nobody_able", "bad"))
    chips.extend(_evidence_chips(state, todo))
    return tuple(chips)


def _evidence_chips(state: State, todo: Todo) -> list[Chip]:
    taken = evidence_for(state, todo.ref)
    if not taken:
        return [Chip("no_proof")] if todo.owner and todo.status == "open" else []
    fresh = [item for item in taken if is_fresh(item)]
    if any(item.verdict == "contradicts" for item in fresh):
        return [Chip("contradicted", "bad")]
    if not fresh:
        void = all(item.invalidated_at for item in taken)
        return [Chip("proof_void" if void else "proof_expired", "bad")]
    done = todo.status == "done"
    return [Chip("proofs_fresh" if done else "proofs", "ok" if done else "", count=len(fresh))]


def evidence_for(state: State, ref: str) -> list[Evidence]:
    return [item for item in state.evidence.values() if item.todo == ref or ref in item.supports]


def who_of(state: State, todo: Todo) -> Who | None:
    if todo.kind == "user_action":
        return Who(todo.waits_for, person=True) if todo.waits_for else None
    name = todo.owner or todo.bound_agent or _closer(state, todo)
    return Who(name, active=todo.claim_form == "lease") if name else None


def _closer(state: State, todo: Todo) -> str:
    """Whose turn closed the todo: its claim ended with it."""
    if todo.status != "done":
        return ""
    turns = [turn for turn in state.turns.values() if turn.todo == todo.ref]
    return turns[-1].agent if turns else ""


def _turn_of(state: State, todo: Todo) -> Turn | None:
    return next(
        (turn for turn in state.turns.values() if turn.status == "live" and turn.todo == todo.ref),
        None,
    )
