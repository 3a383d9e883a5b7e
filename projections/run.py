"""One lease-held run over a board: render, compare, send the difference, record the confirmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction

from kanban.queries.projected import ProjectedGoal
from projections.attempts import Attempts
from projections.dirty import Plan, plan
from projections.leases import Lease
from projections.models import Board, Row, Watch
from projections.render import Rendered, render_all
from projections.sink import Sink, SinkError, Table

T = TypeVar("T")
Clock = Callable[[], datetime]
Source = Callable[[str, datetime], ProjectedGoal | None]

PASSES = 4  # over one goal, when the table turns out other than remembered
RECHECK = timedelta(minutes=10)  # time alone moves lanes and freshness without an event


@dataclass
class Tally:
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    withheld: int = 0
    goals: int = 0
    missing_columns: list[str] = field(default_factory=list)


class Run:
    def __init__(
        self,
        board: Board,
        table: Table,
        sink: Sink,
        lease: Lease,
        *,
        clock: Clock,
        source: Source,
        sleep: Callable[[float], None],
    ) -> None:
        self._board, self._table, self._sink, self._lease = board, table, sink, lease
        self._clock, self._source = clock, source
        self._attempts = Attempts(board, table, sink, lease, clock, sleep)
        self.tally = Tally()

    def open(self) -> None:
        """Checks the shape of the table and finishes what an earlier run left open."""
        missing = self._sink.schema(self._table)
        labels = {column.key: column.label for column in self._table.columns}
        self.tally.missing_columns = [labels[key] for key in missing]
        self.tally.added += self._attempts.settle_all()

    def goal(self, watch: Watch) -> None:
        cards = self._source(watch.goal, self._clock())
        desired: dict[str, Rendered] = {}
        if cards is not None:
            desired = render_all(cards.cards, self._board.audience, self._board.language)
        found = self._converge(watch.goal, desired)
        self.tally.unchanged += found.unchanged
        self.tally.withheld += sum(len(item.withheld) for item in desired.values())
        self.tally.goals += 1
        # Only now: everything up to this version is confirmed to stand in the sink.
        Watch.objects.filter(pk=watch.pk).update(
            cursor=cards.version if cards else watch.cursor, compared_at=self._clock()
        )

    def unwatched(self) -> None:
        """Rows of goals that this board no longer shows."""
        watched = set(self._board.watches.values_list("goal", flat=True))
        rows = Row.objects.filter(board=self._board, table=self._table.key)
        for goal in set(rows.values_list("goal", flat=True)) - watched:
            self._converge(goal, {})

    def _converge(self, goal: str, desired: dict[str, Rendered]) -> Plan:
        first: Plan | None = None
        for _ in range(PASSES):
            rows = Row.objects.filter(board=self._board, table=self._table.key, goal=goal)
            found = plan(desired, rows)
            first = first or found
            if found.empty:
                return first
            try:
                self._send(found)
            except SinkError as error:
                if not error.lookup:
                    raise
                self._look_again(found)
        raise SinkError(
            f"the rows of {goal} keep changing in the table", code="restless", retry_after=120
        )

    def _send(self, found: Plan) -> None:
        for removed in _batches(found.remove, self._sink.batch):
            self._lease.renew()
            self._sink.delete(self._table, [row.record_id for row in removed])
            Row.objects.filter(pk__in=[row.pk for row in removed]).delete()
            self.tally.removed += len(removed)
        for changed in _batches(found.change, self._sink.batch):
            self._update(changed)
        for added in _batches(found.add, self._sink.batch):
            self.tally.added += self._attempts.create(added)

    def _update(self, batch: Sequence[tuple[Row, Rendered]]) -> None:
        rows = [row for row, _item in batch]
        # Without a digest the rows count as dirty until the answer is here, whatever happens.
        Row.objects.filter(pk__in=[row.pk for row in rows]).update(digest="")
        self._lease.renew()
        self._sink.update(self._table, [(row.record_id, item.cells) for row, item in batch])
        now = self._clock()
        for row, item in batch:
            row.digest, row.written_at = item.digest, now
        Row.objects.bulk_update(rows, ["digest", "written_at"], batch_size=200)
        self.tally.changed += len(batch)

    def _look_again(self, found: Plan) -> None:
        """Somebody deleted or replaced rows: bring the map of record ids back to what is there."""
        self._sink.schema(self._table)
        rows = [*found.remove, *(row for row, _item in found.change)]
        if not rows:
            return
        there: dict[str, list[str]] = {}
        for stored in self._sink.find(self._table, [row.key for row in rows]):
            there.setdefault(stored.key, []).append(stored.record_id)
        for row in rows:
            record_ids = there.get(row.key, [])
            if not record_ids:
                Row.objects.filter(pk=row.pk).delete()
            elif row.record_id not in record_ids:
                with transaction.atomic():
                    mapped = Row.objects.filter(board=self._board, table=self._table.key)
                    mapped.filter(record_id=record_ids[0]).delete()
                    mapped.filter(pk=row.pk).update(record_id=record_ids[0], digest="")


def due(watch: Watch, version: int | None, now: datetime) -> bool:
    """Behind the goal's events, or not compared for so long that time may have moved cards."""
    if version != watch.cursor or watch.compared_at is None:
        return True
    return watch.compared_at <= now - RECHECK


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
