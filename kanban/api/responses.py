"""What operations answer, for the OpenAPI description; nothing is validated against it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model


class Problem(BaseModel):
    """RFC 9457, with a stable `code`; fields such as `owner` or `fields` come beside it."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    hint: str


_READING = (400, 401, 403, 404, 405, 422, 429, 500, 503)
_WRITING = (408, 409, 412, 413, 415, 421)
_SHAPES: dict[str, Any] = {}


def shape(name: str) -> Any:
    """An object whose fields docs/api.md lists."""
    if name not in _SHAPES:
        _SHAPES[name] = create_model(name, __config__=ConfigDict(extra="allow"))
    return _SHAPES[name]


def answers(
    name: str, *, created: bool = False, writes: bool = False, empty: bool = False
) -> dict[int, Any]:
    """`name` on success (201 as well where an object is made, 204 where there may be none)."""
    found: dict[int, Any] = {200: shape(name)} if name else {}
    if created:
        found[201] = shape(name)
    if empty:
        found[204] = None
    refused = _READING + (_WRITING if writes else ())
    return found | dict.fromkeys(refused, Problem)
