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


_END: dict[str, Standing] = {"done": "holds", "dropped": "dead"}


def todo_standing(state: State, ref: str) -> Standing:
    """A superseded todo stands for its successors; a dropped one never comes."""
    found: set[Standing] = set()
    seen, waiting = {ref}, [ref]
    while waiting:
        todo = state.todos[waiting.pop()]
        if todo.status != "superseded":
            found.add(_END.get(todo.status, "open"))
            continue
        if not todo.superseded_by:
            return "dead"
        heirs = [heir for heir in todo.superseded_by if heir not in seen]
        seen.update(heirs)
        waiting += heirs
    if "dead" in found or not found:
        return "dead"
    return "open" if "open" in found else "holds"


def open_dependencies(state: State, todo: Todo) -> list[str]:
    return [ref for ref in todo.depends_on if todo_standing(state, ref) != "holds"]


def refuse_cycle(state: State, ref: str, needs: Iterable[str]) -> None:
    """Raises `cycle`, spelled out, if `ref` waiting for `needs` would wait for itself."""
    if path := _path(state, needs, ref):
        spelled = " → ".join([ref, *path])
        raise Conflict(
            "cycle",
            f"{ref} would wait for itself: {spelled}.",
            "Leave out one of these dependencies.",
            cycle=[ref, *path],
        )


def _path(state: State, starts: Iterable[str], goal: str) -> list[str]:
    """A way along what waits for what, to `goal`; each todo is looked at once."""
    came_from: dict[str, str] = dict.fromkeys(starts, "")
    waiting = [*came_from]
    while waiting:
        ref = waiting.pop()
        if ref == goal:
            return _way(came_from, ref)
        for following in _needs(state.todos[ref]) if ref in state.todos else ():
            if following not in came_from:
                came_from[following] = ref
                waiting.append(following)
    return []


def _way(came_from: dict[str, str], ref: str) -> list[str]:
    way = [ref]
    while before := came_from[way[-1]]:
        way.append(before)
    return way[::-1]


def _needs(todo: Todo) -> list[str]:
    conditions = [todo.resume_when, (todo.blocked_on or {}).get("until")]
    awaited = [c["ref"] for c in conditions if c and c["type"] == "todo_done"]
    return [*todo.depends_on, *awaited, *todo.superseded_by]
