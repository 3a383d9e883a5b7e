"""The agent's side of LoopX: `from loopx_web.client import LoopX`. Standard library only."""

from __future__ import annotations

# Not typing.TYPE_CHECKING: importing typing would cost the hot path of `loopx` some milliseconds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from loopx_web.client.continuations import gate, handoff, monitor, nothing, successors
    from loopx_web.client.errors import (
        Busy,
        Conflict,
        Invalid,
        LeaseLost,
        LoopXError,
        NotAllowed,
        NotFound,
        NotNow,
        RateLimited,
        ServerFault,
        Unauthenticated,
        Unreachable,
    )
    from loopx_web.client.results import Decision, Evidence, Gate, Goal, Page, Settled, Todo
    from loopx_web.client.sdk import LoopX
    from loopx_web.client.turns import Turn

__all__ = [
    "Busy",
    "Conflict",
    "Decision",
    "Evidence",
    "Gate",
    "Goal",
    "Invalid",
    "LeaseLost",
    "LoopX",
    "LoopXError",
    "NotAllowed",
    "NotFound",
    "NotNow",
    "Page",
    "RateLimited",
    "ServerFault",
    "Settled",
    "Todo",
    "Turn",
    "Unauthenticated",
    "Unreachable",
    "gate",
    "handoff",
    "monitor",
    "nothing",
    "successors",
]

_HOMES = {
    "sdk": ("LoopX",),
    "turns": ("Turn",),
    "continuations": ("gate", "handoff", "monitor", "nothing", "successors"),
    "results": ("Decision", "Evidence", "Gate", "Goal", "Page", "Settled", "Todo"),
}


def __getattr__(name: str) -> object:
    """Loads a public name on first use (PEP 562): the command `loopx` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = next((home for home, names in _HOMES.items() if name in names), "errors")
    return getattr(import_module(f"loopx_web.client.{home}"), name)
