"""Gaps: what nobody works on although the goal needs it, and who may repair it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kanban.kernel.codec import canonical, digest
from kanban.kernel.evidence import unmet_criteria
from kanban.kernel.frontier import CLOSED, scope_asked, scope_granted, unsettled
from kanban.kernel.limits import STALL_TURNS
from kanban.kernel.state import Gate, State, Turn


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap's key names code, subject and the facts seen: when these change, so does the key."""

    code: str
    subject: str
    fact: str
    key: str


def gap(code: str, subject: str, fact: str, *seen: object) -> Gap:
    return Gap(code, subject, fact, f"{code}:{subject}:{digest(canonical(list(seen)))[:12]}")


def work_gaps(state: State) -> Iterator[Gap]:
    """The goal's gaps in the order of the decision table."""
    yield from _decision_gaps(state)
    yield from _acceptance_gap(state)


def _decision_gaps(state: State) -> Iterator[Gap]:
    for todo in state.todos.values():
        if todo.status != "open":
            continue
        for scope in todo.decision_scopes:
            if scope_granted(state, todo, scope) or scope_asked(state, todo, scope):
                continue
            tried = sum(gate.decision_scope == scope for gate in state.gates.values())
            fact = f"{todo.ref} needs a decision on {scope}, and nobody has asked for it"
            yield gap("decision_gap", todo.ref, fact, scope, tried)


def _acceptance_gap(state: State) -> Iterator[Gap]:
    unmet = unmet_criteria(state)
    if not unmet or any(todo.status not in CLOSED for todo in state.todos.values()):
        return
    refs = [criterion.ref for criterion in unmet]
    work = "all work is closed" if state.todos else "nothing is planned yet"
    fact = f"{work}, and {', '.join(refs)} {'is' if len(refs) == 1 else 'are'} not met"
    seen = [(criterion.ref, criterion.revision) for criterion in unmet]
    yield gap("acceptance_gap", state.goal.slug, fact, seen, state.goal.last_todo)


def own_repairs(state: State, agent: str, held: list[Gate]) -> Iterator[Gap]:
    """What an agent owes before new work: questions to reword, and a way out of a stall."""
    yield from (needs_info(gate) for gate in held)
    if stall := _stall(state, agent):
        yield stall


def needs_info(gate: Gate) -> Gap:
    fact = f"{gate.ref} was sent back: {gate.answer_text}"
    return gap("needs_info", gate.ref, fact, gate.revision)


def _stall(state: State, agent: str) -> Gap | None:
    since = _last_word(state, agent)
    turns = [turn for turn in ended_turns(state, agent) if since is None or _ended(turn)[0] > since]
    for code, without_progress in (("stalled", _no_progress), ("surface_streak", _surface_only)):
        streak: list[Turn] = []
        for turn in turns:
            if not without_progress(turn):
                break
            streak.append(turn)
        if len(streak) >= STALL_TURNS:
            fact = f"the last {len(streak)} turns of {agent} brought nothing further"
            return gap(code, agent, fact, streak[-1].id)
    return None


def _last_word(state: State, agent: str) -> datetime | None:
    """When a person last said how a stall of this agent shall go on: a fresh start."""
    return max(
        (
            gate.ended_at
            for gate in state.gates.values()
            if gate.status == "chosen"
            and gate.purpose
            and gate.blocks_agent == agent
            and gate.ended_at
        ),
        default=None,
    )


def ended_turns(state: State, agent: str) -> list[Turn]:
    """The agent's ended turns, newest first; polls, revoked turns and limits do not count."""
    turns = [
        turn
        for turn in state.turns.values()
        if turn.agent == agent
        and turn.status in ("finished", "expired")
        and turn.end_reason != "limited"
        and not _is_poll(state, turn)
    ]
    return sorted(turns, key=_ended, reverse=True)


def _is_poll(state: State, turn: Turn) -> bool:
    todo = state.todos.get(turn.todo)
    return todo is not None and todo.kind == "monitor"


def _ended(turn: Turn) -> tuple[datetime, str]:
    if turn.ended_at is None:
        raise ValueError(f"turn {turn.id} has not ended")
    return (turn.ended_at, turn.id)


def _no_progress(turn: Turn) -> bool:
    return turn.status == "expired" or turn.result in ("no_change", "failed")


def _surface_only(turn: Turn) -> bool:
    return turn.result == "progress" and turn.outcome == "surface_only"


def repairer(state: State, key: str) -> Turn | None:
    """The live turn that holds a gap's key."""
    return next(
        (turn for turn in state.turns.values() if turn.status == "live" and turn.gap == key), None
    )


def tries(state: State, key: str) -> int:
    """Turns that ended on this very gap since a person last spoke about it."""
    spoken = max(
        (gate.ended_at for gate in state.gates.values() if gate.purpose == key and gate.ended_at),
        default=None,
    )
    return sum(
        turn.gap == key
        and turn.status in ("finished", "expired")
        and (spoken is None or (turn.began_at is not None and turn.began_at >= spoken))
        for turn in state.turns.values()
    )


def asked_about(state: State, key: str) -> bool:
    return any(gate.purpose == key for gate in unsettled(state))
