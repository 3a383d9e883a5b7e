"""The fair gate before the database: writers enter in the order in which they came.

SQLite's own busy handler sleeps and lets the newest writer in first, which costs seconds under
load. In the process a queue of waiters keeps the order; between processes a file lock does. On
PostgreSQL row locks do both, and the gate stands open.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kanban.kernel.errors import Busy

try:
    import fcntl
except ImportError:  # Windows: the queue inside the process alone
    fcntl = None  # type: ignore[assignment]

WAIT_SECONDS = 5.0


class FairLock:
    """A lock that is handed on in the order of arrival."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._held = False

    def acquire(self, timeout: float) -> bool:
        with self._mutex:
            if not self._held:
                self._held = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout):
            return True
        with self._mutex:
            if turn.is_set():  # handed over in the very moment of giving up
                return True
            self._waiting.remove(turn)
            return False

    def release(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._held = False


class FileLock:
    """A lock between processes; its holder's process id stands in the file for `doctor`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._process = 0

    def acquire(self) -> None:
        if fcntl is None:
            return
        descriptor = self._open()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.pwrite(descriptor, f"{os.getpid():<10}\n".encode(), 0)

    def release(self) -> None:
        if fcntl is not None and self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _open(self) -> int:
        # A descriptor that came through a fork would share its parent's lock.
        if self._descriptor is None or self._process != os.getpid():
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._process = os.getpid()
        return self._descriptor


class WriteQueue:
    """One writer at a time per database file."""

    def __init__(self, path: Path) -> None:
        self._threads = FairLock()
        self._processes = FileLock(path)

    @contextmanager
    def turn(self) -> Iterator[None]:
        if not self._threads.acquire(WAIT_SECONDS):
            raise Busy(
                "busy",
                f"Other writers were ahead for {WAIT_SECONDS:.0f} seconds.",
                "Send the same request again; nothing was written.",
                retry_after=1,
            )
        try:
            self._processes.acquire()
            try:
                yield
            finally:
                self._processes.release()
        finally:
            self._threads.release()
