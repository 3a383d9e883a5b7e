"""The example as a user has it: real processes against a running server."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from loopx_web.client import LoopX
from tests.serving import ServerProcess, environment

SOURCE = Path(__file__).parents[2] / "docs" / "examples" / "auto-research"
GOAL = "knn-digits"


def owner(server: ServerProcess) -> LoopX:
    """The client of the person at the terminal: administers, never answers."""
    key = (server.data_dir / "owner.key").read_text(encoding="ascii").strip()
    return LoopX(server.url, key, goal=GOAL)


class Program:
    """One of the example's programs, with its output kept."""

    def __init__(
        self,
        server: ServerProcess,
        name: str,
        extra: Mapping[str, str],
        *,
        python: str = sys.executable,
        folder: Path = SOURCE,
    ) -> None:
        known = environment(server.data_dir, {"LOOPX_SERVER": server.url, **extra})
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [python, str(folder / name)],
            env=known,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=os.name == "posix",
        )
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout or ())).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=30)

    @property
    def output(self) -> str:
        return "".join(self.lines)


def rows(server: ServerProcess, query: str, *values: Any) -> list[dict[str, Any]]:
    """What the database itself says, past every layer of the product."""
    path = f"file:{server.data_dir / 'loopx.sqlite3'}?mode=ro"
    with closing(sqlite3.connect(path, uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query, values)]
