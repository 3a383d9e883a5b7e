"""The front: which room a request goes to, and the process as the supervisor starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx_web import front
from tests.loopx_web.serving import Events, Served, until
from tests.loopx_web.standin import AGENT, OWNER, Running, running

STREAM = "/api/v1/events/stream"
WAIT = "/api/v1/goals/apollo/wait"
LIVE = (STREAM, WAIT)


@pytest.fixture
def live() -> Iterator[Running]:
    with running() as one:
        yield one


class TestEnvelope:
    @pytest.mark.parametrize("path", [*LIVE, "/anything"])
    @pytest.mark.parametrize(
        "hosts", [b"", b"Host: 127.0.0.1\r\nHost: evil.example\r\n", b"Host:\r\n"]
    )
    def test_exactly_one_host(self, live: Running, path: str, hosts: bytes) -> None:
        answer = live.served.raw(b"GET " + path.encode() + b" HTTP/1.0\r\n" + hosts + b"\r\n")
        assert (answer.status, answer.json["code"]) == (400, "bad_request")
        assert not live.world.asked

    @pytest.mark.parametrize("path", LIVE)
    def test_the_hub_has_its_own_host_list(self, live: Running, path: str) -> None:
        answer = live.served.get(path, Host="evil.example", Authorization=OWNER)
        assert (answer.status, answer.json["code"]) == (421, "host_not_allowed")
        assert not live.world.asked

    @pytest.mark.parametrize("path", LIVE)
    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_the_hub_answers_no_foreign_page(self, live: Running, path: str, site: str) -> None:
        answer = live.served.get(path, Sec_Fetch_Site=site, Authorization=OWNER)
        assert (answer.status, answer.json["code"]) == (403, "cross_origin")

    @pytest.mark.parametrize("path", LIVE)
    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
    def test_the_hub_only_reads(self, live: Running, path: str, method: str) -> None:
        answer = live.served.request(method, path)
        assert (answer.status, answer.headers["allow"]) == (405, "GET")

    def test_refusals_carry_the_usual_headers(self, live: Running) -> None:
        answer = live.served.get(STREAM, Host="evil.example")
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"


class TestRooms:
    def test_the_rest_goes_to_django(self, live: Running) -> None:
        for path in ("/api/v1/goals/apollo/waiting", "/api/v1/events", f"{WAIT}/x", f"{STREAM}/"):
            live.served.get(path, Authorization=OWNER)
            assert live.world.asked[path] == 1

    def test_many_live_connections_leave_the_rest_quick(self, live: Running) -> None:
        streams = [Events(live.served, Authorization=OWNER) for _ in range(20)]
        assert live.served.get("/api/v1/goals/apollo/should-run", Authorization=AGENT).status == 200
        for one in streams:
            one.close()

    def test_what_breaks_in_the_hub_is_a_problem(
        self, live: Running, caplog: pytest.LogCaptureFixture
    ) -> None:
        live.world.goals["apollo"].version = "secret-marker"  # type: ignore[assignment]
        answer = live.served.get(WAIT, Authorization=AGENT, Accept="text/plain")
        assert (answer.status, answer.json["code"]) == (500, "internal")
        assert b"secret-marker" not in answer.body


class TestListen:
    def test_a_taken_port_is_refused(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(OSError):
                front.listen("127.0.0.1", port)

    def test_a_port_is_free_again_at_once(self) -> None:
        first = front.listen("127.0.0.1", 0)
        port = first.getsockname()[1]
        first.close()
        front.listen("127.0.0.1", port).close()


class Process:
    """`python -m loopx_web.front` on a private directory."""

    def __init__(self, data_dir: Path, port: int) -> None:
        self.port = port
        self.environment = {
            **os.environ,
            "LOOPX_DATA_DIR": str(data_dir),
            "LOOPX_PORT": str(port),
            "DJANGO_SETTINGS_MODULE": "loopx_web.settings",
        }

    def migrate(self) -> None:
        command = [sys.executable, "-m", "django", "migrate", "-v0"]
        subprocess.run(command, env=self.environment, check=True)

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "loopx_web.front"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def accepts(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Process:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = Process(tmp_path_factory.mktemp("data"), port)
    made.migrate()
    return made


class TestProcess:
    @pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
    def test_answers_once_bound_and_stops_on_a_signal(
        self, process: Process, sent: signal.Signals
    ) -> None:
        running = process.start()
        try:
            until(process.accepts, 30)
            served = Served("127.0.0.1", process.port, None)  # type: ignore[arg-type]
            health = served.get("/api/v1/health")
            assert health.status == 200
            assert "server" not in health.headers
            assert served.get("/static/app.css").status == 200
            assert served.get(STREAM).status == 401
            running.send_signal(sent)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
        assert running.returncode in (-sent, 128 + sent)
        assert (out, err) == ("", "")

    def test_a_taken_port_ends_it_with_a_sentence(self, process: Process) -> None:
        with socket.create_server(("127.0.0.1", process.port)):
            out, err = process.start().communicate(timeout=30)
        assert out == ""
        assert err.startswith(f"loopx: cannot listen on 127.0.0.1:{process.port}")
        assert err.count("\n") == 1
