"""What an execution may work on: the clauses of "fits", what is runnable, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from kanban.kernel.conditions import condition_standing, open_dependencies
from kanban.kernel.execution import Execution
from kanban.kernel.limits import SOFT_CLAIM_TIMEOUT
from kanban.kernel.scopes import overlaps, within
from kanban.kernel.state import Gate, Member, State, Todo

UNSETTLED = ("open", "provisional", "sent_back")
CLOSED = ("done", "superseded", "dropped")


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition of fitting; `fact` says what was found, `ref` what it is about."""

    name: str
    holds: bool
    fact: str = ""
    ref: str = ""


def is_stale(todo: Todo, now: datetime) -> bool:
    """A soft claim whose owner has written nothing on the todo for the time-out."""
    until = stale_at(todo)
    return until is not None and until <= now


def stale_at(todo: Todo) -> datetime | None:
    soft = todo.claim_form == "soft" and todo.status == "open"
    return todo.owner_wrote_at + SOFT_CLAIM_TIMEOUT if soft and todo.owner_wrote_at else None


def held_by_other(todo: Todo, by: Execution, now: datetime) -> bool:
    """Another execution's live lease, or a peer's soft claim that is not stale."""
    if not todo.owner:
        return False
    if todo.claim_form == "lease":
        return (todo.owner, todo.execution) != (by.agent, by.mark)
    return todo.owner != by.agent and not is_stale(todo, now)


def unsettled(state: State) -> list[Gate]:
    return [gate for gate in state.gates.values() if gate.status in UNSETTLED]


def covers_todo(gate: Gate, todo: Todo) -> bool:
    return gate.blocks_goal or todo.ref in gate.blocks_todos or blocked_by(todo) == gate.ref


def blocked_by(todo: Todo) -> str:
    """The gate that a blocked todo names, if any."""
    return str((todo.blocked_on or {}).get("gate", "")) if todo.status == "blocked" else ""


def covers(gate: Gate, todo: Todo, agent: str) -> bool:
    return covers_todo(gate, todo) or gate.blocks_agent == agent


def covering_gates(state: State, todo: Todo) -> list[Gate]:
    return [gate for gate in unsettled(state) if covers_todo(gate, todo)]


def forebears(state: State, ref: str) -> set[str]:
    """The todo and every predecessor that it superseded."""
    found, waiting = {ref}, [ref]
    while waiting:
        heir = waiting.pop()
        for todo in state.todos.values():
            if heir in todo.superseded_by and todo.ref not in found:
                found.add(todo.ref)
                waiting.append(todo.ref)
    return found


def scope_granted(state: State, todo: Todo, scope: str) -> bool:
    """A choice in effect on a gate of this scope that names the todo or a predecessor."""
    named = forebears(state, todo.ref)
    return any(
        gate.status == "chosen" and gate.decision_scope == scope and named & {*gate.blocks_todos}
        for gate in state.gates.values()
    )


def scope_asked(state: State, todo: Todo, scope: str) -> list[Gate]:
    """Unsettled gates whose choice would grant the scope to the todo."""
    named = forebears(state, todo.ref)
    return [
        gate
        for gate in unsettled(state)
        if gate.decision_scope == scope and named & {*gate.blocks_todos}
    ]


def fits(
    state: State, todo: Todo, by: Execution, capabilities: Iterable[str], now: datetime
) -> list[Clause]:
    """Every clause with what was found; the todo fits when all hold."""
    return [
        Clause("open", todo.status == "open", f"{todo.ref} is {todo.status}"),
        _clause_free(todo, by, now),
        _clause_dependencies(state, todo, now),
        Clause(
            "bound",
            todo.bound_agent in ("", by.agent),
            f"{todo.ref} is bound to {todo.bound_agent}" if todo.bound_agent else "",
        ),
        Clause("excluded", by.agent not in todo.excluded_agents, f"{by.agent} is excluded"),
        _clause_capabilities(todo, capabilities),
        *_clauses_scopes(state, todo, by),
        *_clauses_decisions(state, todo),
    ]


def failing(clauses: Iterable[Clause]) -> list[Clause]:
    return [clause for clause in clauses if not clause.holds]


def _clause_free(todo: Todo, by: Execution, now: datetime) -> Clause:
    held = held_by_other(todo, by, now)
    fact = f"{todo.owner} holds {todo.ref}" if held else f"{todo.ref} is free for {by.agent}"
    return Clause("free", not held, fact, todo.owner if held else "")


def _clause_dependencies(state: State, todo: Todo, now: datetime) -> Clause:
    waiting = open_dependencies(state, todo)
    if waiting:
        return Clause("dependencies", False, f"waits for {', '.join(waiting)}", waiting[0])
    standing = condition_standing(state, todo.resume_when, now)
    return Clause("dependencies", standing == "holds", f"its condition is {standing}")


