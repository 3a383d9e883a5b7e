"""Where a person may move a card, and what that asks of them."""

from __future__ import annotations

from dataclasses import dataclass

from kanban.kernel.frontier import CLOSED
from kanban.kernel.state import State, Todo
from kanban.queries.card import Card


@dataclass(frozen=True, slots=True)
class Move:
    """`asks`: it needs a word first. Whether it is allowed in the end, the transition says."""

    to: str
    code: str
    asks: bool = False
    possible: bool = True
    ref: str = ""


def moves_of(state: State, todo: Todo, card: Card) -> tuple[Move, ...]:
    if state.goal.status != "active":
        return ()
    if todo.status in CLOSED:
        return (Move("ready", "reopen", asks=True),)
    if todo.status == "review":
        return (Move("ready", "return", asks=True), Move("done", "accept"), *_last())
    ready = () if card.lane == "ready" else (_to_ready(todo),)
    waiting = () if todo.status == "deferred" else (Move("waiting", "defer", asks=True),)
    return (*ready, *waiting, Move("done", "complete", asks=True), *_last())


def _to_ready(todo: Todo) -> Move:
    if todo.status == "deferred":
        return Move("ready", "resume")
    if todo.status == "blocked":
        return Move("ready", "unblock")
    return Move("ready", "release" if todo.owner else "check")


def _last() -> tuple[Move, ...]:
    return (Move("dropped", "drop", asks=True), Move("needs_you", "never", possible=False))
