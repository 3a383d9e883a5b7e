"""huey's side: hints that something may be behind. Lose them all and the sweep finds it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import timezone
from huey import crontab
from huey.contrib.djhuey import db_periodic_task, db_task, on_startup

from projections import requests
from projections.models import Board, Watch
from projections.sync import sync

log = logging.getLogger(__name__)
BUSY_DELAY = 3
# A killed worker's lease outlives it by a minute at most: the sweep's tries span that.
SWEEP_TRIES = 25


@contextmanager
def as_a_hint(what: str) -> Iterator[None]:
    """Never raises: what is not queued now the sweep finds within a minute."""
    try:
        yield
    except Exception:
        log.warning("the hint for %s was lost; the sweep will find it", what, exc_info=True)


def hint(goal: str) -> None:
    """After a commit on `goal`: wakes the worker if a board shows it."""
    with as_a_hint(goal):
        watching = Watch.objects.filter(goal=goal, board__enabled=True)
        for board_id in watching.values_list("board_id", flat=True):
            sync_board(board_id)


def hint_board(board_id: int) -> None:
    """After a board was switched on."""
    with as_a_hint(f"board {board_id}"):
        sync_board(board_id)


def hint_request(request_id: int) -> None:
    """After a request was stored."""
    with as_a_hint(f"request {request_id}"):
        run_request(request_id)


@db_task()  # type: ignore[untyped-decorator]
def sync_board(board_id: int, tries: int = 1) -> None:
    outcome = sync(board_id)
    if outcome.status == "busy" and tries:
        # Whoever is at it may have looked at this goal already, or may be dead.
        sync_board.schedule((board_id, tries - 1), delay=BUSY_DELAY)
    if outcome.retry_in:
        sync_board.schedule((board_id,), delay=outcome.retry_in)


@db_task()  # type: ignore[untyped-decorator]
def run_request(request_id: int) -> None:
    if board_id := requests.run_request(request_id):
        sync_board(board_id)


@db_periodic_task(crontab())  # type: ignore[untyped-decorator]
def sweep() -> None:
    for request_id in requests.left_behind(timezone.now()):
        run_request(request_id)
    for board_id in Board.objects.filter(enabled=True).values_list("pk", flat=True):
        sync_board(board_id, SWEEP_TRIES)


@on_startup()  # type: ignore[untyped-decorator]
def look_first() -> None:
    """A worker that comes back does not wait for the full minute."""
    sweep()
