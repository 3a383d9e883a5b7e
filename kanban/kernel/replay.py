"""From events back to state, and what a broken log looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from kanban.kernel.codec import TEXTS, canonical, decode_rows, digest
from kanban.kernel.event import GENESIS, Event, event_hash
from kanban.kernel.state import TABLES, Change, State, apply


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a ledger, and at which event it shows first (0: the rows)."""

    version: int
    what: str


def replay(slug: str, events: Iterable[Event]) -> State:
    """The state that the events leave, from nothing."""
    state = State.empty(slug)
    for event in events:
        rows = decode_rows(event.data, event.texts)
        state = apply(state, Change(event.kind, event.subject, event.actor, event.at, rows))
    return state


def verify_chain(events: Iterable[Event], *, version: int, head: str) -> Finding | None:
    """The first event that was edited, deleted, moved or inserted; or a tail that was cut.

    `version` and `head` are the anchor that the goal row keeps.
    """
    expected, previous = 1, GENESIS
    for event in events:
        if event.version != expected:
            return Finding(expected, f"event {expected} is missing; {event.version} follows")
        if event.prev_hash != previous:
            return Finding(event.version, "does not continue the event before it")
        if event.hash != _hash(event):
            return Finding(event.version, "was changed after it was written")
        if mark := _lost_text(event):
            return Finding(event.version, f"has lost the words of {mark}")
        if mark := _forged_text(event.texts):
            return Finding(event.version, f"carries words that do not match their digest {mark}")
        expected, previous = expected + 1, event.hash
    if expected - 1 != version:
        return Finding(expected, f"the log ends at {expected - 1}, the goal stands at {version}")
    if previous != head:
        return Finding(version, "the last event is not the one the goal remembers")
    return None


def differences(left: State, right: State) -> list[str]:
    """Where two states differ, one line a field; empty when they are equal."""
    found = _row_differences("goal", left.goal, right.goal)
    for table in TABLES.values():
        ours, theirs = getattr(left, table.name), getattr(right, table.name)
        for key in sorted(ours.keys() | theirs.keys()):
            label = f"{table.name}/{key}"
            if key not in ours or key not in theirs:
                found.append(f"{label}: only on the {'right' if key in theirs else 'left'}")
            else:
                found += _row_differences(label, ours[key], theirs[key])
    return found


def _row_differences(label: str, left: Any, right: Any) -> list[str]:
    return [
        f"{label}.{field.name}: {getattr(left, field.name)!r} != {getattr(right, field.name)!r}"
        for field in fields(left)
        if getattr(left, field.name) != getattr(right, field.name)
    ]


def _hash(event: Event) -> str:
    return event_hash(
        goal=event.goal,
        version=event.version,
        kind=event.kind,
        actor=event.actor,
        subject=event.subject,
        data=event.data,
        at=event.at,
        request_id=event.request_id,
        prev_hash=event.prev_hash,
    )


def _lost_text(event: Event) -> str:
    for address, values in event.data.items():
        name = address.partition("/")[0]
        for field in TEXTS[name] & values.keys():
            mark = values[field]
            if isinstance(mark, str) and mark and mark not in event.texts:
                return f"{address}.{field}"
    return ""


def _forged_text(texts: Mapping[str, Any]) -> str:
    """An erased text is empty; any other is the one that the digest in the chain stands for."""
    for mark, entry in texts.items():
        words = entry["text"]
        if entry.get("erased"):
            genuine = not words
        else:
            genuine = digest(entry["salt"] + canonical(words)) == mark
        if not genuine:
            return mark
    return ""
