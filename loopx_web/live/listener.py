"""One connected client as the hub sees it: what it was told, what it is still owed."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from datetime import datetime

APART = 0.3  # seconds between two events of one goal on one stream
JITTER = 0.1  # so that many open boards do not ask for the same board in the same instant


class Waiter:
    """`due` ends its pause whatever the version: an instant, a client that left, the end."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.due = False

    def call(self) -> None:
        self.due = True
        self.wake.set()


@dataclass(slots=True)
class Owed:
    """News of one goal that the stream has not been sent yet."""

    number: int
    version: int
    at: datetime | None = None


class Stream:
    def __init__(self) -> None:
        self.wake = asyncio.Event()
        # None: every goal. Until the rights are known, news is kept and filtered when it is sent.
        self.allowed: frozenset[str] | None = None
        self.sent: dict[int, int] = {}
        self.owed: dict[str, Owed] = {}
        self.strange: set[str] = set()  # goals with news that it was not allowed to see
        self._free_at: dict[str, float] = {}

    def sees(self, goal: str) -> bool:
        return self.allowed is None or goal in self.allowed

    def note(self, goal: str, number: int, version: int, at: datetime | None = None) -> None:
        if not self.sees(goal):
            self.strange.add(goal)
            self.wake.set()
            return
        if at is None and version <= self.sent.get(number, 0):
            return
        owed = self.owed.setdefault(goal, Owed(number, version))
        owed.version = max(owed.version, version)
        owed.at = at or owed.at
        self.wake.set()

    def take(self, now: float) -> list[tuple[str, Owed]]:
        """What may be sent now: the first news of a goal at once, the rest after a pause."""
        ripe = [goal for goal in self.owed if self._free_at.get(goal, 0.0) <= now]
        for goal in ripe:
            self._free_at[goal] = now + APART + random.uniform(0, JITTER)
        return [(goal, self.owed.pop(goal)) for goal in ripe]

    def next_at(self) -> float:
        return min((self._free_at.get(goal, 0.0) for goal in self.owed), default=float("inf"))
