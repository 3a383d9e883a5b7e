"""`loopx serve` as a person starts it: a real process tree on a scratch directory."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loopx_web.serve import lock
from tests import waiting
from tests.serving import ServerProcess, loopx


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A whole server, the worker included."""
    with ServerProcess(tmp_path_factory.mktemp("serve") / "data") as server:
        yield server


def get(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def refused(data_dir: Path, *flags: str, extra: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit code and standard error of a server that does not start; standard output is empty."""
    done = loopx("serve", "--no-browser", *flags, data_dir=data_dir, extra=extra)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_it_prints_two_lines_in_order_and_nothing_else(running: ServerProcess) -> None:
    assert [line.partition(": ")[0] for line in running.lines] == ["Sign in", "LoopX is ready"]
    assert running.first_sign_in.startswith(f"{running.url}/sign-in/")


def test_it_answers_once_it_says_so(running: ServerProcess) -> None:
    status, body = get(f"{running.url}/api/v1/health")
    assert status == 200
    assert json.loads(body)["database"] == "ok"


def test_its_directory_is_private(running: ServerProcess) -> None:
    if os.name == "posix":
        assert stat.S_IMODE(running.data_dir.stat().st_mode) == 0o700
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in running.data_dir.iterdir()}
        assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}


def test_the_worker_runs_beside_it(running: ServerProcess) -> None:
    path = running.data_dir / lock.WORKER
    waiting.until(lambda: lock.holder(path), "the worker holds its lock")


def test_sign_in_prints_a_new_link_to_the_running_server(running: ServerProcess) -> None:
    link = running.sign_in_link()
    assert link.startswith(f"{running.url}/sign-in/")
    assert link != running.first_sign_in


def test_a_second_server_on_the_directory_is_refused(running: ServerProcess) -> None:
    code, said = refused(running.data_dir, "--port", "0")
    assert code == 1
    assert f"process {running.process.pid}, {running.url}/" in said
    assert "--data-dir" in said


def test_a_taken_port_names_the_server_that_has_it(running: ServerProcess, tmp_path: Path) -> None:
    code, said = refused(tmp_path / "data", "--port", str(running.port))
    assert code == 1
    assert f"already running at {running.url}/" in said
    assert f"--port {running.port + 1}" in said


def test_verify_and_doctor_find_nothing(running: ServerProcess) -> None:
    assert loopx("verify", data_dir=running.data_dir).returncode == 0
    extra = {"LOOPX_SERVER": running.url}
    told = loopx("doctor", "--deep", "--json", data_dir=running.data_dir, extra=extra)
    checks = {check["name"]: check for check in json.loads(told.stdout)["checks"]}
    for name in ("data directory", "migrations", "database file"):
        assert checks[name]["ok"], checks[name]


def test_another_address_is_refused(tmp_path: Path) -> None:
    code, said = refused(tmp_path / "data", "--host", "0.0.0.0")
    assert code == 2
    assert "--allow-remote" in said
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LOOPX_PORT", "http", "LOOPX_PORT: 'http' is not a whole number"),
        ("LOOPX_DATABASE", "mysql://x/y", "LOOPX_DATABASE: 'mysql' is neither"),
        ("LOOPX_TLS_CERT", "cert.pem", "LOOPX_TLS_CERT and LOOPX_TLS_KEY go together"),
    ],
)
def test_a_bad_setting_is_named(tmp_path: Path, name: str, value: str, said: str) -> None:
    # Another server may run on the usual port.
    flags = () if name == "LOOPX_PORT" else ("--port", "0")
    code, errors = refused(tmp_path / "data", *flags, extra={name: value})
    assert code != 0
    assert said in errors


def test_a_path_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    code, said = refused(tmp_path / "data")
    assert code == 1
    assert "cannot be used" in said and "--data-dir" in said


def test_a_damaged_database_is_left_alone(tmp_path: Path) -> None:
    damaged = tmp_path / "data" / "loopx.sqlite3"
    damaged.parent.mkdir()
    damaged.write_bytes(b"not a database " * 500)
    before = damaged.read_bytes()
    code, said = refused(damaged.parent, "--port", "0")
    assert code == 1
    assert "file is not a database" in said and "backup" in said
    assert damaged.read_bytes() == before


@pytest.mark.slow
def test_a_broken_page_in_the_database_is_noticed_at_the_start(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data"):
        pass
    damaged = tmp_path / "data" / "loopx.sqlite3"
    with closing(sqlite3.connect(damaged)) as whole:
        whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = damaged.stat().st_size
    with damaged.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size // 4))
    code, said = refused(damaged.parent, "--port", "0")
    assert code == 1
    assert "cannot be used" in said and "backup" in said
    done = loopx("verify", data_dir=damaged.parent)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_a_clean_end(tmp_path: Path, signum: int) -> None:
    with ServerProcess(tmp_path / "data") as server:
        port = server.port
        assert server.stop(signum) == 0
    assert (tmp_path / "data" / lock.SERVER).read_text(encoding="utf-8") == ""
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.slow
def test_a_killed_server_starts_again_on_its_port(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as first:
        port = first.port
        first.process.kill()
        first.process.wait()
        # Its web process may still be winding down: the new server waits for the port.
        with ServerProcess(tmp_path / "data", "--port", str(port)) as second:
            assert second.port == port


@pytest.mark.slow
def test_the_end_of_the_web_process_is_the_end_of_the_server(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--no-worker") as server:
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        (web,) = children.read_text(encoding="ascii").split()
        os.kill(int(web), signal.SIGKILL)
        assert server.process.wait(timeout=30) == 1
        waiting.until(lambda: "web process ended (SIGKILL)" in server.output(), "it is told")


@pytest.mark.slow
def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    with ServerProcess(directory, "--no-worker"):
        pass
    database = sqlite3.connect(directory / "loopx.sqlite3")
    with database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('kanban', '9999_later', '2030-01-01')"
        )
    database.close()
    code, said = refused(directory, "--port", "0")
    assert code == 1
    assert "newer version of LoopX (kanban.9999_later)" in said
