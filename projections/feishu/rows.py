"""Cells in Feishu's form and back: what is written is not what is read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from projections.sink import Cells, Column, Table, Value

TEXT_LIMIT = 100_000


def to_feishu(
    table: Table, names: Mapping[str, str], cells: Cells, *, clear: bool
) -> dict[str, Any]:
    """Our cells by field name; a column that is gone is left out. `clear` sends empty ones too."""
    fields: dict[str, Any] = {}
    for column in table.columns:
        if column.key not in names or column.key not in cells:
            continue
        value = _written(column, cells[column.key])
        if value is not None or clear:
            fields[names[column.key]] = value
    return fields


def _written(column: Column, value: Value) -> Any:
    if value is None or value == "":
        return None
    if column.kind == "time":
        assert isinstance(value, datetime)
        return int(value.timestamp() * 1000)
    if column.kind == "number":
        return value
    return str(value)[:TEXT_LIMIT]


def from_feishu(
    table: Table, names: Mapping[str, str], fields: Mapping[str, Any]
) -> dict[str, Value]:
    """The read form brought back to ours; absent cells are None."""
    return {
        column.key: _read(column, fields.get(names[column.key]))
        for column in table.columns
        if column.key in names
    }


def _read(column: Column, value: Any) -> Value:
    if value is None:
        return None
    if column.kind == "time":
        return datetime.fromtimestamp(int(value) / 1000, tz=UTC)
    if column.kind == "number":
        return float(value)
    return plain_text(value)


def plain_text(value: Any) -> str:
    """Text comes as one string or as segments, depending on the call."""
    if isinstance(value, list):
        return "".join(str(part.get("text", "")) for part in value if isinstance(part, dict))
    return str(value)
