"""What the hub needs to know of the database; `kanban.queries.feed` is the real one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol


class Head(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def version(self) -> int: ...


class Feed(Protocol):
    """Blocking functions; the hub calls them in the one thread of its `feed` room."""

    def interval(self) -> float:
        """Seconds between two looks for what other processes wrote."""

    def mark(self) -> object:
        """Differs from the last one when somebody has written; None when only `heads` can tell."""

    def heads(self) -> Mapping[str, Head]:
        """Number and version of every goal, by slug."""

    def instants(self, now: datetime) -> Mapping[str, datetime]:
        """The next moment after `now` at which time alone changes a goal, by slug."""
