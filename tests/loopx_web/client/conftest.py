"""A clean room for the client: no settings of the machine reach it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with its own home; no LOOPX_* variable is set."""
    for name in list(os.environ):
        if name.startswith("LOOPX_") or name in {"CLAUDE_CODE_SESSION_ID", "XDG_DATA_HOME"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LOOPX_DATA_DIR", str(tmp_path / "data"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def cli(room: Path) -> Cli:
    """Runs `loopx` as a process, in the room."""

    def run(*words: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "loopx_web.client", *words],
            input=stdin,
            capture_output=True,
            text=True,
            env=os.environ | env,
            timeout=60,
            check=False,
        )

    return run
