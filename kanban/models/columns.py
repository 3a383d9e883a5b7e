"""How a row of the kernel stands in its table: column names, and values in and out.

The hot paths read and write by SQL text built here, once, from the kernel's dataclasses: the ORM
costs them three to seven times as much.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from kanban.kernel.codec import FORMS, ROWS, Form
from kanban.kernel.state import TABLES

Value = Any


@dataclass(frozen=True)
class Columns:
    """One object's table: its columns are the fields of its dataclass, in their order."""

    name: str

    @property
    def table(self) -> str:
        return f"kanban_{self.name}"

    @property
    def key(self) -> str:
        return "slug" if self.name == "goal" else TABLES[self.name].key

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(FORMS[self.name])

    @cached_property
    def select(self) -> str:
        return ", ".join(f'"{name}"' for name in self.names)

    @cached_property
    def _readers(self) -> tuple[tuple[str, Callable[[Value], Value]], ...]:
        """The fields that are not in their table as they are in the kernel."""
        forms = FORMS[self.name].items()
        return tuple((name, _READ[form]) for name, form in forms if form in _READ)

    def read(self, values: Sequence[Value]) -> Any:
        """The kernel's row from the columns of `select`."""
        fields = dict(zip(self.names, values, strict=True))
        for name, reader in self._readers:
            value = fields[name]
            if value == "[]":  # most lists of most rows, and not worth a call
                fields[name] = ()
            elif value is not None:
                fields[name] = reader(value)
        return ROWS[self.name](**fields)

    def write(self, field: str, value: Value) -> Value:
        """A field's value as a query parameter."""
        form = FORMS[self.name][field]
        if form in ("list", "object"):
            return None if value is None else json.dumps(value, ensure_ascii=False)
        return value


def _read_time(value: datetime) -> datetime:
    """PostgreSQL gives an aware time; SQLite, through Django's converter, a bare one in UTC."""
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _read_json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _read_list(value: Any) -> tuple[Any, ...]:
    return tuple(_read_json(value))


_READ: dict[Form, Callable[[Value], Value]] = {
    "flag": bool,
    "time": _read_time,
    "list": _read_list,
    "object": _read_json,
}

COLUMNS: dict[str, Columns] = {name: Columns(name) for name in ROWS}
