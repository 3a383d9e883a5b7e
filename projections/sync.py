"""Brings boards up to date: who may run when, and what a failure leaves behind."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_noop as _

from kanban.queries import projected
from loopx_web import env
from projections.columns import cards_table
from projections.leases import LeaseLost, acquire
from projections.models import Attempt, Board, Row, Watch
from projections.run import Clock, Run, Source, due
from projections.sink import SinkError
from projections.sinks import Opener, open_sink

log = logging.getLogger(__name__)

ROUNDS = 3  # a goal that moves while we write is looked at again
FIRST_RETRY, LAST_RETRY = 15.0, 900.0
MISSING_COLUMN_REMEDY = _("Run set-up again: it adds what is missing. The other columns go on.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """done, busy (another worker is at it), off, waiting (for a retry or a person), failed."""

    status: str
    report: dict[str, Any] = field(default_factory=dict)
    error: SinkError | None = None
    retry_in: float | None = None  # seconds, after a failure that may pass


def sync(
    board_id: int,
    *,
    asked: bool = False,
    clock: Clock = timezone.now,
    source: Source | None = None,
    opener: Opener = open_sink,
    sleep: Callable[[float], None] = time.sleep,
) -> Outcome:
    """One run. `asked` by a person: retries at once, and compares goals that look up to date."""
    board = Board.objects.filter(pk=board_id).first()
    if board is None or not board.enabled:
        return Outcome("off")
    if not asked and _must_wait(board, clock()):
        return Outcome("waiting")
    watches = _due(board, clock(), everything=asked)
    if not asked and not watches and not _unfinished(board):
        return Outcome("done", {"goals": 0})
    lease = acquire(board_id, clock)
    if lease is None:
        return Outcome("busy")
    board.refresh_from_db()
    try:
        run = Run(
            board,
            cards_table(board.language),
            opener(board, lease.renew),
            lease,
            clock=clock,
            source=source or projected.load,
            sleep=sleep,
        )
        return _run(board, run, watches, clock)
    except LeaseLost:
        return Outcome("busy")
    except SinkError as error:
        return failed(board, error, clock())
    except env.BadSetting as error:
        return failed(board, bad_setting(error), clock())
    except Exception as error:
        log.exception("sync of board %s", board.slug)
        detail = f"the run ended with {type(error).__name__}; the worker's log says where"
        failed(board, SinkError(detail, code="internal"), clock())
        raise
    finally:
        lease.release()


def _run(board: Board, run: Run, watches: list[Watch], clock: Clock) -> Outcome:
    run.open()
    for _round in range(ROUNDS):
        for watch in watches:
            run.goal(watch)
        watches = _due(board, clock(), everything=False)
        if not watches:
            break
    run.unwatched()
    _succeeded(board, run, clock())
    return Outcome("done", asdict(run.tally))


def _must_wait(board: Board, now: datetime) -> bool:
    if board.health == "broken":
        return True
    return board.retry_at is not None and board.retry_at > now


def _due(board: Board, now: datetime, *, everything: bool) -> list[Watch]:
    watches = list(board.watches.all())
    if everything:
        return watches
    return [watch for watch in watches if due(watch, projected.version_of(watch.goal), now)]


def _unfinished(board: Board) -> bool:
    return (
        Attempt.objects.filter(board=board).exists()
        or Row.objects.filter(board=board, digest="").exists()
    )


def _succeeded(board: Board, run: Run, now: datetime) -> None:
    missing = ", ".join(run.tally.missing_columns)
    Board.objects.filter(pk=board.pk).update(
        health="degraded" if missing else "ok",
        error_code="missing_column" if missing else "",
        error_detail=f"columns are gone from the table: {missing}" if missing else "",
        error_remedy=MISSING_COLUMN_REMEDY if missing else "",
        failed_at=now if missing else None,
        failures=0,
        retry_at=None,
        synced_at=now,
        withheld=run.tally.withheld,
    )


def failed(board: Board, error: SinkError, now: datetime) -> Outcome:
    """Keeps what went wrong where a person sees it, and decides when to try again."""
    log.warning("board %s: %s", board.slug, error)
    failures = board.failures + 1
    wait = max(error.retry_after or 0.0, min(FIRST_RETRY * 2 ** (failures - 1), LAST_RETRY))
    Board.objects.filter(pk=board.pk).update(
        health="broken" if error.permanent else "retrying",
        error_code=error.code,
        error_detail=error.detail,
        error_remedy=error.remedy,
        failed_at=now,
        failures=failures,
        retry_at=None if error.permanent else now + timedelta(seconds=wait),
    )
    return Outcome("failed", error=error, retry_in=None if error.permanent else wait + 1)


def bad_setting(error: env.BadSetting) -> SinkError:
    return SinkError(
        str(error),
        permanent=True,
        code="bad_setting",
        remedy=_("Correct it and restart the worker."),
    )
