"""The few ASGI words that the front, the bridge and the hub share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from loopx_web.refusals import Refused
from loopx_web.security import HEADERS

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

OUR_HEADERS: Headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response."""

    status: int
    headers: Headers = field(default_factory=list)
    body: bytes = b""

    def header(self, name: bytes) -> str | None:
        return next((value.decode("latin-1") for key, value in self.headers if key == name), None)

    async def send(self, send: Send) -> None:
        headers = self.headers
        if self.status not in (204, 304) and self.header(b"content-length") is None:
            headers = [*headers, (b"content-length", str(len(self.body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def answer(refused: Refused, *, close: bool = False) -> Answer:
    """`close` ends the connection, for a request whose rest nobody is going to read."""
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"cache-control", b"no-store"),
        *OUR_HEADERS,
        *((name.encode(), value.encode()) for name, value in refused.headers.items()),
    ]
    if close:
        headers.append((b"connection", b"close"))
    return Answer(refused.status, headers, refused.body())


def values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


async def gone(receive: Receive) -> None:
    """Returns once the client has left; the body must have been read before."""
    while (await receive())["type"] != "http.disconnect":
        pass


def watch(receive: Receive) -> asyncio.Task[None]:
    return asyncio.create_task(gone(receive))
