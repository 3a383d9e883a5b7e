from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from loopx_web.serve import lock
from loopx_web.serve.failure import StartFailure
from loopx_web.serve.lock import DirectoryLock

HOLD = """
import sys
import threading
from pathlib import Path
from loopx_web.serve.lock import DirectoryLock
with DirectoryLock(Path(sys.argv[1]), "server", "http://127.0.0.1:8765/"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / lock.SERVER


def other_process(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_the_second_is_refused_and_told_about_the_first(path: Path) -> None:
    with (
        DirectoryLock(path, "server", "http://127.0.0.1:8765/"),
        pytest.raises(StartFailure) as refused,
        DirectoryLock(path, "server"),
    ):
        pass
    assert f"process {os.getpid()}, http://127.0.0.1:8765/" in str(refused.value)
    assert "--data-dir" in str(refused.value)


def test_the_holder_is_known_to_others_while_it_holds(path: Path) -> None:
    assert lock.holder(path) is None
    with DirectoryLock(path, "server", "http://127.0.0.1:8765/"):
        assert lock.holder(path) == f"{os.getpid()} http://127.0.0.1:8765/"
    assert lock.holder(path) is None


def test_those_who_ask_do_not_keep_a_server_from_starting(path: Path) -> None:
    path.touch()
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            lock.holder(path)

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    try:
        for _ in range(20):
            with DirectoryLock(path, "server"):
                pass
    finally:
        ended.set()
        for asker in askers:
            asker.join()


def test_a_clean_end_leaves_nothing_behind(path: Path) -> None:
    with DirectoryLock(path, "server"):
        pass
    with DirectoryLock(path, "server") as held:
        assert not held.left_behind


def test_a_killed_holder_lets_go_and_is_noticed(path: Path) -> None:
    process = other_process(path)
    with pytest.raises(StartFailure, match="Use that one"), DirectoryLock(path, "server"):
        pass
    process.kill()
    process.communicate()
    with DirectoryLock(path, "server") as held:
        assert held.left_behind
