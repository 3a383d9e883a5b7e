"""What comes after completed work: work never just stops (kernel: typed continuation)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]


def successors(*todos: str | Mapping[str, Any]) -> Json:
    """New todos (a title, or a todo body) or existing ones (`T5`)."""
    return {"type": "successors", "todos": [_successor(todo) for todo in todos]}


def handoff(
    next_step: str,
    *,
    summary: str,
    agent: str = "",
    capability: str = "",
    questions: Sequence[str] = (),
    references: Sequence[str] = (),
    todo: Mapping[str, Any] | None = None,
) -> Json:
    """One successor bound to its receiver (an agent, a capability, or anyone) with a note."""
    to: Json = {"agent": agent} if agent else {"capability": capability}
    body: Json = {
        "type": "handoff",
        "to": to if agent or capability else {"anyone": True},
        "summary": summary,
        "next_step": next_step,
    }
    extra = {"questions": list(questions), "references": list(references), "todo": todo}
    return body | {name: value for name, value in extra.items() if value}


def gate(question: str, *, options: Sequence[Mapping[str, str]] = (), **fields: Any) -> Json:
    """A concrete question to a person (`fields`: kind, decision_scope, why, blocks, fallback…)."""
    return {"type": "gate", "gate": question_body(question, options, fields)}


def monitor(title: str, *, target: str, cadence_seconds: int, **fields: Any) -> Json:
    """Something to watch from now on."""
    watch = {"target": target, "cadence_seconds": cadence_seconds}
    watch |= {name: fields.pop(name) for name in ("next_due_at", "expires_at") if name in fields}
    todo = {"title": title, "kind": "monitor", "monitor": watch, **fields}
    return {"type": "monitor", "monitor": todo}


def nothing(rationale: str) -> Json:
    """Nothing follows, and this is why."""
    return {"type": "none", "rationale": rationale}


def question_body(
    question: str, options: Sequence[Mapping[str, str]], fields: Mapping[str, Any]
) -> Json:
    body: Json = {"question": question, **fields}
    return body | ({"options": [dict(option) for option in options]} if options else {})


def _successor(todo: str | Mapping[str, Any]) -> Json:
    if not isinstance(todo, str):
        return dict(todo)
    return {"ref": todo} if re.fullmatch(r"T[0-9]+", todo) else {"title": todo}
