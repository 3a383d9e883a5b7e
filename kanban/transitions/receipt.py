"""What a transition answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Receipt:
    """`version` is the goal's after the write, `events` the versions it appended.

    `body` is what the caller gets to see of the result; a repeat of the same request with the
    same key brings the same receipt, marked as replayed.
    """

    goal: str
    version: int
    events: tuple[int, ...]
    body: dict[str, Any] = field(default_factory=dict)
    replayed: bool = False

    def as_json(self) -> str:
        return json.dumps([self.goal, self.version, self.events, self.body], ensure_ascii=False)

    @classmethod
    def from_json(cls, stored: str) -> Receipt:
        goal, version, events, body = json.loads(stored)
        return cls(goal, version, tuple(events), body, replayed=True)
