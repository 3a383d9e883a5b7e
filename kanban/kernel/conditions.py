"""Dependencies and resume conditions: when they hold, when they are dead, and cycles."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal

from kanban.kernel.codec import read_time, write_time
from kanban.kernel.errors import Conflict, invalid
from kanban.kernel.evidence import criterion_state, require_ref
from kanban.kernel.limits import MANUAL_REVIEW
from kanban.kernel.state import State, Todo

Standing = Literal["holds", "open", "dead"]
TYPES = ("time", "todo_done", "gate_answered", "evidence", "manual")


def parse_condition(state: State, given: dict[str, Any], now: datetime) -> dict[str, Any]:
    """A condition in its stored form, or a refusal that says what is wrong with it."""
    kind = given.get("type")
    if kind == "time":
        return {"type": "time", "at": write_time(_moment(given, "at"))}
    if kind == "manual":
        at = _moment(given, "at") if given.get("at") else now + MANUAL_REVIEW
        return {"type": "manual", "at": write_time(at)}
    letter = {"todo_done": "T", "gate_answered": "G", "evidence": "A"}.get(str(kind))
    if letter is None:
        raise invalid(
            f"resume condition type {kind!r} is none of {', '.join(TYPES)}.", fields=["resume_when"]
        )
    ref = str(given.get("ref", ""))
    if ref[:1] != letter:
        raise invalid(f"{kind} needs a ref such as {letter}1.", fields=["resume_when"])
    require_ref(state, ref)
    return {"type": kind, "ref": ref}


def _moment(given: dict[str, Any], name: str) -> datetime:
    value = given.get(name)
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise invalid(f"{name}: {value!r} is not an RFC 3339 time.", fields=[name]) from None
    if moment.tzinfo is None:
        raise invalid(f"{name}: {value!r} has no time zone.", "Append Z for UTC.", fields=[name])
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise invalid(f"{name}: {value!r} is beyond the calendar.", fields=[name]) from None


def condition_standing(state: State, condition: dict[str, Any] | None, now: datetime) -> Standing:
    if condition is None:
        return "holds"
    kind = condition["type"]
    if kind in ("time", "manual"):
        return "holds" if read_time(condition["at"]) <= now else "open"
    ref = condition["ref"]
    if kind == "todo_done":
        return todo_standing(state, ref)
    if kind == "gate_answered":
        status = state.gates[ref].status
        if status == "chosen":
            return "holds"
        return "dead" if status in ("rejected", "expired", "withdrawn") else "open"
    return "holds" if criterion_state(state, state.criteria[ref]) == "met" else "open"


def condition_instant(condition: dict[str, Any] | None) -> datetime | None:
    """The moment at which a timed condition holds by itself."""
    return read_time(condition["at"]) if condition and "at" in condition else None


def todo_standing(state: State, ref: str, seen: frozenset[str] = frozenset()) -> Standing:
    """A superseded todo stands for its successors; a dropped one never comes."""
    todo = state.todos[ref]
    if todo.status == "done":
        return "holds"
    if todo.status == "dropped" or ref in seen:
        return "dead"
    if todo.status != "superseded":
        return "open"
    heirs = [todo_standing(state, heir, seen | {ref}) for heir in todo.superseded_by]
    if "dead" in heirs or not heirs:
        return "dead"
    return "open" if "open" in heirs else "holds"


def open_dependencies(state: State, todo: Todo) -> list[str]:
    return [ref for ref in todo.depends_on if todo_standing(state, ref) != "holds"]


def refuse_cycle(state: State, ref: str, needs: Iterable[str]) -> None:
    """Raises `cycle`, spelled out, if `ref` waiting for `needs` would wait for itself."""
    for first in needs:
        if path := _path(state, first, ref, frozenset()):
            spelled = " → ".join([ref, *path])
            raise Conflict(
                "cycle",
                f"{ref} would wait for itself: {spelled}.",
                "Leave out one of these dependencies.",
                cycle=[ref, *path],
            )


def _path(state: State, start: str, goal: str, seen: frozenset[str]) -> list[str]:
    if start == goal:
        return [goal]
    if start in seen or start not in state.todos:
        return []
    for following in _needs(state.todos[start]):
        if rest := _path(state, following, goal, seen | {start}):
            return [start, *rest]
    return []


def _needs(todo: Todo) -> list[str]:
    conditions = [todo.resume_when, (todo.blocked_on or {}).get("until")]
    awaited = [c["ref"] for c in conditions if c and c["type"] == "todo_done"]
    return [*todo.depends_on, *awaited, *todo.superseded_by]
