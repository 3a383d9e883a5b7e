"""Why a card does not stand in Ready although nothing was wrong with asking."""

from __future__ import annotations

from kanban.kernel.conditions import open_dependencies
from kanban.kernel.errors import Conflict
from kanban.kernel.frontier import covering_gates
from kanban.kernel.state import State


def explain_ready(state: State, ref: str) -> None:
    """Raises the refusal that names what still holds the card up."""
    todo = state.todos[ref]
    if gates := covering_gates(state, todo):
        about = gates[0].label or gates[0].ref
        raise Conflict(
            "gate_open",
            f"{ref} waits for the answer about {about}.",
            "It becomes ready by itself when you answer.",
            gate=gates[0].ref,
        )
    if waiting := open_dependencies(state, todo):
        raise Conflict(
            "waits_for_card",
            f"{ref} waits for {', '.join(waiting)}.",
            "It becomes ready by itself when that is done.",
        )
