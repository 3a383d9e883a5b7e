"""Rows and changes as JSON: one encoding for the event log, for hashing and for tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime
from types import UnionType
from typing import Any, Literal, get_args, get_type_hints

from kanban.kernel.state import TABLES, Goal, RowKey

Form = Literal["plain", "flag", "time", "date", "list", "object"]


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_FORM_OF: dict[type, Form] = {bool: "flag", datetime: "time", date: "date"}


def _form(hint: Any) -> Form:
    parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    for kind, form in _FORM_OF.items():
        if kind in parts:
            return form
    origins = {getattr(part, "__origin__", part) for part in parts}
    if tuple in origins:
        return "list"
    return "object" if dict in origins else "plain"


ROWS: dict[str, type[Any]] = {"goal": Goal, **{name: t.row for name, t in TABLES.items()}}
# How each field of an object is written, read off its annotation; and which fields hold words.
FORMS: dict[str, dict[str, Form]] = {
    name: {field: _form(hint) for field, hint in get_type_hints(row).items()}
    for name, row in ROWS.items()
}
TEXTS: dict[str, frozenset[str]] = {
    name: frozenset(f.name for f in fields(row) if f.metadata.get("text"))
    for name, row in ROWS.items()
}


def write_time(value: datetime) -> str:
    """RFC 3339 in UTC, always with microseconds, so that text order is time order."""
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_time(value: str) -> datetime:
    return datetime.fromisoformat(value).astimezone(UTC)


def to_json(form: Form, value: Any) -> Any:
    if value is None:
        return None
    if form == "time":
        return write_time(value)
    if form == "date":
        return value.isoformat()
    return list(value) if form == "list" else value


def from_json(form: Form, value: Any) -> Any:
    if value is None:
        return None
    if form == "time":
        return read_time(value)
    if form == "date":
        return date.fromisoformat(value)
    return tuple(value) if form == "list" else value


def encode_rows(
    rows: Mapping[RowKey, Mapping[str, Any]], salt: Callable[[], str]
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The `data` and `texts` of an event.

    In `data` each text stands as the digest of its salted JSON; `texts` maps the digest to salt
    and words, outside the hash, so that a leaked secret can be erased and the chain still holds.
    """
    data: dict[str, dict[str, Any]] = {}
    texts: dict[str, Any] = {}
    for (name, key), values in rows.items():
        form, secret = FORMS[name], TEXTS[name]
        encoded: dict[str, Any] = {}
        for field, value in values.items():
            plain = to_json(form[field], value)
            if field in secret and plain:
                grain = salt()
                mark = digest(grain + canonical(plain))
                texts[mark] = {"salt": grain, "text": plain}
                encoded[field] = mark
            else:
                encoded[field] = plain
        data[f"{name}/{key}"] = encoded
    return data, texts


def decode_rows(
    data: Mapping[str, Mapping[str, Any]], texts: Mapping[str, Any]
) -> dict[RowKey, dict[str, Any]]:
    """The changed fields of an event, texts put back; an erased text reads as empty."""
    rows: dict[RowKey, dict[str, Any]] = {}
    for address, values in data.items():
        name, _, key = address.partition("/")
        form, secret = FORMS[name], TEXTS[name]
        rows[name, key] = {
            field: from_json(form[field], _words(value, texts) if field in secret else value)
            for field, value in values.items()
        }
    return rows


def _words(value: Any, texts: Mapping[str, Any]) -> Any:
    return texts[value]["text"] if isinstance(value, str) and value in texts else value
