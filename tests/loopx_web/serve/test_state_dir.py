from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx_web.serve import state_dir
from loopx_web.serve.failure import StartFailure

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")

NOBODY = 65534
# Root may write anywhere, so the check leaves its rights behind once everything is loaded.
PREPARE = """
import codecs, os, sys
from pathlib import Path
from loopx_web.serve import state_dir
from loopx_web.serve.failure import StartFailure

codecs.lookup("ascii")
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
try:
    state_dir.prepare(Path(sys.argv[1]))
except StartFailure as failure:
    print(failure)
else:
    print("ready")
"""


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_flag_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOOPX_DATA_DIR", str(tmp_path / "variable"))
    assert state_dir.choose(str(tmp_path / "flag")) == tmp_path / "flag"
    assert state_dir.choose(None) == tmp_path / "variable"


def test_a_new_directory_is_private_and_holds_the_owner_key(tmp_path: Path) -> None:
    directory = tmp_path / "a" / "state"
    state_dir.prepare(directory)
    assert mode(directory) == 0o700
    assert mode(directory / "owner.key") == 0o600
    assert (directory / "owner.key").read_text(encoding="ascii").startswith("lxo_")


def test_a_directory_open_to_others_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "loopx.sqlite3").touch(mode=0o644)
    state_dir.prepare(tmp_path)
    assert mode(tmp_path) == 0o700
    assert mode(tmp_path / "loopx.sqlite3") == 0o600


def test_files_made_later_are_private(tmp_path: Path) -> None:
    state_dir.prepare(tmp_path)
    (tmp_path / "later").touch()
    assert mode(tmp_path / "later") == 0o600


def test_a_second_start_keeps_the_owner_key(tmp_path: Path) -> None:
    state_dir.prepare(tmp_path)
    first = (tmp_path / "owner.key").read_bytes()
    state_dir.prepare(tmp_path)
    assert (tmp_path / "owner.key").read_bytes() == first


def test_a_path_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StartFailure, match=r"cannot be used: .*choose another with --data-dir"):
        state_dir.prepare(tmp_path / "file")


def test_a_damaged_queue_is_refused_and_left_alone(tmp_path: Path) -> None:
    queue = tmp_path / "queue.sqlite3"
    queue.write_bytes(b"not a database " * 500)
    before = queue.read_bytes()
    with pytest.raises(StartFailure, match=r"file is not a database.*move the file away"):
        state_dir.prepare(tmp_path)
    assert queue.read_bytes() == before


@pytest.mark.parametrize(("permissions", "said"), [(0o500, "Permission denied"), (0o700, "ready")])
def test_a_read_only_directory_is_refused(permissions: int, said: str) -> None:
    # Not below tmp_path, which is closed to everybody else.
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        directory = Path(parent, "state")
        directory.mkdir()
        if os.geteuid() == 0:
            os.chown(directory, NOBODY, NOBODY)
        directory.chmod(permissions)
        command = [sys.executable, "-c", PREPARE, str(directory), str(NOBODY)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert said in ran.stdout
        directory.chmod(0o700)
