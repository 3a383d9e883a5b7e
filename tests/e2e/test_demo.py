"""`loopx demo` shows a loop that really runs, and leaves nothing behind."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx_web.client import LoopX, Unreachable
from tests import waiting
from tests.e2e.running import GOAL
from tests.serving import environment

pytestmark = pytest.mark.slow


class Demo:
    def __init__(self, temporary: Path, *flags: str) -> None:
        self.temporary = temporary
        self.lines: list[str] = []
        command = [sys.executable, "-m", "loopx_web.client", "demo", "--no-browser", "--pace", "0"]
        self.process = subprocess.Popen(
            [*command, *flags],
            env=environment(temporary / "own", {"TMPDIR": str(temporary)}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout or ())).start()

    @property
    def output(self) -> str:
        return "".join(self.lines)

    @property
    def directories(self) -> list[Path]:
        return list(self.temporary.glob("loopx-demo-*"))

    @property
    def address(self) -> str:
        found = re.search(r"Board +(\S+)/goals/", self.output)
        return found[1] if found else ""

    def loopx(self) -> LoopX:
        address = waiting.until(lambda: self.address, "the board's address", limit=60)
        key = (self.directories[0] / "owner.key").read_text(encoding="ascii").strip()
        return LoopX(address, key, goal=GOAL, attempts=1)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    started = Demo(tmp_path)
    yield started
    if started.process.poll() is None:
        started.process.terminate()
        started.process.wait(timeout=60)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_it_comes_to_its_question_and_leaves_nothing(demo: Demo, signum: signal.Signals) -> None:
    loopx = demo.loopx()
    assert re.search(r"Sign in +http://127\.0\.0\.1:\d+/sign-in/\S+", demo.output)
    waiting.until(lambda: loopx.gates(status="open").items, "a question", limit=120)
    demo.process.send_signal(signum)
    assert demo.process.wait(timeout=60) == 0, demo.output
    assert demo.directories == []
    with pytest.raises(Unreachable):
        loopx.health()


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years", encoding="utf-8")
    demo = Demo(tmp_path, "--data-dir", str(tmp_path))
    assert demo.process.wait(timeout=30) == 1
    waiting.until(lambda: "is not empty" in demo.output, "the reason")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
