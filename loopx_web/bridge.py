"""Django through WSGI in threads: bodies are read on the loop, answers leave in parts."""

from __future__ import annotations

import asyncio
import io
import logging
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote, unquote_to_bytes

from loopx_web import refusals
from loopx_web.asgi import Answer, Headers, Message, Receive, Scope, Send, answer, values, watch
from loopx_web.refusals import Refused
from loopx_web.security import BODY_LIMIT

logger = logging.getLogger(__name__)

Environ = dict[str, Any]
Result = TypeVar("Result")
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

THREADS = 8
BODY_SECONDS = 10.0
QUEUED = 512  # requests that wait for a thread; beyond it, an honest 503 beats a late answer
DRAINED = 16 * BODY_LIMIT
BLOCK = 256 * 1024


class Left(Exception):
    """The client went away before its request was whole."""


@dataclass(slots=True)
class Reply:
    """An answer as far as it is known: whole when `rest` is None."""

    status: int
    headers: Headers
    first: bytes
    rest: Iterator[bytes] | None = None
    close: Callable[[], None] | None = None


class FileBlocks:
    """`wsgi.file_wrapper`: a static file in one hop, a large one in few."""

    def __init__(self, file: Any, _size: int = 0) -> None:
        self.file = file
        self.close: Callable[[], None] = getattr(file, "close", lambda: None)

    def __iter__(self) -> Iterator[bytes]:
        while block := self.file.read(BLOCK):
            yield block


class Bridge:
    """An ASGI application around a WSGI one."""

    def __init__(self, application: Application, *, body_seconds: float = BODY_SECONDS) -> None:
        self.application = application
        self.body_seconds = body_seconds
        self.threads = ThreadPoolExecutor(THREADS, "web")
        self.open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if self.open >= QUEUED:
                raise refusals.busy("Too many requests wait for an answer already.")
            body = await read_body(scope, receive, self.body_seconds)
            environ = environ_of(scope, body)
        except Left:
            return
        except Refused as refused:
            await answer(refused, close=True).send(send)
            return
        self.open += 1
        try:
            reply = await self.run(self.threads, begin, self.application, environ)
            await self.deliver(reply, receive, send)
        finally:
            self.open -= 1

    async def ask(self, scope: Scope, path: str, query: bytes, room: Executor) -> Answer:
        """The application's whole answer to another GET of the same caller."""
        inner = {
            **scope,
            "method": "GET",
            "path": path,
            "raw_path": quote(path).encode(),
            "query_string": query,
            "headers": [pair for pair in scope["headers"] if pair[0] not in NOT_PASSED_ON],
        }
        return await self.run(room, finish, self.application, environ_of(inner, b""))

    def stop(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, room: Executor, function: Callable[..., Result], *args: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(room, function, *args)

    async def deliver(self, reply: Reply, receive: Receive, send: Send) -> None:
        if reply.rest is None:
            await Answer(reply.status, reply.headers, reply.first).send(send)
            return
        left = watch(receive)
        try:
            await send(
                {"type": "http.response.start", "status": reply.status, "headers": reply.headers}
            )
            chunk: bytes | None = reply.first
            while chunk is not None and not left.done():
                await send(part(chunk))
                chunk = await self.run(self.threads, next, reply.rest, None)
            if not left.done():
                await send({"type": "http.response.body", "body": b""})
        finally:
            left.cancel()
            if reply.close is not None:
                self.threads.submit(closed, reply.close)


# Belongs to the outer request only; the inner one asks afresh and for the whole.
NOT_PASSED_ON = frozenset(
    {
        b"content-length",
        b"transfer-encoding",
        b"if-none-match",
        b"if-match",
        b"if-modified-since",
        b"range",
        b"last-event-id",
        b"expect",
    }
)


async def read_body(scope: Scope, receive: Receive, seconds: float) -> bytes:
    """The whole body, or what is wrong with it; `Left` when the client gave up in its middle."""
    lengths = values(scope, b"content-length")
    chunked = bool(values(scope, b"transfer-encoding"))
    if not chunked and all(length == b"0" for length in lengths):
        return b""
    if len(set(lengths)) > 1 or not all(length.isdigit() for length in lengths):
        raise refusals.bad_request("Content-Length is not one number.")
    if not chunked and int(lengths[0]) > BODY_LIMIT and values(scope, b"expect"):
        raise refusals.too_large(BODY_LIMIT)
    try:
        async with asyncio.timeout(seconds):
            return await collect(receive)
    except TimeoutError:
        raise refusals.too_slow(seconds) from None


async def collect(receive: Receive) -> bytes:
    body = bytearray()
    size = 0
    while True:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            raise Left
        size += len(message.get("body", b""))
        # What is too much is read and dropped, up to a bound: a client that still writes
        # would see a broken connection instead of the answer.
        if size <= BODY_LIMIT:
            body += message.get("body", b"")
        if size > DRAINED or (size > BODY_LIMIT and not message.get("more_body")):
            raise refusals.too_large(BODY_LIMIT)
        if not message.get("more_body"):
            return bytes(body)


def environ_of(scope: Scope, body: bytes) -> Environ:
    raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
    server = scope.get("server") or ("localhost", None)
    client = scope.get("client") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(raw_path).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileBlocks,
    }
    add_headers(environ, scope["headers"])
    return environ


