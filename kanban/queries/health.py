"""Whether the database answers."""

from __future__ import annotations

from django.db import connection


def database_answers() -> None:
    """Raises a database error when tables cannot be read."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM kanban_goal LIMIT 1")
        cursor.fetchone()
