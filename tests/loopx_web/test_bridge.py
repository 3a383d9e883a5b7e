"""The bridge: what reaches the WSGI application, and how its answers leave."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from loopx_web import bridge
from loopx_web.bridge import Bridge
from loopx_web.security import BODY_LIMIT
from tests.loopx_web.serving import Served, parse, serving, until


class Endless:
    """A streaming response that goes on until it is closed."""

    streaming = True

    def __init__(self) -> None:
        self.closed = threading.Event()
        self.pulled = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.pulled += 1
            yield b"tick\n"

    def close(self) -> None:
        self.closed.set()


class Parts:
    """Hands out each part only when the test lets it."""

    streaming = True

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts
        self.go = threading.Semaphore(0)
        self.closed = threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        for part in self.parts:
            self.go.acquire()
            yield part

    def close(self) -> None:
        self.closed.set()


class Recorder:
    """A WSGI application that keeps what it was asked and answers what the test wants."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self.status = "200 OK"
        self.headers: list[tuple[str, str]] = [("Content-Type", "text/plain")]
        self.result: Any = [b"hel", b"lo"]
        self.release: threading.Event | None = None

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self.seen.append(environ)
        self.bodies.append(environ["wsgi.input"].read())
        if self.release is not None:
            self.release.wait(10)
        if isinstance(self.result, Exception):
            raise self.result
        start_response(self.status, self.headers)
        result: Iterable[bytes] = self.result
        return result


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def served(recorder: Recorder) -> Iterator[Served]:
    with serving(Bridge(recorder, body_seconds=0.4)) as running:
        yield running


def test_an_answer_is_whole_and_says_its_length(served: Served) -> None:
    answer = served.get("/x")
    assert (answer.status, answer.body) == (200, b"hello")
    assert answer.headers["content-length"] == "5"
    assert "transfer-encoding" not in answer.headers


