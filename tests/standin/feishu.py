"""A stand-in for Feishu's Bitable API over real HTTP on loopback, for tests and demonstrations.

In a test: `with StandIn() as feishu: …`. As a program: `python -m tests.standin.feishu`;
where `/_standin/…` shows tables and journal and takes orders for faults.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import select
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.standin.control import control
from tests.standin.errors import ApiError, CutConnection, HtmlAnswer
from tests.standin.faults import Fault
from tests.standin.journal import Journal
from tests.standin.routing import find
from tests.standin.serving import Incoming, Service
from tests.standin.world import Json, World

APP_ID = "cli_standin"
APP_SECRET = "standin-secret-of-no-worth"
HTML_502 = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
MAX_BODY = 8 * 1024 * 1024


class StandIn:
    """The server as a context manager; `world`, `journal` and `faults` are open to the test."""

    def __init__(
        self, port: int = 0, *, rates: bool = False, apps: dict[str, str] | None = None
    ) -> None:
        self.app_id, self.app_secret = APP_ID, APP_SECRET
        self.service = Service(apps or {APP_ID: APP_SECRET}, rates=rates)
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.service = self.service
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def world(self) -> World:
        return self.service.world

    @property
    def journal(self) -> Journal:
        return self.service.journal

    def fault(self, kind: str, match: str = "", **options: object) -> Fault:
        return self.service.faults.add(kind, match, **options)

    def environment(self) -> dict[str, str]:
        """The settings that lead the product here."""
        return {
            "LOOPX_FEISHU_APP_ID": self.app_id,
            "LOOPX_FEISHU_APP_SECRET": self.app_secret,
            "LOOPX_FEISHU_BASE_URL": self.url,
        }

    def start(self) -> StandIn:
        self._thread.start()
        return self

    def stop(self) -> None:
        self.service.faults.clear()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> StandIn:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    service: Service


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def do_PATCH(self) -> None:
        self._serve("PATCH")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        length = min(int(self.headers.get("Content-Length") or 0), MAX_BODY)
        text = self.rfile.read(length).decode()
        if parts.path.startswith("/_standin/"):
            self._send(200, control(self.server.service, method, parts.path, query, text), {})
            return
        incoming = Incoming(
            method,
            parts.path,
            query,
            self.headers.get("Authorization", ""),
            text,
            lambda: hung_up(self.connection),
        )
        self._answer(incoming)

    def _answer(self, incoming: Incoming) -> None:
        service = self.server.service
        found = find(incoming.method, incoming.path)
        template = found[0].template if found else incoming.path
        call = service.journal.begin(
            incoming.method, incoming.path, template, incoming.query, incoming.text
        )
        log_id = f"log{call.number:010d}"
        if found:
            service.patience(incoming, found[0])
        try:
            body = service.answer(incoming, found)
        except ApiError as error:
            service.refused(incoming, error)
            service.journal.end(call, error.status, error.code)
            headers = {"X-Tt-Logid": log_id, **error.headers}
            self._send(error.status, error.body(log_id), headers)
        except HtmlAnswer:
            service.journal.end(call, 502, None)
            self._send_bytes(502, HTML_502, "text/html", {})
        except CutConnection:
            service.journal.end(call, 0, None)
            self._hang_up()
        else:
            service.journal.end(call, 200, 0)
            self._send(200, body, {"X-Tt-Logid": log_id})

    def _send(self, status: int, body: Json, headers: dict[str, str]) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self._send_bytes(status, data, "application/json; charset=utf-8", headers)

    def _send_bytes(self, status: int, data: bytes, kind: str, headers: dict[str, str]) -> None:
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def _hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the journal tells more."""


def hung_up(connection: socket.socket) -> bool:
    """Has the other side closed, without taking anything from the stream?"""
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.standin.feishu", description=__doc__)
    parser.add_argument("--port", type=int, default=9321)
    parser.add_argument("--rates", action="store_true", help="enforce the documented rates")
    options = parser.parse_args()
    standin = StandIn(options.port, rates=options.rates).start()
    for name, value in standin.environment().items():
        print(f"export {name}={value}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        standin.stop()


if __name__ == "__main__":
    main()
