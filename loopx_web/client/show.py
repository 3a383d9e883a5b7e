"""Answers and refusals in words, for a terminal; with --json, the server's own body."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from loopx_web.client import shapes, words
from loopx_web.client.errors import LoopXError, Unreachable, exit_code, from_problem

# Fields of a problem that its detail already says, or that only programs read.
UNSPOKEN = frozenset(
    {"type", "title", "status", "code", "detail", "hint", "decision", "instance", "fields"}
)


def human(body: bytes) -> str:
    """Any JSON answer of the hot commands in words."""
    data = json.loads(body) if body else None
    return shapes.anything(data)


def facts(body: bytes) -> tuple[str, str, str]:
    """Turn id, epoch and todo reference of a turn or todo answer."""
    data = json.loads(body)
    owner = data.get("owner") or {}
    todo = data.get("todo", data.get("ref", ""))
    ref = todo.get("ref", "") if isinstance(todo, dict) else todo or ""
    return str(data.get("id", "")), str(data.get("epoch") or owner.get("epoch") or ""), ref


def refusal(status: int, body: bytes, *, as_json: bool) -> int:
    from loopx_web.client.wire import problem

    return report(from_problem(status, problem(status, body)), as_json=as_json)


def unreachable(detail: str, *, as_json: bool) -> int:
    error = Unreachable("", "")
    error.detail = error.problem["detail"] = detail
    return report(error, as_json=as_json)


def report(error: LoopXError, *, as_json: bool) -> int:
    """Says on stderr what was refused and returns the exit code."""
    text = json.dumps(error.problem, ensure_ascii=False) if as_json else in_words(error)
    sys.stdout.flush()
    print(text, file=sys.stderr)
    return exit_code(error)


def in_words(error: LoopXError) -> str:
    lines = [f"{error.code}: {error.detail}"]
    lines += [f"  {name}: {reason}" for name, reason in _fields(error.problem)]
    decision = error.problem.get("decision")
    if isinstance(decision, dict):
        lines += [f"  {line}" for line in words.decision(decision).splitlines()]
    lines += [
        f"  {name.replace('_', ' ')}: {words.inline(value)}"
        for name, value in error.problem.items()
        if name not in UNSPOKEN and value not in (None, "", [], {})
    ]
    if error.hint:
        lines.append(f"  {error.hint}")
    return "\n".join(lines)


def _fields(problem: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = problem.get("fields")
    if isinstance(found, dict):
        return [(str(name), words.inline(value)) for name, value in found.items()]
    if not isinstance(found, list):
        return []
    named = [item for item in found if isinstance(item, dict)]
    plain = ", ".join(str(item) for item in found if not isinstance(item, dict))
    said = [(str(item.get("field", "")), str(item.get("message", ""))) for item in named]
    return said + ([("fields", plain)] if plain else [])