def test_http_1_0_gets_no_chunks(served: Served) -> None:
    answer = served.raw(b"GET /x HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    assert answer.body == b"hello"
    assert "transfer-encoding" not in answer.headers


def test_path_query_and_client_reach_the_application(served: Served, recorder: Recorder) -> None:
    served.get("/goals/%E7%9B%AE%2Fx?a=%20b&a=c")
    environ = recorder.seen[0]
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/goals/目/x"
    assert environ["QUERY_STRING"] == "a=%20b&a=c"
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert environ["wsgi.url_scheme"] == "http"
    assert environ["SERVER_PORT"] == str(served.port)


def test_header_names_with_underscore_are_dropped(served: Served, recorder: Recorder) -> None:
    served.get("/x", **{"X_Plain": "no"})
    served.raw(b"GET / HTTP/1.0\r\nHost: h\r\nX_Agent: forged\r\nX-Agent: real\r\n\r\n")
    assert recorder.seen[1]["HTTP_X_AGENT"] == "real"


def test_repeated_headers_are_joined(served: Served, recorder: Recorder) -> None:
    served.raw(
        b"GET / HTTP/1.0\r\nHost: h\r\nCookie: a=1\r\nCookie: b=2\r\nAccept: x\r\nAccept: y\r\n\r\n"
    )
    assert recorder.seen[0]["HTTP_COOKIE"] == "a=1; b=2"
    assert recorder.seen[0]["HTTP_ACCEPT"] == "x,y"


def test_a_chunked_body_arrives_whole(served: Served, recorder: Recorder) -> None:
    served.request("POST", "/x", iter([b"one ", b"two"]))
    assert recorder.bodies == [b"one two"]
    assert recorder.seen[0]["CONTENT_LENGTH"] == "7"
    assert "HTTP_TRANSFER_ENCODING" not in recorder.seen[0]


def test_a_body_of_the_limit_passes_and_one_byte_more_does_not(
    served: Served, recorder: Recorder
) -> None:
    assert served.request("POST", "/x", b"a" * BODY_LIMIT).status == 200
    answer = served.request("POST", "/x", b"a" * (BODY_LIMIT + 1))
    assert (answer.status, answer.json["code"]) == (413, "too_large")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert len(recorder.seen) == 1


def test_too_much_in_chunks_is_refused_too(served: Served, recorder: Recorder) -> None:
    pieces = (b"a" * 65536 for _ in range(20))
    answer = served.request("POST", "/x", pieces)
    assert answer.status == 413
    assert recorder.seen == []


def test_a_client_that_asks_first_sends_nothing_in_vain(served: Served) -> None:
    answer = served.raw(
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n"
    )
    assert answer.status == 413


def test_a_body_that_stalls_is_given_up(served: Served, recorder: Recorder) -> None:
    answer = served.raw(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
    assert (answer.status, answer.json["code"]) == (408, "request_timeout")
    assert answer.headers["connection"] == "close"
    assert recorder.seen == []


def test_stalled_uploads_do_not_hold_up_others(served: Served) -> None:
    stalled = [served.connect() for _ in range(bridge.THREADS * 2)]
    for connection in stalled:
        connection.sendall(b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
    assert served.get("/x").body == b"hello"
    for connection in stalled:
        connection.close()


def test_a_body_cut_in_the_middle_is_not_dispatched(served: Served, recorder: Recorder) -> None:
    with served.connect() as connection:
        connection.sendall(b"POST /cut HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf")
    assert served.get("/after").status == 200
    assert [environ["PATH_INFO"] for environ in recorder.seen] == ["/after"]


def test_contradicting_lengths_are_refused(served: Served, recorder: Recorder) -> None:
    answer = served.raw(
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nhalf"
    )
    assert answer.status == 400
    assert recorder.seen == []


def test_a_stream_leaves_part_by_part(served: Served, recorder: Recorder) -> None:
    parts = Parts([b"one", b"", b"two"])
    recorder.result = parts
    connection = http.client.HTTPConnection(served.host, served.port, timeout=10)
    parts.go.release()
    connection.request("GET", "/x")
    response = connection.getresponse()
    assert response.read(3) == b"one"
    parts.go.release(2)
    assert response.read(3) == b"two"
    assert response.read() == b""
    assert parts.closed.wait(5)
    connection.close()


def test_a_stream_does_not_outlive_its_client(served: Served, recorder: Recorder) -> None:
    endless = Endless()
    recorder.result = endless
    with served.connect() as connection:
        connection.sendall(b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
        assert connection.recv(1000)
    assert endless.closed.wait(5)


def test_files_come_by_the_file_wrapper(served: Served, recorder: Recorder, tmp_path: Any) -> None:
    content = b"0123456789abcdef" * 40_000
    path = tmp_path / "app.css"
    path.write_bytes(content)
    for size in (len(content), 100, bridge.BLOCK, 0):
        path.write_bytes(content[:size])
        file = path.open("rb")
        recorder.headers = [("Content-Length", str(size))]
        recorder.result = bridge.FileBlocks(file)
        assert served.get("/static").body == content[:size]
        until(partial(getattr, file, "closed"))


def test_what_breaks_outside_django_is_a_problem_with_a_reference(
    served: Served, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    recorder.result = ValueError("secret-marker")
    answer = served.get("/x")
    assert (answer.status, answer.json["code"]) == (500, "internal")
    assert b"secret-marker" not in answer.body
    reference = answer.json["detail"].split("reference ")[1].rstrip(").")
    assert reference in caplog.text


def test_a_full_queue_is_an_honest_503(
    served: Served, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "QUEUED", 3)
    recorder.release = threading.Event()
    with ThreadPoolExecutor(3) as room:
        waiting = [room.submit(served.get, "/slow") for _ in range(3)]
        until(lambda: len(recorder.seen) == 3)
        answer = served.get("/x")
        recorder.release.set()
        assert [one.result().status for one in waiting] == [200, 200, 200]
    assert (answer.status, answer.json["code"]) == (503, "busy")
    assert answer.headers["retry-after"] == "1"


def test_pipelined_requests_are_answered_in_order(served: Served) -> None:
    one = b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n"
    last = b"GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    with served.connect() as connection:
        connection.sendall(one + last)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert parse(answer).status == 200
