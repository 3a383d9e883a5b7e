"""A begun turn and its packet as text for a prompt. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from loopx_web.client import words

Json = Mapping[str, Any]


def packet(data: Json) -> str:
    """What the work is, inside which bounds, what is known, and how to write back."""
    if not isinstance(data.get("goal"), dict):
        return words.table(data.items())
    return "\n".join(line for line in _lines(data) if line)


def turn(data: Json) -> str:
    todo = data.get("todo")
    ref = todo.get("ref") if isinstance(todo, dict) else todo
    title = f" {todo['title']}" if isinstance(todo, dict) and todo.get("title") else ""
    about = f"{ref}{title}" if ref else f"the gap {words.gap(data.get('gap'))}"
    lines = [f"Turn {data['id']} on {about}, epoch {data.get('epoch')}."]
    if data.get("lease_until"):
        ends = f"; the turn ends by {words.moment(data['ends_by'])}" if data.get("ends_by") else ""
        lines.append(f"Lease until {words.moment(data['lease_until'])}{ends}.")
    if data.get("packet"):
        lines += ["", packet(data["packet"])]
    return "\n".join(lines)


def _lines(data: Json) -> Iterator[str]:
    goal = data["goal"]
    yield f"Goal {goal.get('slug', '')}: {goal.get('title', '')} [{goal.get('status', '')}]"
    yield str(goal.get("objective") or "")
    for criterion in goal.get("acceptance") or []:
        yield f"  {criterion['ref']}  {criterion['text']} [{criterion.get('state', '')}]"
    decision = data.get("decision") or {}
    yield f"Decision for {data.get('agent', '')}: {words.headline(decision)}"
    yield str(decision.get("explanation") or "")
    for item in decision.get("questions") or []:
        yield from words.question(item)
    turn = data.get("turn")
    if turn:
        until = words.moment(turn.get("lease_until"))
        yield f"Turn {turn.get('id')}, epoch {turn.get('epoch')}, lease until {until}"
    yield from _todo(data.get("todo") or {})
    gap = data.get("gap")
    if gap:
        yield f"Gap: {gap.get('fact') or words.gap(gap)}"
    yield from (words.answered(item) for item in data.get("answers") or [])
    yield from _bounds(data)


def _todo(todo: Json) -> Iterator[str]:
    if not todo:
        return
    yield f"Todo {todo['ref']} {words.priority(todo)} {todo.get('title', '')}"
    yield from (str(todo[name]) for name in ("body", "target", "status_reason") if todo.get(name))
    if todo.get("acceptance_check"):
        yield f"Done when this exits 0: {todo['acceptance_check']}"
    for other in todo.get("depends_on") or []:
        yield f"  after {words.inline(other)}"


def _bounds(data: Json) -> Iterator[str]:
    boundary = data.get("boundary") or {}
    if boundary:
        yield f"Boundary: {boundary.get('note') or ''}".rstrip()
    yield from (f"  write {scope}" for scope in boundary.get("write_scope") or [])
    yield from (f"  not {line}" for line in boundary.get("non_goals") or [])
    for item in data.get("evidence") or []:
        yield f"Evidence {words.evidence_line(item)}"
    for item in data.get("comments") or []:
        yield f"Comment: {words.inline(item)}"
    yield from (f"Note: {words.notice(item)}" for item in data.get("notices") or [])
    steps = data.get("next") or []
    if steps:
        yield "Next:"
    yield from (f"  {command}" for command in steps)
