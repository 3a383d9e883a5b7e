"""Rule 11: nothing is ours to do, so whose move is it?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from kanban.kernel.case import Case
from kanban.kernel.conditions import (
    condition_instant,
    condition_standing,
    open_dependencies,
    todo_standing,
)
from kanban.kernel.decision import Question, Verdict
from kanban.kernel.frontier import (
    UNSETTLED,
    busy_scope,
    has_reviewer,
    has_taker,
    held_by_other,
    member_of,
    stale_at,
    unsettled,
)
from kanban.kernel.gaps import needs_info, repairer, work_gaps
from kanban.kernel.state import Gate, State, Todo

Wait = tuple[str, str, datetime | None]  # reason, explanation, wake_at


def others_move(case: Case) -> Verdict:
    """A person's move first, then a peer's or the clock's; what has no name is a person's."""
    questions = tuple(_for_people(case))
    waits = list(_waits(case))
    case.facts |= {
        "for_people": [question.ref for question in questions],
        "waits": [reason for reason, _, _ in waits],
    }
    if questions or not waits:
        return _person_needed(case, questions)
    reason, explanation, wake_at = waits[0]
    return Verdict(outcome="wait", reason=reason, explanation=explanation, wake_at=wake_at)


def _person_needed(case: Case, questions: tuple[Question, ...]) -> Verdict:
    shown = bool(questions) and case.shown(questions)
    effects = [q.gate.effective_at for q in questions if q.gate and q.gate.effective_at]
    return Verdict(
        outcome="wait" if shown else "ask",
        reason="awaiting_person" if shown else "person_needed",
        explanation=f"{questions[0].ref} is a person's to settle: {questions[0].text}"
        if questions
        else "There is nothing left that an agent may do here; a person says how to go on.",
        questions=questions,
        wake_at=min(effects, default=None),
        notify=not shown,
    )


def _for_people(case: Case) -> Iterator[Question]:
    for gate in unsettled(case.state):
        if gate.status != "sent_back" or not _has_rewriter(case.state, gate):
            yield case.question(gate)
    for todo in case.open_todos:
        tag = f"{todo.ref}@{todo.version}"
        if is_for_person(case.state, todo):
            yield Question(todo.ref, tag, todo.title, todo=todo)
        elif why := _stuck(case, todo):
            yield Question(todo.ref, tag, f"{todo.title} ({why})", todo=todo)


def _stuck(case: Case, todo: Todo) -> str:
    """Why no agent will ever do it as things stand; empty if one may."""
    state = case.state
    if todo.status == "review":
        return "" if has_reviewer(state, todo) else "no other member can review it"
    dead = [ref for ref in todo.depends_on if todo_standing(state, ref) == "dead"]
    condition = todo.resume_when or (todo.blocked_on or {}).get("until")
    if dead or condition_standing(state, condition, case.now) == "dead":
        return f"it waits for {dead[0] if dead else 'something'} that will not come"
    return "" if has_taker(state, todo) else "no active member may take it"


def is_for_person(state: State, todo: Todo) -> bool:
    """An open user action, or a blocked todo that only a person frees."""
    if todo.kind == "user_action":
        return todo.status == "open"
    if todo.status != "blocked":
        return False
    named = todo.blocked_on or {}
    gate = state.gates.get(str(named.get("gate", "")))
    return "person" in named or (gate is not None and gate.status not in UNSETTLED)


def _has_rewriter(state: State, gate: Gate) -> bool:
    kind, _, name = gate.asked_by.partition(":")
    return kind == "agent" and member_of(state, name) is not None


def _waits(case: Case) -> Iterator[Wait]:
    for gap in work_gaps(case.state):
        if turn := repairer(case.state, gap.key):
            yield "peer_repairs", f"{turn.agent} repairs: {gap.fact}.", turn.lease_until
    for gate in unsettled(case.state):
        if gate.status == "sent_back" and _has_rewriter(case.state, gate):
            turn = repairer(case.state, needs_info(gate).key)
            until = turn.lease_until if turn else None
            yield "peer_repairs", f"{gate.ref} was sent back to be reworded.", until
    todos = [todo for todo in case.open_todos if not is_for_person(case.state, todo)]
    for todo in todos:
        if todo.status == "review":
            yield "peer_owns_work", f"{todo.ref} is in review by another member.", None
        elif held_by_other(todo, case.ask.by, case.now):
            until = todo.lease_until or stale_at(todo)
            yield "peer_owns_work", f"{todo.owner} works on {todo.ref}.", until
    for todo in todos:
        if busy := busy_scope(case.state, todo, todo.required_write_scopes):
            yield "scope_busy", f"{busy.owner} writes where {todo.ref} would.", busy.lease_until
    for todo in todos:
        if at := _starts_at(todo):
            yield "not_due", f"{todo.ref} starts by itself later.", at
    for todo in todos:
        if waiting := open_dependencies(case.state, todo):
            yield "dependency", f"{todo.ref} waits for {', '.join(waiting)}.", None
        elif todo.status in ("deferred", "blocked"):
            yield "dependency", f"{todo.ref} waits for its condition.", None
    yield from _unable(case, todos)


def _unable(case: Case, todos: list[Todo]) -> Iterator[Wait]:
    if case.monitors_only and todos:
        yield "monitor_only", f"{case.agent} only watches.", None
        return
    for todo in todos:
        for clause in case.lacking(todo):
            if clause.name in ("capabilities", "bound", "excluded"):
                yield "no_capability", f"{todo.ref}: {clause.fact}.", None


def _starts_at(todo: Todo) -> datetime | None:
    if todo.kind == "monitor" and todo.status == "open":
        return todo.next_due_at
    if todo.status == "deferred":
        return condition_instant(todo.resume_when)
    if todo.status == "blocked":
        return condition_instant((todo.blocked_on or {}).get("until"))
    return None
