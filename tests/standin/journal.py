"""What the client did: every call, and everything it should not have done."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field


@dataclass
class Call:
    number: int
    method: str
    path: str
    route: str
    query: dict[str, str]
    body: str
    started: float
    finished: float = 0.0
    status: int = 0
    code: int | None = None

    @property
    def name(self) -> str:
        """The last words of the route: `records/batch_create`."""
        words = [word for word in self.route.split("/") if word and not word.startswith(":")]
        return "/".join(words[-2:])


@dataclass
class Journal:
    calls: list[Call] = field(default_factory=list)
    misbehaviour: list[tuple[str, str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed_until: dict[tuple[str, str], float] = field(default_factory=dict)

    def begin(self, method: str, path: str, route: str, query: dict[str, str], body: str) -> Call:
        with self._lock:
            number = len(self.calls) + 1
            call = Call(number, method, path, route, query, body, time.monotonic())
            self.calls.append(call)
            return call

    def end(self, call: Call, status: int, code: int | None) -> None:
        call.finished, call.status, call.code = time.monotonic(), status, code

    def blame(self, kind: str, detail: str) -> None:
        with self._lock:
            self.misbehaviour.append((kind, detail))

    def throttled(self, app_id: str, route: str, seconds: float) -> None:
        self._closed_until[(app_id, route)] = time.monotonic() + seconds

    def check_patience(self, app_id: str, route: str) -> None:
        until = self._closed_until.pop((app_id, route), 0.0)
        early = until - time.monotonic()
        if early > 0.01:
            self.blame("retry_before_reset", f"{route}: {early:.2f} s too early")

    def named(self, name: str) -> list[Call]:
        return [call for call in self.calls if call.name == name]

    def record_writes(self) -> list[Call]:
        writes = {"records/batch_create", "records/batch_update", "records/batch_delete"}
        return [call for call in self.calls if call.name in writes]

    def clear(self) -> None:
        with self._lock:
            self.calls.clear()
            self.misbehaviour.clear()
