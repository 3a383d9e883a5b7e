"""The hot statements as SQL text, in one dialect for SQLite and PostgreSQL."""

from __future__ import annotations

from functools import cache

from kanban.models.columns import Columns

LOCK_GOAL = "SELECT id FROM kanban_goal WHERE slug = %s FOR UPDATE"

# Any number will do, as long as nothing else in the database uses it.
LOCK_CREATION = "SELECT pg_advisory_xact_lock(76797880)"

INSERT_EVENT = """
    INSERT INTO kanban_event
        (goal_id, version, kind, actor, subject, data, texts, at, request_id, prev_hash, hash)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""

FIND_RECEIPT = """
    SELECT body_hash, receipt FROM kanban_storedreceipt
    WHERE caller = %s AND route = %s AND key = %s
"""

INSERT_RECEIPT = """
    INSERT INTO kanban_storedreceipt (caller, route, key, body_hash, receipt, at)
    VALUES (%s, %s, %s, %s, %s, %s)
"""


@cache
def insert(columns: Columns) -> str:
    names = ", ".join(f'"{name}"' for name in columns.names)
    marks = ", ".join(["%s"] * (len(columns.names) + 1))
    return f"INSERT INTO {columns.table} (goal_id, {names}) VALUES ({marks})"


@cache
def update(columns: Columns, fields: tuple[str, ...], *, versioned: bool) -> str:
    sets = ", ".join(f'"{field}" = %s' for field in fields)
    guard = " AND version = %s" if versioned else ""
    return f'UPDATE {columns.table} SET {sets} WHERE goal_id = %s AND "{columns.key}" = %s{guard}'


@cache
def update_goal(fields: tuple[str, ...]) -> str:
    sets = ", ".join(f'"{field}" = %s' for field in fields)
    return f"UPDATE kanban_goal SET {sets}, head_hash = %s WHERE id = %s AND version = %s"
