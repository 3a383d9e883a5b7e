"""Runs an ASGI application under uvicorn in a thread, as the web process does, and talks to it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import uvicorn

from loopx_web import front

LIMIT = 10.0


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    host: str
    port: int
    loop: asyncio.AbstractEventLoop

    def request(
        self,
        method: str,
        path: str,
        body: bytes | Iterator[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=LIMIT)
        try:
            connection.request(method, path, cast(Any, body), headers or {})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.request("GET", path, None, {k.replace("_", "-"): v for k, v in headers.items()})

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=LIMIT)

    def raw(self, request: bytes) -> Reply:
        """Sends bytes as they are; reads until the server closes."""
        with self.connect() as connection:
            connection.sendall(request)
            return parse(b"".join(iter(lambda: connection.recv(65536), b"")))


def parse(answer: bytes) -> Reply:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    headers = {name.lower(): value for name, _, value in pairs}
    return Reply(int(first.split()[1]), headers, body)


@contextlib.contextmanager
def serving(application: Any, lifespan: str = "off") -> Iterator[Served]:
    listener = front.listen("127.0.0.1", 0)
    config = uvicorn.Config(
        application,
        http="httptools",
        ws="none",
        lifespan=cast(Any, lifespan),
        log_config=None,
        timeout_graceful_shutdown=front.GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    until(lambda: server.started)
    host, port = listener.getsockname()
    try:
        yield Served(host, port, loops[0])
    finally:
        if isinstance(application, front.Front):
            application.hub.close()
        server.should_exit = True
        thread.join(LIMIT)


def until(condition: Callable[[], object], limit: float = LIMIT) -> None:
    """Polls a condition of another thread; fails after `limit` seconds."""
    ends = time.monotonic() + limit
    while not condition():
        if time.monotonic() > ends:
            raise AssertionError(f"not within {limit} s: {condition}")
        time.sleep(0.005)


@dataclass
class Event:
    name: str
    id: str
    data: Any


class Events:
    """A small EventSource: one connection, events in order."""

    def __init__(self, served: Served, **headers: str) -> None:
        self.connection = http.client.HTTPConnection(served.host, served.port, timeout=LIMIT)
        self.connection.request(
            "GET",
            "/api/v1/events/stream",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )
        self.response = self.connection.getresponse()

    @property
    def status(self) -> int:
        return self.response.status

    def next(self) -> Event | None:
        """None at the end of the stream."""
        fields: dict[str, str] = {}
        while line := self.response.readline():
            text = line.decode().rstrip("\n")
            if not text and "data" in fields:
                return Event(
                    fields.get("event", ""), fields.get("id", ""), json.loads(fields["data"])
                )
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
        return None

    def close(self) -> None:
        self.connection.close()
        self.response.close()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()
