"""What follows a commit: the hub of this process hears of it, the worker's queue gets a hint."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import close_old_connections

logger = logging.getLogger(__name__)

Listener = Callable[[str, int], None]

_listeners: list[Listener] = []
_hinting: set[str] = set()
_hinter = ThreadPoolExecutor(1, "hint")


def listen(listener: Listener) -> None:
    _listeners.append(listener)


def forget(listener: Listener) -> None:
    if listener in _listeners:
        _listeners.remove(listener)


def wake(goal: str, version: int) -> None:
    """Called after each commit, in the thread that committed. Never raises: the write stands."""
    for listener in tuple(_listeners):
        try:
            listener(goal, version)
        except Exception:
            logger.exception("a listener failed for %s at %s", goal, version)
    if not _listeners:
        hint(goal)
    elif goal not in _hinting:
        # Where requests are served, the hint costs them nothing and a burst sends one.
        _hinting.add(goal)
        _hinter.submit(_hint_later, goal)


def hint(goal: str) -> None:
    """Tells the queue that boards of this goal may be behind; a lost hint is found by the sweep."""
    try:
        from projections.tasks import hint as enqueue

        enqueue(goal)
    except Exception:
        logger.exception("the hint for %s was not queued; the sweep will find it", goal)


def _hint_later(goal: str) -> None:
    # First, so that a commit from here on asks for another hint.
    _hinting.discard(goal)
    try:
        close_old_connections()
    except Exception:
        logger.exception("the database connection of the hints is broken")
    hint(goal)
