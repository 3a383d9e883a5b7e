"""Saving a draft: the rows it touched and one hash-chained event for each of its changes."""

from __future__ import annotations

import secrets
from dataclasses import fields
from datetime import datetime
from typing import Any

from django.db import connection

from kanban.kernel.codec import canonical, encode_rows
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Busy
from kanban.kernel.event import event_hash
from kanban.kernel.state import TABLES, RowKey, State
from kanban.models.columns import COLUMNS, Columns
from kanban.store import sql


def lock_goal(slug: str) -> None:
    """Other writers of this goal wait from here on; SQLite has one writer anyway."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(sql.LOCK_GOAL, [slug])


def lock_creation() -> None:
    """Other creators of goals wait from here on, so that a slug that was free stays free."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(sql.LOCK_CREATION)


def insert_goal(slug: str) -> int:
    """The empty row from which a goal's first event starts; returns its id."""
    from kanban.models import Goal

    return Goal.objects.create(slug=slug).pk


def save(draft: Draft, *, goal_id: int, head_hash: str, request_id: str) -> None:
    """Writes all of it; raises `busy` if a row is not as the draft found it."""
    if not draft.changes:
        return
    head = _append_events(draft, goal_id, head_hash, request_id)
    with connection.cursor() as cursor:
        for row_key in _touched(draft):
            _save_row(cursor, draft, goal_id, row_key)
        _save_goal(cursor, draft, goal_id, head)


def _append_events(draft: Draft, goal_id: int, head_hash: str, request_id: str) -> str:
    """Appends the draft's changes to the log and returns the new head of the chain."""
    slug, version = draft.state.goal.slug, draft.before.goal.version
    lines = []
    for change in draft.changes:
        version += 1
        data, texts = encode_rows(change.rows, _salt)
        mark = event_hash(
            goal=slug,
            version=version,
            kind=change.kind,
            actor=change.actor,
            subject=change.subject,
            data=data,
            at=change.at,
            request_id=request_id,
            prev_hash=head_hash,
        )
        lines.append(
            [
                goal_id,
                version,
                change.kind,
                change.actor,
                change.subject,
                canonical(data),
                canonical(texts),
                _time(change.at),
                request_id,
                head_hash,
                mark,
            ]
        )
        head_hash = mark
    with connection.cursor() as cursor:
        cursor.executemany(sql.INSERT_EVENT, lines)
    return head_hash


def _salt() -> str:
    return secrets.token_hex(16)


def _touched(draft: Draft) -> list[RowKey]:
    seen: dict[RowKey, None] = {}
    for change in draft.changes:
        seen.update(dict.fromkeys(change.rows))
    return [key for key in seen if key[0] != "goal"]


def _save_row(cursor: Any, draft: Draft, goal_id: int, row_key: RowKey) -> None:
    name, key = row_key
    columns = COLUMNS[name]
    before = _row(draft.before, name, key)
    after = _row(draft.state, name, key)
    if before is None:
        values = [_parameter(columns, field, getattr(after, field)) for field in columns.names]
        cursor.execute(sql.insert(columns), [goal_id, *values])
        return
    changed = _changed(before, after)
    if not changed:
        return
    values = [_parameter(columns, field, getattr(after, field)) for field in changed]
    guard = [before.version] if TABLES[name].versioned else []
    cursor.execute(
        sql.update(columns, changed, versioned=bool(guard)), [*values, goal_id, key, *guard]
    )
    _require_one(cursor, f"{name} {key}")


def _save_goal(cursor: Any, draft: Draft, goal_id: int, head: str) -> None:
    columns = COLUMNS["goal"]
    changed = _changed(draft.before.goal, draft.state.goal)
    values = [_parameter(columns, field, getattr(draft.state.goal, field)) for field in changed]
    cursor.execute(sql.update_goal(changed), [*values, head, goal_id, draft.before.goal.version])
    _require_one(cursor, f"goal {draft.state.goal.slug}")


def _row(state: State, name: str, key: str) -> Any:
    return getattr(state, TABLES[name].name).get(key)


def _changed(before: Any, after: Any) -> tuple[str, ...]:
    return tuple(
        field.name
        for field in fields(after)
        if getattr(before, field.name) != getattr(after, field.name)
    )


def _parameter(columns: Columns, field: str, value: Any) -> Any:
    encoded = columns.write(field, value)
    return _time(encoded) if isinstance(encoded, datetime) else encoded


def _time(value: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(value)


def _require_one(cursor: Any, what: str) -> None:
    # The row count decides, on every database.
    if cursor.rowcount != 1:
        raise Busy("busy", f"{what} changed meanwhile; nothing was written.", "Send it again.")
