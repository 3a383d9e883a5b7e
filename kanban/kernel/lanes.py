"""The five lanes: one total function for board, API and projections."""

from __future__ import annotations

from typing import Literal

from kanban.kernel.conditions import condition_standing, open_dependencies
from kanban.kernel.frontier import UNSETTLED, covering_gates, has_reviewer
from kanban.kernel.state import Gate, State, Todo

Lane = Literal["needs_you", "ready", "working", "waiting", "done"]
LANES: tuple[Lane, ...] = ("needs_you", "ready", "working", "waiting", "done")
WaitGroup = Literal["scheduled", "watching", "gated", "blocked"]


def lane_of(state: State, todo: Todo) -> Lane:
    """Where a todo of a settled state stands."""
    if todo.status in ("done", "superseded", "dropped"):
        return "done"
    if todo.kind == "user_action" and todo.status == "open":
        return "needs_you"
    if todo.status == "blocked" and "person" in (todo.blocked_on or {}):
        return "needs_you"
    if todo.status == "review":
        return "working" if has_reviewer(state, todo) else "needs_you"
    if todo.status == "open" and todo.owner:
        return "working"
    return "ready" if _is_ready(state, todo) else "waiting"


def gate_lane(gate: Gate) -> Lane:
    return "needs_you" if gate.status in UNSETTLED else "done"


def wait_group(state: State, todo: Todo) -> WaitGroup:
    """The sub-group of the waiting lane."""
    if todo.kind == "monitor":
        return "watching"
    if covering_gates(state, todo) or "gate" in (todo.blocked_on or {}):
        return "gated"
    timed = (todo.resume_when or {}).get("type") in ("time", "manual")
    return "scheduled" if todo.status == "deferred" and timed else "blocked"


def _is_ready(state: State, todo: Todo) -> bool:
    now = state.goal.updated_at
    return (
        todo.status == "open"
        and todo.kind == "advancement"
        and not open_dependencies(state, todo)
        and not covering_gates(state, todo)
        and (now is None or condition_standing(state, todo.resume_when, now) == "holds")
    )
