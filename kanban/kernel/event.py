"""The log: each event carries the hash of the one before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kanban.kernel.codec import canonical, digest, write_time

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Event:
    """One committed change of one goal, as it stands in the log."""

    goal: str
    version: int
    kind: str
    actor: str
    subject: str
    data: Mapping[str, Any]
    texts: Mapping[str, Any]
    at: datetime
    request_id: str
    prev_hash: str
    hash: str


def event_hash(
    *,
    goal: str,
    version: int,
    kind: str,
    actor: str,
    subject: str,
    data: Mapping[str, Any],
    at: datetime,
    request_id: str,
    prev_hash: str,
) -> str:
    """SHA-256 over the canonical JSON of everything but the texts."""
    return digest(
        canonical(
            [goal, version, kind, actor, subject, data, write_time(at), request_id, prev_hash]
        )
    )
