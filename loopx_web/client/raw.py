"""One HTTP/1.0 exchange over a bare socket: what the hot path of `loopx` can afford to load."""

from __future__ import annotations

import _socket
import os
import time

from loopx_web.client.config import Config, host_and_port

USER_AGENT = "loopx/0.1"
LIMIT = 8 * 1024 * 1024
RETRY_STATUS = (429, 503)
ATTEMPTS = 3
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class NoAnswer(Exception):
    """The server did not answer, or its answer was cut."""


class Reply:
    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def is_json(self) -> bool:
        return "json" in self.headers.get("content-type", "")


def quote(text: str) -> str:
    return "".join(
        chr(b) if b in _SAFE else f"%{b:02X}" for b in text.encode(errors="surrogatepass")
    )


def query(pairs: list[tuple[str, str]]) -> str:
    return "&".join(f"{quote(name)}={quote(value)}" for name, value in pairs if value != "")


def new_key() -> str:
    return os.urandom(16).hex()


def exchange(
    config: Config, method: str, path: str, *, accept: str, body: str | None, timeout: float
) -> Reply:
    """Sends the request, repeating it (same idempotency key) when no answer came or it is busy."""
    key = new_key() if method != "GET" else ""
    for attempt in range(1, ATTEMPTS + 1):
        last = attempt == ATTEMPTS
        try:
            reply = _once(config, method, path, accept, body, key, timeout)
        except ConnectionRefusedError:
            raise NoAnswer(f"Nothing listens at {config.server}.") from None
        except (OSError, NoAnswer) as error:
            if last or isinstance(error, TimeoutError):
                raise NoAnswer(f"{config.server} did not answer: {error}.") from None
            pause = 0.05 * attempt
        else:
            if last or reply.status not in RETRY_STATUS:
                return reply
            told = reply.headers.get("retry-after", "")
            pause = min(float(told) if told.isdigit() else 0.5, 5.0)
        # Jitter, so that agents turned away together do not come back together.
        time.sleep(pause * (0.75 + os.urandom(1)[0] / 512))
    raise AssertionError("unreachable")


def _once(
    config: Config,
    method: str,
    path: str,
    accept: str,
    body: str | None,
    key: str,
    timeout: float,
) -> Reply:
    if config.server.startswith("https:"):
        return _over_tls(config, method, path, accept, body, key, timeout)
    host, port = host_and_port(config.server)
    lines = [f"{method} /api/v1{path} HTTP/1.0", f"Host: {_authority(config.server)}"]
    lines += [f"{name}: {value}" for name, value in headers(config.token, accept, key).items()]
    content = b"" if body is None else body.encode(errors="surrogatepass")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    head = "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")
    connection = _connect(host, port, timeout)
    try:
        connection.sendall(head + content)
        return _read(connection)
    finally:
        connection.close()


def headers(token: str, accept: str, key: str) -> dict[str, str]:
    found = {"User-Agent": USER_AGENT, "Accept": accept}
    if token:
        found["Authorization"] = f"Bearer {token}"
    if key:
        found["Idempotency-Key"] = key
    return found


def _authority(server: str) -> str:
    return server.split("://", 1)[1].split("/", 1)[0].rsplit("@", 1)[-1]


def _connect(host: str, port: int, timeout: float) -> _socket.socket:
    failure: OSError = OSError(f"{host} has no address")
    # As bytes: a str would load the IDNA codec, and with it re and unicodedata (12 ms).
    name = host.encode("ascii") if host.isascii() else host.encode("idna")
    found = _socket.getaddrinfo(name, port, 0, _socket.SOCK_STREAM)
    for family, kind, protocol, _, address in found:
        connection = _socket.socket(family, kind, protocol)
        connection.settimeout(timeout)
        try:
            connection.connect(address)
        except OSError as error:
            failure = error
            connection.close()
        else:
            return connection
    raise failure


def _read(connection: _socket.socket) -> Reply:
    data = b""
    wanted = -1
    while wanted < 0 or len(data) < wanted:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
        if wanted < 0 and (end := data.find(b"\r\n\r\n")) >= 0:
            length = _length(data[:end])
            wanted = end + 4 + length if length >= 0 else LIMIT
        if len(data) > LIMIT:
            raise NoAnswer("the answer is too long")
    head, mark, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ", 2)
    if not mark or len(words) < 2 or not words[1].isdigit():
        raise NoAnswer("the answer was cut or is not HTTP")
    if wanted != LIMIT and len(data) < wanted:
        raise NoAnswer("the answer was cut")
    fields = (line.partition(":") for line in lines[1:])
    return Reply(int(words[1]), {name.strip().lower(): v.strip() for name, _, v in fields}, body)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":", 1)[1])
    return -1


def _over_tls(
    config: Config,
    method: str,
    path: str,
    accept: str,
    body: str | None,
    key: str,
    timeout: float,
) -> Reply:
    from loopx_web.client import wire

    content = None if body is None else body.encode(errors="surrogatepass")
    return wire.send(
        config.server,
        method,
        f"/api/v1{path}",
        headers(config.token, accept, key),
        content,
        timeout,
    )
