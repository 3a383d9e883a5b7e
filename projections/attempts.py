"""Creates that survive a crash: stored first, looked up by key when no answer came."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from projections.leases import Lease
from projections.models import Attempt, Board, Row
from projections.render import Rendered
from projections.sink import Cells, Sink, SinkError, Stored, Table, Value

ROUNDS = 4
TOKEN_CONFLICT = "1255006"


class Attempts:
    """The creates of one board's table, for the worker that holds its lease."""

    def __init__(
        self,
        board: Board,
        table: Table,
        sink: Sink,
        lease: Lease,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self._board, self._table, self._sink, self._lease = board, table, sink, lease
        self._clock, self._sleep = clock, sleep

    def create(self, batch: Sequence[Rendered]) -> int:
        attempt = Attempt.objects.create(
            board=self._board,
            table=self._table.key,
            client_token=uuid.uuid4(),
            rows=[_kept(item) for item in batch],
            created_at=self._clock(),
        )
        try:
            record_ids = self._insert(attempt)
        except SinkError as error:
            if error.unclear:
                return self._settle(attempt)
            # A refusal is an answer: nothing was written, and the rows stay dirty.
            attempt.delete()
            raise
        return self._record(attempt, record_ids)

    def settle_all(self) -> int:
        """Finishes what an earlier run began without learning how it ended."""
        pending = Attempt.objects.filter(board=self._board, table=self._table.key)
        return sum(self._settle(attempt) for attempt in pending)

    def _insert(self, attempt: Attempt) -> list[str]:
        self._lease.renew()
        rows = [_cells(self._table, row["cells"]) for row in attempt.rows]
        return self._sink.insert(self._table, rows, str(attempt.client_token))

    def _settle(self, attempt: Attempt) -> int:
        """Looks for the rows; absent, sends the same body with the same token, never another.

        While the first request is still on its way, the token keeps the second from doubling it.
        """
        problem = SinkError("a create was never answered", unclear=True, code="no_answer")
        for round_number in range(ROUNDS):
            if round_number:
                self._sleep(float(2**round_number) / 2)
            self._lease.renew()
            found = self._sink.find(self._table, [row["key"] for row in attempt.rows])
            if found:
                return self._adopt(attempt, found)
            try:
                return self._record(attempt, self._insert(attempt))
            except SinkError as error:
                if error.lookup and error.code == TOKEN_CONFLICT:
                    # The token stands for another body, so our rows cannot come from it.
                    attempt.client_token = uuid.uuid4()
                    attempt.save(update_fields=["client_token"])
                elif error.lookup:
                    self._sink.schema(self._table)
                elif not error.unclear:
                    raise
                problem = error
        raise problem

    def _adopt(self, attempt: Attempt, found: list[Stored]) -> int:
        """Rows found by key are ours; a second one of the same key goes."""
        first: dict[str, str] = {}
        surplus: list[str] = []
        for stored in found:
            if stored.key in first:
                surplus.append(stored.record_id)
            else:
                first[stored.key] = stored.record_id
        if surplus:
            self._sink.delete(self._table, surplus)
        written = [row for row in attempt.rows if row["key"] in first]
        return self._store(attempt, [(row, first[row["key"]]) for row in written])

    def _record(self, attempt: Attempt, record_ids: list[str]) -> int:
        return self._store(attempt, list(zip(attempt.rows, record_ids, strict=True)))

    def _store(self, attempt: Attempt, pairs: list[tuple[dict[str, Any], str]]) -> int:
        now = self._clock()
        rows = Row.objects.filter(board=self._board, table=self._table.key)
        with transaction.atomic():
            # Somebody may have written one card's key into another card's row.
            rows.filter(record_id__in=[record_id for _row, record_id in pairs]).delete()
            Row.objects.bulk_create(
                [
                    Row(
                        board=self._board,
                        table=self._table.key,
                        key=row["key"],
                        goal=row["goal"],
                        record_id=record_id,
                        digest=row["digest"],
                        written_at=now,
                    )
                    for row, record_id in pairs
                ],
                update_conflicts=True,
                unique_fields=["board", "table", "key"],
                update_fields=["record_id", "digest", "goal", "written_at"],
                batch_size=200,
            )
            attempt.delete()
        return len(pairs)


def _kept(item: Rendered) -> dict[str, Any]:
    cells = {
        column: value.isoformat() if isinstance(value, datetime) else value
        for column, value in item.cells.items()
    }
    return {"key": item.key, "goal": item.goal, "digest": item.digest, "cells": cells}


def _cells(table: Table, kept: dict[str, Any]) -> Cells:
    cells: dict[str, Value] = dict(kept)
    for column in table.columns:
        value = kept.get(column.key)
        if column.kind == "time" and value:
            cells[column.key] = datetime.fromisoformat(value)
    return cells
