"""Faults on order: each names the calls it meets and how often it strikes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.standin.errors import ApiError, CutConnection, HtmlAnswer

KINDS = (
    "lost_answer",  # applied, then the connection is cut
    "cut",  # cut before anything is applied
    "throttle",  # 429 with the reset header (reset=None: without)
    "conflict",  # 1254291
    "too_many",  # 1254290, without headers
    "html_502",  # a page instead of JSON, nothing applied
    "html_502_applied",  # the same after the write was applied
    "token_expired",  # every token handed out so far is refused
    "error",  # a business error of choice (code=)
    "hold_before",  # waits before applying until released
    "hold_after",  # waits after applying until released
    "slow",  # answers after `seconds`
)
HOLD_LIMIT = 120.0


@dataclass
class Fault:
    kind: str
    match: str = ""  # part of "METHOD route"
    times: int = 1
    skip: int = 0  # calls that pass first
    reset: int | None = 1
    code: int = 0
    status: int = 200
    seconds: float = 0.0
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    struck: int = 0

    def release(self) -> None:
        self.released.set()


class Faults:
    def __init__(self, expire_tokens: Callable[[], None]) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._expire_tokens = expire_tokens

    def add(self, kind: str, match: str = "", **options: object) -> Fault:
        if kind not in KINDS:
            raise ValueError(f"no fault is called {kind!r}")
        fault = Fault(kind, match, **options)  # type: ignore[arg-type]
        with self._lock:
            self._faults.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            faults, self._faults = self._faults, []
        for fault in faults:
            fault.release()

    def take(self, label: str) -> list[Fault]:
        """The faults that strike this call; each is used up by one."""
        with self._lock:
            struck = [fault for fault in self._faults if self._strikes(fault, label)]
            for fault in struck:
                fault.struck += 1
                fault.times -= 1
            self._faults = [fault for fault in self._faults if fault.times > 0]
            return struck

    @staticmethod
    def _strikes(fault: Fault, label: str) -> bool:
        if fault.match not in label:
            return False
        if fault.skip > 0:
            fault.skip -= 1
            return False
        return True

    def before(self, faults: list[Fault]) -> None:
        """Refusals at the door: nothing has been applied."""
        for fault in faults:
            match fault.kind:
                case "cut":
                    raise CutConnection
                case "html_502":
                    raise HtmlAnswer
                case "token_expired":
                    self._expire_tokens()
                case "throttle":
                    raise ApiError(99991400, status=429, headers=_reset_headers(fault))
                case "conflict":
                    raise ApiError(1254291)
                case "too_many":
                    raise ApiError(1254290)
                case "error":
                    raise ApiError(fault.code, "fault on order", status=fault.status)

    def hold(self, faults: list[Fault], kind: str) -> None:
        for fault in faults:
            if fault.kind == kind:
                fault.reached.set()
                fault.released.wait(HOLD_LIMIT)

    def after(self, faults: list[Fault]) -> None:
        """What goes wrong with an answer to something that was applied."""
        self.hold(faults, "hold_after")
        for fault in faults:
            match fault.kind:
                case "lost_answer":
                    raise CutConnection
                case "html_502_applied":
                    raise HtmlAnswer
                case "slow":
                    time.sleep(fault.seconds)


def _reset_headers(fault: Fault) -> dict[str, str]:
    if fault.reset is None:
        return {}
    return {"x-ogw-ratelimit-limit": "50", "x-ogw-ratelimit-reset": str(fault.reset)}
