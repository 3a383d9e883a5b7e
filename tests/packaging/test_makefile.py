"""What a newcomer types: `make` in a fresh copy of the clone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.serving import environment

ROOT = Path(__file__).parent.parent.parent
TARGETS = ("run", "test", "test-slow", "e2e", "bench", "lint", "fmt", "types", "lock")
LEFT_OUT = (".venv", ".git", "__pycache__", ".*_cache", "artifacts")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *words],
        cwd=folder,
        env=environment(folder / "data"),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Only what setting up reads."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for name in ("Makefile", "pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def python(folder: Path, answer: str) -> Path:
    """A stand-in interpreter that is of another age."""
    path = folder / "python-of-old"
    path.write_text(f"#!/bin/sh\necho '{answer}'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_make_alone_lists_the_targets() -> None:
    told = make(ROOT).stdout
    assert [name for name in TARGETS if f"make {name} " not in told] == []


def test_an_old_python_is_refused_and_named(clone: Path) -> None:
    old = python(clone, "Python 3.9.2")
    done = make(clone, "run", f"PYTHON={old}")
    assert done.returncode != 0
    assert f"make: PYTHON={old} is no Python 3.11 or newer (Python 3.9.2)" in done.stderr
    assert not (clone / ".venv").exists()


def test_a_python_that_does_not_exist_is_refused(clone: Path) -> None:
    done = make(clone, "test", "PYTHON=/nowhere/python")
    assert done.returncode != 0
    assert "not a program that starts" in done.stderr


@pytest.mark.slow
def test_make_run_sets_up_and_serves_and_is_quiet_the_second_time(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*LEFT_OUT))
    data = tmp_path / "data"
    assert "Creating .venv" in run_and_stop(clone, data)
    again = run_and_stop(clone, data)
    assert [line.partition(": ")[0] for line in again.splitlines()] == [
        "Sign in",
        "LoopX is ready",
    ]


def run_and_stop(clone: Path, data: Path) -> str:
    """Standard output of `make run` until it is ready; then Ctrl-C, as a terminal sends it."""
    process = subprocess.Popen(
        ["make", "run", "ARGS=--no-browser --port 0"],
        cwd=clone,
        env=environment(data),
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("LoopX is ready"):
            break
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    return "".join(lines)
