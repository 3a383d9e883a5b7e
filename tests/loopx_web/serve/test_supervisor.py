from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loopx_web.serve.supervisor import describe
from tests import waiting
from tests.loopx_web.serve.parts import reports

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")

Drive = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Drive]:
    started: list[subprocess.Popen[str]] = []

    def start(*parts: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.loopx_web.serve.parts.drive", *parts],
            env={**os.environ, "REPORTS": str(tmp_path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def pid_of(directory: Path, name: str) -> int:
    waiting.until(lambda: reports(directory, name), f"{name} runs")
    return int(reports(directory, name)[-1].split()[0])


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # A killed orphan may wait for init to collect it.
    return "Z" in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2][:3]


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_the_children_and_then_the_supervisor(
    drive: Drive, tmp_path: Path, signum: signal.Signals
) -> None:
    process = drive("steady!")
    child = pid_of(tmp_path, "steady")
    process.send_signal(signum)
    assert process.wait(timeout=20) == 0
    assert reports(tmp_path, "stopped") == [f"{child} "]
    assert gone(child)


def test_readiness_is_told_once(drive: Drive, tmp_path: Path) -> None:
    drive("steady!")
    waiting.until(lambda: reports(tmp_path, "ready"), "ready")
    waiting.until(lambda: reports(tmp_path, "steady"), "the rest runs")
    assert len(reports(tmp_path, "ready")) == 1


def test_lines_of_the_vital_part_are_passed_on(drive: Drive, tmp_path: Path) -> None:
    drive("steady!")
    waiting.until(lambda: reports(tmp_path, "line"), "a line")
    assert reports(tmp_path, "line")[0].endswith(" hello")


def test_the_end_of_a_vital_part_ends_everything(drive: Drive, tmp_path: Path) -> None:
    process = drive("steady", "fleeting!")
    assert process.wait(timeout=20) == 1
    assert "The fleeting process ended (exit code 3); stopping." in reports(tmp_path, "said")[0]
    assert gone(pid_of(tmp_path, "steady"))


def test_another_part_is_started_again_with_growing_pauses(drive: Drive, tmp_path: Path) -> None:
    process = drive("steady!", "brief")
    waiting.until(lambda: len(reports(tmp_path, "brief")) >= 3, "three attempts")
    said = waiting.until(lambda: reports(tmp_path, "said")[:2], "two restarts told")
    assert said[0].endswith("The brief ended (exit code 3); starting it again in 0.05 s.")
    assert said[1].endswith("starting it again in 0.1 s.")
    assert process.poll() is None


def test_a_killed_worker_comes_back(drive: Drive, tmp_path: Path) -> None:
    drive("steady")
    first = pid_of(tmp_path, "steady")
    os.kill(first, signal.SIGKILL)
    waiting.until(lambda: len(reports(tmp_path, "steady")) == 2, "started again")
    assert "(SIGKILL)" in reports(tmp_path, "said")[0]


def test_who_asks_again_does_not_wait(drive: Drive, tmp_path: Path) -> None:
    process = drive("stubborn!")
    child = pid_of(tmp_path, "stubborn")
    process.send_signal(signal.SIGTERM)

    def asked_again_until_ended() -> bool:
        process.send_signal(signal.SIGINT)
        return process.poll() is not None

    waiting.until(asked_again_until_ended, "ended")
    assert gone(child)
    assert "was ended before it had finished" in reports(tmp_path, "said")[0]


def test_the_echo_of_a_signal_hurries_nobody(drive: Drive, tmp_path: Path) -> None:
    process = drive("steady!")
    pid_of(tmp_path, "steady")
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0
    assert len(reports(tmp_path, "stopped")) == 1
    assert reports(tmp_path, "said") == []


def test_children_end_with_a_killed_supervisor(drive: Drive, tmp_path: Path) -> None:
    process = drive("steady!")
    child = pid_of(tmp_path, "steady")
    process.kill()
    process.wait()
    waiting.until(lambda: gone(child), "the orphan ends")
    assert len(reports(tmp_path, "stopped")) == 1


def test_ends_are_described() -> None:
    assert describe(2) == "exit code 2"
    assert describe(-signal.SIGKILL) == "SIGKILL"
    assert describe(-64 - 60) == "signal 124"
