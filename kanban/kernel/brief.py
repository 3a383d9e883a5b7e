"""Answers that must stay small: long words and lists are cut, and what was cut is named."""

from __future__ import annotations

import json
from typing import Any

# Each try: bytes left to a text, entries left to a list.
_LEVELS = ((800, 20), (300, 12), (140, 8), (80, 5), (48, 3), (32, 1))
_WORDS = frozenset(
    """
    objective title text body question explanation summary label consequence why fact note
    non_goals acceptance_check status_reason answer_text end_reason closing_note set_note rationale
    """.split()
)
# Commands that are cut short would do something else.
_WHOLE = frozenset({"next"})


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def fit(body: dict[str, Any], limit: int) -> dict[str, Any]:
    """`body` itself when its JSON has at most `limit` bytes, else a shorter form of it.

    The shorter form says in `shortened` which fields were cut; references, tags and digests
    stay whole.
    """
    if len(compact(body)) <= limit:
        return body
    short = body
    for size, count in _LEVELS:
        cut: set[str] = set()
        short = {name: _shorten(name, value, size, count, cut) for name, value in body.items()}
        short["shortened"] = sorted(cut)
        if len(compact(short)) <= limit:
            break
    return short


def _shorten(name: str, value: Any, size: int, count: int, cut: set[str]) -> Any:
    if name in _WHOLE:
        return value
    if isinstance(value, dict):
        return {key: _shorten(key, inner, size, count, cut) for key, inner in value.items()}
    if isinstance(value, list):
        if len(value) > count:
            cut.add(name)
        return [_shorten(name, inner, size, count, cut) for inner in value[:count]]
    if isinstance(value, str) and name in _WORDS and len(value.encode()) > size:
        cut.add(name)
        return value.encode()[: size - 3].decode(errors="ignore").rstrip() + "…"
    return value
