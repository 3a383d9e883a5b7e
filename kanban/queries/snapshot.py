"""One goal's state out of its tables: what decisions, boards and transitions start from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from kanban.kernel.errors import missing
from kanban.kernel.settle import settle
from kanban.kernel.state import TABLES, State
from kanban.models.columns import COLUMNS, Columns
from kanban.queries.reading import one_view

# Turns beyond these say nothing more to a decision: the last ones, and every live one.
RECENT_TURNS = 200


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A goal's state as stored, not settled, with what its next event must continue."""

    state: State
    goal_id: int
    head_hash: str


def load(slug: str, *, whole: bool = False) -> Snapshot:
    """Reads a goal in a constant number of queries; `whole` includes all history of turns."""
    with one_view() as cursor:
        return _load(cursor, slug, whole)


def settled(slug: str, now: datetime) -> State:
    """The state as every reader sees it at `now`; what settling would write is dropped."""
    state = load(slug).state
    return settle(state, ledger_time(state, now))[0]


def ledger_time(state: State, now: datetime) -> datetime:
    """Time stands still rather than run back: never before the goal's newest event."""
    return max(now, state.goal.updated_at or now)


def goal_slugs() -> list[str]:
    """Every goal, newest first."""
    with one_view() as cursor:
        cursor.execute("SELECT slug FROM kanban_goal WHERE version > 0 ORDER BY id DESC")
        return [row[0] for row in cursor.fetchall()]


def goals_of(agent: str) -> list[str]:
    """The goals on which an agent is registered, newest first."""
    with one_view() as cursor:
        cursor.execute(_GOALS_OF, [agent, True])
        return [row[0] for row in cursor.fetchall()]


_GOALS_OF = """
    SELECT goal.slug FROM kanban_goal goal
    JOIN kanban_member member ON member.goal_id = goal.id
    WHERE member.agent = %s AND member.active = %s ORDER BY goal.id DESC
"""


def _load(cursor: Any, slug: str, whole: bool) -> Snapshot:
    goal = COLUMNS["goal"]
    cursor.execute(f"SELECT id, head_hash, {goal.select} FROM kanban_goal WHERE slug = %s", [slug])
    row = cursor.fetchone()
    if row is None:
        raise missing("goal", slug)
    goal_id = row[0]
    tables: dict[str, Any] = {
        table.name: _rows(cursor, COLUMNS[name], goal_id, whole) for name, table in TABLES.items()
    }
    state = State(goal=goal.read(row[2:]), **tables)
    return Snapshot(replace(state, findings=_findings(state)), goal_id, row[1])


def _rows(cursor: Any, columns: Columns, goal_id: int, whole: bool) -> dict[str, Any]:
    recent = columns.name == "turn" and not whole
    query = _RECENT_TURNS if recent else _ALL
    cursor.execute(query.format(columns=columns.select, table=columns.table), [goal_id])
    rows = {row[0]: columns.read(row[1:]) for row in _keyed(cursor, columns)}
    return dict(sorted(rows.items(), key=_creation)) if columns.name != "turn" else rows


_ALL = "SELECT {columns} FROM {table} WHERE goal_id = %s"
_RECENT_TURNS = (
    "SELECT {columns} FROM {table} WHERE goal_id = %s "
    f"ORDER BY status = 'live' DESC, began_at DESC LIMIT {RECENT_TURNS}"
)


def _keyed(cursor: Any, columns: Columns) -> list[tuple[Any, ...]]:
    position = columns.names.index(columns.key)
    return [(row[position], *row) for row in cursor.fetchall()]


def _creation(item: tuple[str, Any]) -> tuple[str, int, str]:
    """T2 before T10; names by their letters."""
    key = item[0]
    return (key[:1], int(key[1:]), "") if key[1:].isdigit() else (key[:1], 0, key)


def _findings(state: State) -> tuple[str, ...]:
    """What no transition could have written; the decision then waits for a person."""
    return tuple(
        f"{todo.ref} claims a lease without a deadline"
        for todo in state.todos.values()
        if todo.claim_form == "lease" and todo.lease_until is None
    )
