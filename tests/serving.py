"""A real `loopx serve` process for tests, on a free port and in a directory of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests import waiting

START_SECONDS = 60.0
STOP_SECONDS = 40.0


def environment(data_dir: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without anything of LoopX but this directory."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LOOPX_")}
    kept.pop("DJANGO_SETTINGS_MODULE", None)
    return {
        **kept,
        "LOOPX_DATA_DIR": str(data_dir),
        "LOOPX_SQLITE_SYNC": "NORMAL",
        "XDG_CONFIG_HOME": str(data_dir / "config"),
        **(extra or {}),
    }


def loopx(
    *argv: str, data_dir: Path, extra: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a `loopx` command to its end."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "loopx_web.client", *argv],
        cwd=data_dir.parent,
        env=environment(data_dir, extra),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class ServerProcess:
    """`loopx serve`; `with` waits until it is ready, and stops it."""

    def __init__(
        self,
        data_dir: Path,
        *flags: str,
        extra: Mapping[str, str] | None = None,
        program: Sequence[str] = (sys.executable, "-P", "-m", "loopx_web.client"),
    ) -> None:
        self.data_dir = data_dir
        self.argv = [*program, "serve", "--no-browser", "--port", "0", *flags]
        self.extra = dict(extra or {})
        self.lines: list[str] = []
        self.errors: list[str] = []
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.argv,
            # Not the clone: what lies there must not be what runs.
            cwd=self.data_dir.parent,
            env=environment(self.data_dir, self.extra),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for stream, kept in ((process.stdout, self.lines), (process.stderr, self.errors)):
            threading.Thread(target=lambda s, k: k.extend(s), args=(stream, kept)).start()
        return process

    def __enter__(self) -> Self:
        waiting.until(
            lambda: self._line("LoopX is ready: ") or self.ended, "ready", limit=START_SECONDS
        )
        assert not self.ended, f"loopx serve ended:\n{self.output()}"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return self._line("LoopX is ready: ").rstrip("/")

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def first_sign_in(self) -> str:
        """The link printed at start; it works once."""
        return self._line("Sign in: ")

    def sign_in_link(self) -> str:
        """A fresh one-time link."""
        done = loopx("sign-in", data_dir=self.data_dir, extra=self.extra)
        found = re.search(r"Sign in: (\S+)", done.stdout)
        assert found, done.stderr
        return found[1]

    def output(self) -> str:
        return "".join([*self.lines, *self.errors])

    def stop(self, signum: int = signal.SIGTERM) -> int:
        if not self.ended:
            self.process.send_signal(signum)
        return self.process.wait(timeout=STOP_SECONDS)

    def _line(self, start: str) -> str:
        return next(
            (line[len(start) :].strip() for line in self.lines if line.startswith(start)), ""
        )
