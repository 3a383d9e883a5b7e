"""A server that answers from a script: for what the real one cannot be made to do on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Script:
    """`answer(request)` gives status, headers and body; None closes the connection unanswered."""

    answer: Callable[[Seen], tuple[int, dict[str, str], Any] | None]
    seen: list[Seen] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(answer: Callable[[Seen], tuple[int, dict[str, str], Any] | None]) -> Iterator[Script]:
    script = Script(answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(script))
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, headers, body)
            script.seen.append(seen)
            answer = script.answer(seen)
            if answer is None:
                return
            status, found, content = answer
            text = content if isinstance(content, str) else json.dumps(content)
            kind = "text/plain; charset=utf-8" if isinstance(content, str) else "application/json"
            data = text.encode()
            self.send_response(status)
            for name, value in {"Content-Type": kind, **found}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_one

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    return Handler


def refused(status: int, code: str, **extra: Any) -> tuple[int, dict[str, str], Any]:
    body = {"status": status, "code": code, "detail": "A fact.", "hint": "Do this.", **extra}
    return status, {"Content-Type": "application/problem+json"}, body
