"""`write(fn)`: one transaction behind the one fair gate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar

from django.db import OperationalError, connection, transaction

from kanban.store.queue import WriteQueue

T = TypeVar("T")

_queues: dict[str, WriteQueue] = {}
# Serialisation failure and deadlock: PostgreSQL asks to run the same transaction again.
_RETRY = {"40001", "40P01"}


def write(work: Callable[[], T]) -> T:
    """Runs `work` in one durable transaction; what it raises rolls everything back.

    On PostgreSQL it may run twice, so it must not act on anything but the database.
    """
    try:
        return _once(work)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) not in _RETRY:
            raise
    return _once(work)


def _once(work: Callable[[], T]) -> T:
    queue = _queue()
    with queue.turn() if queue else nullcontext(), transaction.atomic(durable=True):
        return work()


def _queue() -> WriteQueue | None:
    if connection.vendor != "sqlite":
        return None
    path = str(connection.settings_dict["NAME"])
    return _queues.setdefault(path, WriteQueue(Path(f"{path}.lock")))
