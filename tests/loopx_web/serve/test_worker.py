from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopx_web.serve import lock
from tests import waiting
from tests.loopx_web.serve.parts import reports
from tests.serving import environment, loopx

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_the_running_task_is_finished_first(tmp_path: Path, signum: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.loopx_web.serve.parts.consumer"],
        env={**os.environ, "REPORTS": str(tmp_path)},
    )
    waiting.until(lambda: reports(tmp_path, "began"), "the task runs")
    process.send_signal(signum)
    (tmp_path / "go").touch()
    assert process.wait(timeout=30) == 0
    assert len(reports(tmp_path, "finished")) == 1


@pytest.mark.slow
def test_one_worker_to_a_directory(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    with lock.DirectoryLock(prepared(directory) / lock.WORKER, "worker"):
        done = loopx("worker", data_dir=directory)
    assert done.returncode == 1
    assert "A LoopX worker uses" in done.stderr


@pytest.mark.slow
def test_a_worker_waits_for_the_database_and_stops_when_told(tmp_path: Path) -> None:
    directory = prepared(tmp_path / "data")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "loopx_web.client", "worker"],
        cwd=tmp_path,
        env=environment(directory),
    )
    waiting.until(lambda: lock.holder(directory / lock.WORKER), "the worker is up")
    process.terminate()
    assert process.wait(timeout=30) == 0


def prepared(directory: Path) -> Path:
    directory.mkdir(exist_ok=True)
    return directory
