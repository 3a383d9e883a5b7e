"""Waits for a condition instead of for time to pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(condition: Callable[[], T], what: str, *, limit: float = 20.0) -> T:
    """The first true answer of `condition`; fails, saying `what` did not happen, after `limit`."""
    give_up = time.monotonic() + limit
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > give_up:
            raise AssertionError(f"not within {limit:g} s: {what}")
        time.sleep(0.02)
