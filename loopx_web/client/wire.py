"""HTTP for everything but the hot path: retries, idempotency keys, problem bodies to exceptions."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from loopx_web.client import raw
from loopx_web.client.config import host_and_port
from loopx_web.client.errors import Unreachable, from_problem

LONGEST_PAUSE = 10.0

Query = Mapping[str, str | int | bool | Sequence[str] | None]


@dataclass
class Wire:
    """One server and one token. Safe to share between threads: each call has its own connection."""

    server: str
    token: str = ""
    timeout: float = 30.0
    attempts: int = 4

    def get(self, path: str, query: Query | None = None, *, timeout: float | None = None) -> Any:
        return content(self.call("GET", path, query=query, timeout=timeout))

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        return content(self.call("POST", path, body={} if body is None else body, **options))

    def patch(self, path: str, body: Any, **options: Any) -> Any:
        return content(self.call("PATCH", path, body=body, **options))

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        key: str | None = None,
        if_match: int | None = None,
        accept: str = "application/json",
        timeout: float | None = None,
        attempts: int | None = None,
    ) -> raw.Reply:
        """Sends until answered, at most `attempts` times, always under the same idempotency key.

        Raises a LoopXError for any answer of 400 or more, Unreachable if there is none.
        """
        key = "" if method == "GET" else key or uuid.uuid4().hex
        headers = raw.headers(self.token, accept, key)
        if if_match is not None:
            headers["If-Match"] = f'"{if_match}"'
        # What is no text (half a surrogate pair, a stray byte of the shell) the server refuses.
        words = None if body is None else json.dumps(body, ensure_ascii=False)
        sent = None if words is None else words.encode(errors="surrogatepass")
        target = f"/api/v1{path}" + (f"?{encode_query(query)}" if query else "")
        answer = self._persist(
            method, target, headers, sent, timeout or self.timeout, attempts or self.attempts
        )
        if answer.status >= 400:
            raise from_problem(answer.status, problem(answer.status, answer.body))
        return answer

    def _persist(
        self,
        method: str,
        target: str,
        headers: dict[str, str],
        content: bytes | None,
        timeout: float,
        attempts: int,
    ) -> raw.Reply:
        for attempt in range(1, attempts + 1):
            last = attempt == attempts
            told = 0.0
            try:
                reply = send(self.server, method, target, headers, content, timeout)
            except (OSError, http.client.HTTPException) as error:
                if last:
                    raise Unreachable(self.server, reason(error)) from error
            else:
                if last or reply.status not in raw.RETRY_STATUS:
                    return reply
                told = retry_after(reply.headers.get("retry-after", ""))
            time.sleep(pause(attempt, told))
        raise AssertionError("unreachable")


def send(
    server: str,
    method: str,
    target: str,
    headers: Mapping[str, str],
    content: bytes | None,
    timeout: float,
) -> raw.Reply:
    """One exchange over http.client; also the TLS way of the hot path."""
    host, port = host_and_port(server)
    connection: http.client.HTTPConnection
    if server.startswith("https:"):
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=timeout)
    extra = {} if content is None else {"Content-Type": "application/json"}
    try:
        connection.request(method, target, content, {**headers, **extra, "Connection": "close"})
        response = connection.getresponse()
        body = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        return raw.Reply(response.status, found, body)
    finally:
        connection.close()


def content(reply: raw.Reply) -> Any:
    """The JSON of an answer; None for one without a body."""
    return json.loads(reply.body) if reply.body else None


def encode_query(query: Query) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if isinstance(value, bool):
            pairs += [(name, "1")] if value else []
        elif isinstance(value, Sequence) and not isinstance(value, str):
            pairs += [(name, item) for item in value]
        elif value is not None and value != "":
            pairs.append((name, str(value)))
    return urlencode(pairs)


def problem(status: int, body: bytes) -> dict[str, Any]:
    """The problem body, or one made up for an answer that is not LoopX's (a proxy's page)."""
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    if isinstance(data, dict) and "code" in data:
        return data
    return {
        "status": status,
        "code": {401: "unauthenticated", 404: "not_found", 503: "busy"}.get(status, "internal"),
        "detail": f"The server answered {status} without saying why.",
        "hint": "Check that LOOPX_SERVER points at a LoopX server.",
    }


def reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return "it took too long" if isinstance(error, TimeoutError) else str(error) or repr(error)


def retry_after(text: str) -> float:
    return float(text) if text.isdigit() else 0.0


def pause(attempt: int, told: float) -> float:
    """Full jitter over a doubling step, never shorter than what the server asked for."""
    step = min(0.2 * 2**attempt, LONGEST_PAUSE)
    return float(min(told, LONGEST_PAUSE) + random.uniform(0, step))
