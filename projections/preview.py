"""What would leave, cell by cell, before anything does."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.queries import projected
from projections.columns import cards_table
from projections.dirty import plan
from projections.models import Board, Row
from projections.render import Rendered, render_all
from projections.scrub import LABELS
from projections.sink import Table

SHOWN = 200  # rows per kind; the counts are always whole


def preview(board: Board, now: datetime) -> dict[str, Any]:
    """Add, change, remove, unchanged and withheld; asks nothing of the sink."""
    table = cards_table(board.language)
    found: dict[str, list[dict[str, Any]]] = {"add": [], "change": [], "remove": [], "withheld": []}
    unchanged = 0
    for watch in board.watches.all():
        cards = projected.load(watch.goal, now)
        desired = render_all(cards.cards, board.audience, board.language) if cards else {}
        rows = Row.objects.filter(board=board, table=table.key, goal=watch.goal)
        plans = plan(desired, rows)
        found["add"] += [_row(table, item) for item in plans.add]
        found["change"] += [_row(table, item) for _known, item in plans.change]
        found["remove"] += [{"key": row.key} for row in plans.remove]
        found["withheld"] += [row for item in desired.values() for row in _withheld(table, item)]
        unchanged += plans.unchanged
    counts = {kind: len(rows) for kind, rows in found.items()} | {"unchanged": unchanged}
    return {
        "table": table.label,
        "columns": [column.label for column in table.columns],
        "counts": counts,
        **{kind: rows[:SHOWN] for kind, rows in found.items()},
    }


def _row(table: Table, item: Rendered) -> dict[str, Any]:
    cells = {}
    for column in table.columns:
        value = item.cells.get(column.key)
        if value not in (None, ""):
            cells[column.label] = value.isoformat() if isinstance(value, datetime) else value
    return {"key": item.key, "cells": cells}


def _withheld(table: Table, item: Rendered) -> list[dict[str, Any]]:
    labels = {column.key: column.label for column in table.columns}
    return [
        {"key": item.key, "column": labels[column], "kind": kind, "kind_label": LABELS[kind]}
        for column, kind in item.withheld
    ]
