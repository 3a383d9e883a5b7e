"""Cells: what may be written per field type, and the other form in which it reads back."""

from __future__ import annotations

import re
from typing import Any

from tests.standin.errors import ApiError
from tests.standin.world import Field, Option, World

TEXT_LIMIT = 100_000
OPTION_LIMIT = 20_000
READ_ONLY = {19, 20, 1001, 1002, 1003, 1004, 1005}
CONVERSION = {1: 1254060, 2: 1254061, 3: 1254062, 4: 1254063, 5: 1254064, 7: 1254065, 11: 1254066}
CONVERSION[15] = 1254068
EARLIEST_MS = 100_000_000_000  # 1973 in milliseconds: below it somebody sent seconds

ADDRESS = re.compile(r"https?://[^\s<>\"']+")


class Seconds(Exception):
    """A date that looks like seconds; Feishu would silently store 1970."""


def check(field: Field, value: Any) -> None:
    """Raises the documented conversion error for a value the field does not take."""
    if field.type in READ_ONLY:
        raise ApiError(1254015, f"fields.{field.name} is read-only", status=400)
    if value is None:
        return
    if not _accepts(field.type, value):
        code = CONVERSION.get(field.type, 1254015)
        raise ApiError(code, f"Invalid request parameter: 'fields.{field.name}'")
    if field.type == 1 and len(value) > TEXT_LIMIT:
        raise ApiError(1254130, f"fields.{field.name}")


def _accepts(kind: int, value: Any) -> bool:
    match kind:
        case 1 | 3:
            return isinstance(value, str)
        case 2:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case 4:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case 5:
            return isinstance(value, int) and not isinstance(value, bool)
        case 7:
            return isinstance(value, bool)
        case 11:
            return isinstance(value, list) and all(set(item) == {"id"} for item in value)
        case 15:
            return isinstance(value, dict) and {"link"} <= set(value) <= {"text", "link"}
    return False


def is_seconds(field: Field, value: Any) -> bool:
    return field.type == 5 and isinstance(value, int) and 0 < value < EARLIEST_MS


def store(world: World, field: Field, value: Any) -> Any:
    """The stored form; None means the cell becomes empty. Unknown options come into being."""
    if value is None or value == "" or value == []:
        return None
    if field.type == 3:
        _option(world, field, value)
    if field.type == 4:
        for name in value:
            _option(world, field, name)
    return value


def _option(world: World, field: Field, name: str) -> None:
    if any(option.name == name for option in field.options):
        return
    if len(field.options) >= OPTION_LIMIT:
        raise ApiError(1254062, f"fields.{field.name}: too many options")
    field.options.append(Option(world.new_id("opt"), name, len(field.options) % 55))


def read(field: Field, value: Any, *, as_segments: bool = True) -> Any:
    """The read form: text comes as segments from search and batch_get."""
    if field.type == 1 and as_segments:
        return segments(value)
    return value


def segments(text: str) -> list[dict[str, str]]:
    parts: list[dict[str, str]] = []
    position = 0
    for found in ADDRESS.finditer(text):
        if found.start() > position:
            parts.append({"type": "text", "text": text[position : found.start()]})
        parts.append({"type": "url", "text": found.group(), "link": found.group()})
        position = found.end()
    if position < len(text):
        parts.append({"type": "text", "text": text[position:]})
    return parts
