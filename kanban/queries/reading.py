"""Several SELECTs that see one and the same moment of the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def one_view() -> Iterator[Any]:
    """A cursor whose statements all see the same commit; inside a transaction, that one's.

    On SQLite a plain BEGIN takes no write lock, unlike `atomic()`, which is for writers here.
    """
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            yield cursor
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            if connection.connection.in_transaction:  # a view within a view is the same one
                yield cursor
                return
            cursor.execute("BEGIN")
            try:
                yield cursor
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield cursor