def _clause_capabilities(todo: Todo, capabilities: Iterable[str]) -> Clause:
    lacking = sorted({*todo.required_capabilities} - {*capabilities})
    return Clause("capabilities", not lacking, f"needs {', '.join(lacking)}" if lacking else "")


def _clauses_scopes(state: State, todo: Todo, by: Execution) -> list[Clause]:
    scopes = todo.required_write_scopes
    outside = [scope for scope in scopes if not within(scope, state.goal.write_scope)]
    busy = busy_scope(state, todo, scopes)
    return [
        Clause("in_scope", not outside, f"{', '.join(outside)} lies outside the goal's scope"),
        Clause("scope_free", busy is None, f"{busy.owner} works there on {busy.ref}", busy.ref)
        if busy
        else Clause("scope_free", True),
    ]


def busy_scope(state: State, todo: Todo, scopes: Iterable[str]) -> Todo | None:
    """Another todo whose live lease writes where this one would."""
    wanted = list(scopes)
    if not wanted:
        return None
    for other in state.todos.values():
        if other.ref != todo.ref and other.claim_form == "lease":
            taken = other.claim_scopes or other.required_write_scopes
            if any(overlaps(mine, theirs) for mine in wanted for theirs in taken):
                return other
    return None


def _clauses_decisions(state: State, todo: Todo) -> list[Clause]:
    return [
        Clause("decided", scope_granted(state, todo, scope), f"nobody decided {scope}", scope)
        for scope in todo.decision_scopes
    ]


def is_due(todo: Todo, now: datetime) -> bool:
    due = todo.next_due_at
    return todo.kind == "monitor" and todo.status == "open" and due is not None and due <= now


def workable_kind(todo: Todo, now: datetime) -> bool:
    return todo.kind == "advancement" or is_due(todo, now)


def order(todo: Todo, agent: str) -> tuple[Any, ...]:
    """Priority, the agent's own claims first, due date, rank, age: total and stable."""
    return (
        todo.priority,
        todo.owner != agent,
        todo.due or date.max,
        todo.rank,
        int(todo.ref[1:]),
    )


def is_runnable(state: State, todo: Todo, lacking: Iterable[Clause]) -> bool:
    """An advancement that fits (nothing is `lacking`) and that no unsettled gate covers."""
    return todo.kind == "advancement" and not [*lacking] and not covering_gates(state, todo)


def could_do(state: State, todo: Todo, lacking: Iterable[Clause], now: datetime) -> bool:
    """What would be runnable or due if the gates that cover it were answered with a choice."""
    return workable_kind(todo, now) and all(
        _freed_by_choice(state, todo, clause) for clause in lacking
    )


def speaks_of_the_end(gate: Gate, ended: Gate) -> bool:
    """Whether the gate was asked after the other one had ended."""
    asked, end = gate.created_at, ended.ended_at
    return asked is not None and end is not None and asked >= end


def _freed_by_choice(state: State, todo: Todo, clause: Clause) -> bool:
    if clause.name == "open":
        held = state.gates.get(blocked_by(todo))
        # A new question frees what an earlier one left blocked.
        return held is not None and any(
            gate.ref == held.ref or speaks_of_the_end(gate, held)
            for gate in covering_gates(state, todo)
        )
    return clause.name == "decided" and bool(scope_asked(state, todo, clause.ref))


def can_review(todo: Todo, by: Execution, state: State) -> bool:
    """In review by another author, not excluded, and nobody reviews it at this moment."""
    return (
        todo.status == "review"
        and todo.owner != by.agent
        and by.agent not in todo.excluded_agents
        and not any(
            turn.status == "live" and turn.todo == todo.ref and turn.execution != by.mark
            for turn in state.turns.values()
        )
    )


def has_reviewer(state: State, todo: Todo) -> bool:
    """Whether another active member than the author may take the review."""
    return any(
        member_of(state, name) is not None
        and member.work_mode == "active"
        and name != todo.owner
        and name not in todo.excluded_agents
        for name, member in state.members.items()
    )


def has_taker(state: State, todo: Todo) -> bool:
    """Whether any member that may act has what the todo needs, whoever else is at it now."""
    scopes = todo.required_write_scopes
    return all(within(scope, state.goal.write_scope) for scope in scopes) and any(
        member_of(state, name) is not None
        and member.work_mode != "paused"
        and (member.work_mode == "active" or todo.kind == "monitor")
        and todo.bound_agent in ("", name)
        and name not in todo.excluded_agents
        and {*todo.required_capabilities} <= {*member.capabilities}
        for name, member in state.members.items()
    )


def member_of(state: State, agent: str) -> Member | None:
    member = state.members.get(agent)
    return member if member and member.active else None
