"""The search filter: one level of conditions, text compared in its plain form."""

from __future__ import annotations

from typing import Any

from tests.standin.errors import ApiError
from tests.standin.world import Field, Json, Record, Table

MAX_CONDITIONS, MAX_VALUES = 50, 10
OPERATORS = {"is", "isNot", "contains", "doesNotContain", "isEmpty", "isNotEmpty"}
OPERATORS |= {"isGreater", "isGreaterEqual", "isLess", "isLessEqual"}


def matches(table: Table, record: Record, condition: Json | None) -> bool:
    if not condition:
        return True
    conjunction = condition.get("conjunction", "and")
    conditions: list[Json] = condition.get("conditions") or []
    if conjunction not in {"and", "or"} or len(conditions) > MAX_CONDITIONS:
        raise ApiError(1254018)
    results = [_holds(table, record, item) for item in conditions]
    return all(results) if conjunction == "and" else any(results)


def _holds(table: Table, record: Record, item: Json) -> bool:
    field = table.field_named(str(item.get("field_name")))
    operator, wanted = item.get("operator"), item.get("value")
    if field is None or operator not in OPERATORS or not isinstance(wanted, list):
        raise ApiError(1254018, str(item.get("field_name")))
    if len(wanted) > MAX_VALUES or any(not isinstance(value, str) for value in wanted):
        raise ApiError(1254018, "value")
    stored: Any = record.cells.get(field.id)
    if operator in {"isEmpty", "isNotEmpty"}:
        return (operator == "isEmpty") is (stored is None)
    return _compare(field, str(operator), stored, wanted)


def _compare(field: Field, operator: str, stored: Any, wanted: list[str]) -> bool:
    if field.type not in {1, 2, 3}:
        raise ApiError(1254018, f"operator {operator} on {field.name} is not modelled")
    if field.type == 2 and operator not in {"contains", "doesNotContain"}:
        return _compare_numbers(operator, stored, float(wanted[0]))
    text = "" if stored is None else str(stored)
    match operator:
        case "is":
            return text in wanted
        case "isNot":
            return text not in wanted
        case "contains":
            return any(value in text for value in wanted)
        case "doesNotContain":
            return all(value not in text for value in wanted)
    raise ApiError(1254018, operator)


def _compare_numbers(operator: str, stored: float | None, wanted: float) -> bool:
    if stored is None:
        return operator == "isNot"
    return {
        "is": stored == wanted,
        "isNot": stored != wanted,
        "isGreater": stored > wanted,
        "isGreaterEqual": stored >= wanted,
        "isLess": stored < wanted,
        "isLessEqual": stored <= wanted,
    }[operator]
