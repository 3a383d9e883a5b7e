"""What people ask of a board: kept as a row, run by the worker, answered with a report."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_noop as _

from loopx_web import env
from projections.columns import tables
from projections.leases import Lease, acquire, lease_seconds
from projections.models import Board, Request
from projections.preview import preview
from projections.sink import Finding, SinkError
from projections.sinks import open_sink
from projections.sync import bad_setting, failed, sync

log = logging.getLogger(__name__)

Report = dict[str, Any]
BUSY = SinkError(
    "another worker holds this board", code="busy", remedy=_("Wait a minute and ask again.")
)


def run_request(request_id: int) -> int | None:
    """Runs a queued request once; the row count decides which worker does.

    Returns the board that a set-up has just switched on, for its first sync.
    """
    now = timezone.now()
    taken = Request.objects.filter(pk=request_id, status="queued").update(
        status="running", started_at=now
    )
    if not taken:
        return None
    request = Request.objects.select_related("board").get(pk=request_id)
    try:
        report = ACTIONS[request.action](request)
    except SinkError as error:
        _end(request, error=error)
    except env.BadSetting as error:
        _end(request, error=bad_setting(error))
    except Exception as error:
        log.exception("request %s of board %s", request.action, request.board.slug)
        _end(
            request, error=SinkError(f"the run ended with {type(error).__name__}", code="internal")
        )
    else:
        _end(request, report=report)
        if request.action == "setup" and report["executed"]:
            return request.board_id
    return None


def _end(request: Request, *, report: Report | None = None, error: SinkError | None = None) -> None:
    Request.objects.filter(pk=request.pk, status="running").update(
        status="failed" if error else "done",
        report=report,
        error=problem(error) if error else None,
        ended_at=timezone.now(),
    )


def problem(error: SinkError) -> dict[str, str]:
    return {"code": error.code or "sink", "detail": error.detail, "hint": error.remedy}


def _setup(request: Request) -> Report:
    """Shows what set-up would do; with `execute` does it and switches the board on."""
    board = request.board
    lease = _lease(board)
    try:
        board.refresh_from_db()
        sink = open_sink(board, lease.renew)
        steps = sink.prepare(tables(board.language), execute=request.execute)
    except SinkError as error:
        failed(board, error, timezone.now())
        raise
    finally:
        lease.release()
    if request.execute:
        Board.objects.filter(pk=board.pk).update(
            enabled=True,
            health="ok",
            error_code="",
            error_detail="",
            error_remedy="",
            retry_at=None,
        )
    board.refresh_from_db()
    return {
        "executed": request.execute,
        "steps": [asdict(step) for step in steps],
        "url": board.url,
        "enabled": board.enabled,
    }


def _lease(board: Board) -> Lease:
    for _attempt in range(20):
        lease = acquire(board.pk, timezone.now)
        if lease is not None:
            return lease
        time.sleep(0.5)
    raise BUSY


def _preview(request: Request) -> Report:
    return preview(request.board, timezone.now())


def _sync(request: Request) -> Report:
    if not request.execute:
        return _preview(request)
    outcome = sync(request.board_id, asked=True)
    if outcome.error:
        raise outcome.error
    if outcome.status == "off":
        raise SinkError(
            "the board is not switched on", code="off", remedy=_("Run set-up with --execute first.")
        )
    if outcome.status == "busy":
        raise BUSY
    board = Board.objects.get(pk=request.board_id)
    return {**outcome.report, "executed": True, "url": board.url}


def _doctor(request: Request) -> Report:
    board = request.board
    findings = [
        Finding(
            "switched on",
            board.enabled,
            "yes" if board.enabled else "no",
            _("Run set-up --execute."),
        ),
        Finding(
            "last run",
            board.health in ("ok", "new"),
            board.error_detail or board.get_health_display(),
            board.error_remedy,
        ),
    ]
    if board.place.get("app_token"):
        findings += open_sink(board, lambda: None).doctor(tables(board.language))
    ok = all(finding.ok for finding in findings)
    return {"ok": ok, "findings": [asdict(finding) for finding in findings]}


ACTIONS: dict[str, Callable[[Request], Report]] = {
    "setup": _setup,
    "preview": _preview,
    "sync": _sync,
    "doctor": _doctor,
}


def left_behind(now: datetime) -> list[int]:
    """Requests whose hint was lost, and those that a killed worker took with it."""
    dead = now - timedelta(seconds=lease_seconds() + 60)
    Request.objects.filter(status="running", started_at__lte=dead).update(status="queued")
    return list(Request.objects.filter(status="queued").values_list("pk", flat=True))
