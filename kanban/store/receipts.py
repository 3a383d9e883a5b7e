"""Idempotency: the first answer to a caller's key is the answer to all of its repeats."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db import connection

from kanban.kernel.codec import digest
from kanban.kernel.errors import Conflict
from kanban.store import sql


def find_receipt(caller: str, route: str, key: str, request: Any) -> str | None:
    """The stored receipt's JSON; raises `idempotency_mismatch` for another body."""
    with connection.cursor() as cursor:
        cursor.execute(sql.FIND_RECEIPT, [caller, route, key])
        row = cursor.fetchone()
    if row is None:
        return None
    if row[0] != body_hash(request):
        raise Conflict(
            "idempotency_mismatch",
            "This Idempotency-Key was used before with another request.",
            "Make a new key for a new request; repeat a request unchanged.",
        )
    return str(row[1])


def keep_receipt(
    caller: str, route: str, key: str, request: Any, receipt: str, now: datetime
) -> None:
    at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(sql.INSERT_RECEIPT, [caller, route, key, body_hash(request), receipt, at])


def body_hash(request: Any) -> str:
    return digest(json.dumps(request, sort_keys=True, default=str))
