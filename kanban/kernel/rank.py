"""Order by hand: ranks are decimal fractions, so that one row moves and no other is touched."""

from __future__ import annotations

from typing import Any

from kanban.kernel.claim import Rows
from kanban.kernel.draft import Draft
from kanban.kernel.execution import Execution
from kanban.kernel.guards import require_active_goal, require_hand, require_not_closed
from kanban.kernel.todo_fields import parse_priority

# A rank this long has been squeezed into the same gap some two hundred times.
LONGEST = 60


def place_todo(
    draft: Draft,
    ref: str,
    *,
    before: str = "",
    after: str = "",
    priority: Any = None,
    by: Execution | None = None,
    epoch: int | None = None,
) -> None:
    """A new place: just before or after another todo, in another priority, or both."""
    require_active_goal(draft.state)
    todo = draft.todo(ref)
    require_not_closed(todo)
    require_hand(draft, todo, by, epoch, "update")
    fields: dict[str, Any] = {}
    if priority is not None:
        fields["priority"] = parse_priority(priority)
    neighbour = before or after
    if neighbour and neighbour != ref:
        fields["priority"] = draft.todo(neighbour).priority
        fields["rank"] = _rank_beside(draft, ref, neighbour, above=bool(before))
    if any(getattr(todo, name) != value for name, value in fields.items()):
        draft.record_one("todo.moved", ("todo", ref), **fields)
        if len(draft.todo(ref).rank) > LONGEST:
            _spread(draft, draft.todo(ref).priority)


def first_rank(ref: str) -> str:
    """A new todo comes after all older ones. No rank ends in zero: text order is their order."""
    return f"{int(ref[1:]):08d}5"


def rank_between(before: str, after: str) -> str:
    """The shortest fraction's digits strictly between two others; "" stands for the open end."""
    width = 1
    while True:
        low = int(before[:width].ljust(width, "0")) if before else 0
        high = int(after[:width].ljust(width, "0")) if after else 10**width
        # A bound that was cut here lies above its cut form.
        high += bool(after[width:])
        if high - low > 1:
            return str((low + high) // 2).zfill(width).rstrip("0")
        width += 1


def _rank_beside(draft: Draft, ref: str, neighbour: str, *, above: bool) -> str:
    beside = draft.todo(neighbour)
    ranks = [
        todo.rank
        for todo in draft.state.todos.values()
        if todo.priority == beside.priority and todo.ref != ref
    ]
    if above:
        return rank_between(max((r for r in ranks if r < beside.rank), default=""), beside.rank)
    return rank_between(beside.rank, min((r for r in ranks if r > beside.rank), default=""))


def _spread(draft: Draft, priority: int) -> None:
    """Gives the todos of a priority short ranks again, in the order they have."""
    todos = [todo for todo in draft.state.todos.values() if todo.priority == priority]
    todos.sort(key=lambda todo: (todo.rank, int(todo.ref[1:])))
    rows: Rows = {
        ("todo", todo.ref): {"rank": f"{number:08d}5"} for number, todo in enumerate(todos, start=1)
    }
    draft.record("todo.moved", todos[0].ref, rows)
