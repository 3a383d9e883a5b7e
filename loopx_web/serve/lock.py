"""One process of a kind to a data directory: a lock that the system drops with its holder."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from loopx_web.serve.failure import StartFailure

SERVER = "server.lock"
WORKER = "worker.lock"
# Windows locks bytes against reading too, so the locked one lies far beyond the text.
WINDOWS_LOCKED_BYTE = 1 << 30
PATIENCE = 10


class DirectoryLock:
    """Held while the process runs; its file tells others who holds it, and where it answers.

    `left_behind` is true when the last holder was killed before it could tidy up.
    """

    def __init__(self, path: Path, kind: str, url: str = "") -> None:
        self.path = path
        self.kind = kind
        self.url = url
        self.left_behind = False
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        file = self.path.open("a+", encoding="utf-8")
        text = _read(file)
        if not self._take(file):
            file.close()
            pid, _, url = text.partition(" ")
            raise StartFailure(
                f"A LoopX {self.kind} uses {self.path.parent} already (process {pid or 'unknown'}"
                f"{f', {url}' if url else ''}). Use that one, stop it first, or give this one "
                "a --data-dir of its own."
            )
        self._file = file
        self.left_behind = bool(text)
        self.show(self.url)
        return self

    def _take(self, file: IO[str]) -> bool:
        """Tries for a moment: whoever only asks who holds it has it for an instant too."""
        for _ in range(PATIENCE):
            if _try_lock(file):
                return True
            time.sleep(0.02)
        return False

    def show(self, url: str) -> None:
        self._write(f"{os.getpid()} {url}")

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(text)
            self._file.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._write("")
            self._file.close()
            self._file = None


def holder(path: Path) -> str | None:
    """`PID URL` of the process that holds the lock; None when nobody does."""
    try:
        with path.open("r+", encoding="utf-8") as file:
            text = _read(file)
            return None if _try_lock(file, shared=True) else text
    except OSError:
        return None


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read(500).strip()


def _try_lock(file: IO[str], *, shared: bool = False) -> bool:
    """Takes the lock unless somebody holds it; closing the file gives it back."""
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        else:
            _lock_on_windows(file)
    except OSError:
        return False
    return True


def _lock_on_windows(file: IO[str]) -> None:
    import msvcrt

    file.seek(WINDOWS_LOCKED_BYTE)
    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