def add_headers(environ: Environ, headers: Headers) -> None:
    for name, value in headers:
        key = variable(name)
        if key is None:
            continue
        text = value.decode("latin-1")
        if key in environ:
            separator = "; " if key == "HTTP_COOKIE" else ","
            text = f"{environ[key]}{separator}{text}"
        environ[key] = text


@lru_cache(maxsize=512)
def variable(name: bytes) -> str | None:
    """The environ key of a header; None for one that must not reach the application.

    With `_` let through, `X_Agent` would pass as `X-Agent`; the body is whole by now, so its
    framing is ours to state.
    """
    if b"_" in name or name in (b"content-length", b"transfer-encoding"):
        return None
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key == "CONTENT_TYPE" else f"HTTP_{key}"


def begin(application: Application, environ: Environ) -> Reply:
    """Runs in a thread: calls the application and takes as much as costs no waiting."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _exc: Any = None) -> None:
        started[:] = [(status, headers)]

    try:
        result = application(environ, start_response)
    except Exception:
        return failed(environ)
    close = getattr(result, "close", None)
    streams = getattr(result, "streaming", not isinstance(result, list | tuple))
    try:
        rest = iter(result)
        first = next(rest, None) if streams else b"".join(rest)
    except Exception:
        closed(close)
        return failed(environ)
    status, headers = started[0]
    encoded = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers]
    reply = Reply(int(status[:3]), encoded, first or b"", rest, close)
    short_file = isinstance(result, FileBlocks) and len(reply.first) < BLOCK
    if not streams or first is None or short_file:
        reply.rest = None
        closed(close)
    return reply


def finish(application: Application, environ: Environ) -> Answer:
    reply = begin(application, environ)
    body = reply.first
    if reply.rest is not None:
        body += b"".join(reply.rest)
        closed(reply.close)
    return Answer(reply.status, reply.headers, body)


def failed(environ: Environ) -> Reply:
    """Django answers its own errors; this is for what breaks around it."""
    reference = uuid.uuid4().hex[:12]
    logger.exception("%s %s: %s", environ["REQUEST_METHOD"], environ["PATH_INFO"], reference)
    whole = answer(refusals.broken(reference))
    return Reply(whole.status, whole.headers, whole.body)


def closed(close: Callable[[], None] | None) -> None:
    try:
        if close is not None:
            close()
    except Exception:
        logger.exception("closing a response failed")


def part(chunk: bytes) -> Message:
    return {"type": "http.response.body", "body": chunk, "more_body": True}
