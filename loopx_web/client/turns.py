"""A turn as a `with` block: begun on entry, renewed in the background, never left open."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from loopx_web.client.continuations import Json
from loopx_web.client.errors import Conflict, LeaseLost, LoopXError, NotFound
from loopx_web.client.results import Settled, TurnState

if TYPE_CHECKING:
    from loopx_web.client.sdk import LoopX

DEFAULT_LEASE = 900
SUMMARY_LIMIT = 500


class Renewal:
    """Renews a lease at a third of its length until stopped; notes when the fence is gone."""

    def __init__(self, loopx: LoopX, turn: str, epoch: int, lease_seconds: int | None) -> None:
        self.lost: LoopXError | None = None
        self._arguments = (turn, epoch)
        self._loopx = loopx
        self._lease = lease_seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loopx-renewal", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        usual = (self._lease or DEFAULT_LEASE) / 3
        interval = usual
        while not self._stopped.wait(interval):
            try:
                self._loopx.renew(*self._arguments, lease_seconds=self._lease)
                interval = usual
            except (Conflict, NotFound) as error:
                self.lost = error
                return
            except LoopXError:
                interval = min(usual, 5.0)  # the server is away: the lease still runs


class Turn:
    """Finish it with exactly one of complete, progress, no_change, failed, blocked and ask.

    A block left by an exception gives the turn back as failed, and so does one that ends
    without a result.
    """

    def __init__(
        self, loopx: LoopX, goal: str, agent: str | None, options: Mapping[str, Any]
    ) -> None:
        self.loopx = loopx
        self.goal = goal
        self.settled: Settled | None = None
        self._agent = agent
        self._options = dict(options)
        self._state: TurnState | None = None
        self._renewal: Renewal | None = None

    def __enter__(self) -> Self:
        state = self.loopx.begin(self.goal, self._agent, **self._options)
        self._state = state
        lease = self._options.get("lease_seconds")
        self._renewal = Renewal(self.loopx, state.id, state.epoch, lease)
        self._renewal.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self.settled is None and error is None:
                self.failed("The turn was left without a result.")
            elif self.settled is None and not isinstance(error, LeaseLost):
                self._give_back(_reason(error))
        finally:
            if self._renewal:
                self._renewal.stop()

    @property
    def state(self) -> TurnState:
        if self._state is None:
            raise RuntimeError("The turn begins on entering its `with` block.")
        return self._state

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def epoch(self) -> int:
        return self.state.epoch

    @property
    def todo(self) -> str:
        """The reference of the todo, "" for a repair turn."""
        todo = self.state.todo
        return str(todo.get("ref", "") if isinstance(todo, dict) else todo or "")

    @property
    def packet(self) -> Json:
        return self.state.packet

    def check_lease(self) -> None:
        """Raises LeaseLost as soon as a renewal was refused: stop, the work is someone else's."""
        lost = self._renewal.lost if self._renewal else None
        if lost:
            raise LeaseLost(lost.problem)

    def complete(
        self,
        *,
        evidence: Sequence[str | Mapping[str, Any]],
        continuation: Mapping[str, Any],
        **fields: Any,
    ) -> Settled:
        return self.finish("completed", evidence=evidence, continuation=continuation, **fields)

    def progress(
        self, summary: str, *, evidence: Sequence[str | Mapping[str, Any]], **fields: Any
    ) -> Settled:
        return self.finish("progress", summary=summary, evidence=evidence, **fields)

    def no_change(self, summary: str, **fields: Any) -> Settled:
        return self.finish("no_change", summary=summary, **fields)

    def failed(self, summary: str, **fields: Any) -> Settled:
        return self.finish("failed", summary=summary, **fields)

    def blocked(self, summary: str, *, block: Mapping[str, Any], **fields: Any) -> Settled:
        """`block` says what would end it: {"until": …}, {"gate": …} or {"person": …}."""
        return self.finish("blocked", summary=summary, block=block, **fields)

    def ask(self, gate: str | Mapping[str, Any], summary: str = "", **fields: Any) -> Settled:
        """Puts a question to a person; `gate` is its body, or what `continuations.gate` made."""
        body = {"question": gate} if isinstance(gate, str) else dict(gate.get("gate", gate))
        if self.todo and not body.get("blocks"):
            body["blocks"] = {"todos": [self.todo]}
        return self.finish("asked", gates=[body], summary=summary or None, **fields)

    def finish(self, result: str, **fields: Any) -> Settled:
        self.settled = self.loopx.finish(self.id, self.epoch, result, **fields)
        return self.settled

    def _give_back(self, summary: str) -> None:
        """Best effort: the exception that ended the block matters more than a refused write."""
        try:
            self.failed(summary[:SUMMARY_LIMIT])
        except LoopXError:
            return


def _reason(error: BaseException | None) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted: it was told to stop."
    return f"{type(error).__name__}: {error}"
