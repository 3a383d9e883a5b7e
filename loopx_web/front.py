"""The web process: one uvicorn in front of two rooms, Django and the live hub."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import uuid
from types import FrameType
from typing import Final

import uvicorn

from loopx_web import env, refusals
from loopx_web.asgi import Message, Receive, Scope, Send, answer, values
from loopx_web.bridge import Bridge
from loopx_web.live import Hub, stream, waiting
from loopx_web.live.feed import Feed
from loopx_web.refusals import Refused
from loopx_web.security import check_host

logger = logging.getLogger(__name__)

STREAM: Final = "/api/v1/events/stream"
WAIT: Final = re.compile(r"/api/v1/goals/([^/]+)/wait")
GRACE_SECONDS: Final = 2
KEEP_ALIVE_SECONDS: Final = 20
FILES: Final = 16384


class Front:
    """Sends each request to its room; what is wrong with its envelope ends here."""

    def __init__(self, bridge: Bridge, feed: Feed) -> None:
        self.bridge = bridge
        self.hub = Hub(bridge, feed)
        self.decisions = waiting.Decisions(self.hub)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.lifespan(receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.route(scope, receive, watched)
        except Refused as refused:
            await answer(refused, close=True).send(send)
        except Exception:
            reference = uuid.uuid4().hex[:12]
            logger.exception("%s %s: %s", scope["method"], scope["path"], reference)
            if started:
                # Half an answer cannot be taken back; uvicorn ends the connection.
                raise
            await answer(refusals.broken(reference), close=True).send(send)

    async def route(self, scope: Scope, receive: Receive, send: Send) -> None:
        check_envelope(scope)
        if scope["path"] == STREAM:
            check_live(scope)
            await stream.serve(self.hub, scope, receive, send)
        elif match := WAIT.fullmatch(scope["path"]):
            check_live(scope)
            await waiting.serve(self.hub, self.decisions, match[1], scope, receive, send)
        else:
            await self.bridge(scope, receive, send)

    async def lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.hub.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.hub.stop()
                self.bridge.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def check_envelope(scope: Scope) -> None:
    """A request with two hosts means one to a proxy and the other to us."""
    hosts = values(scope, b"host")
    if len(hosts) != 1 or not hosts[0]:
        raise refusals.bad_request("The request must have exactly one Host header.")
    if not (scope.get("raw_path") or b"/").startswith(b"/"):
        raise refusals.bad_request("The request target is not a path.")


def check_live(scope: Scope) -> None:
    """The hub's own routes never reach Django's middleware."""
    check_host(values(scope, b"host")[0].decode("latin-1"))
    if scope["method"] != "GET":
        raise refusals.method_not_allowed("GET")
    sites = values(scope, b"sec-fetch-site")
    if sites and sites[0] not in (b"same-origin", b"none"):
        raise refusals.foreign_origin(sites[0].decode("latin-1"))


class Server(uvicorn.Server):
    """Ends streams and waiters first: they would hold up a graceful stop to its last second."""

    def __init__(self, config: uvicorn.Config, front: Front) -> None:
        super().__init__(config)
        self.front = front

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.front.hub.close()
        super().handle_exit(sig, frame)


def build() -> Front:
    """Loads the whole application, so that a bound port means one that answers."""
    from loopx_web.wsgi import application  # sets Django up, so it comes first

    # isort: split
    from django.urls import get_resolver

    from kanban.queries import feed

    _ = get_resolver().url_patterns
    return Front(Bridge(application), feed)


def config(front: Front) -> uvicorn.Config:
    from django.conf import settings

    proxies: list[str] = settings.TRUSTED_PROXIES
    return uvicorn.Config(
        front,
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        # Switched on, any local client could forge its address.
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        server_header=False,
        ssl_certfile=settings.TLS_CERT or None,
        ssl_keyfile=settings.TLS_KEY or None,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, or OSError; the port is taken only by one server at a time."""
    family, kind, proto, _name, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, proto)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


def allow_many_connections() -> None:
    """The usual soft limit of 1024 open files would end below what the hub admits."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(host: str, port: int) -> int:
    """Serves until SIGTERM or Ctrl-C; the exit code is 1 when the address cannot be had."""
    front = build()
    try:
        listener = listen(host, port)
    except OSError as error:
        sys.stderr.write(
            f"loopx: cannot listen on {host}:{port}: {error.strerror or error}. Nothing was "
            "started. Stop the program that has the port, or choose another with LOOPX_PORT.\n"
        )
        return 1
    allow_many_connections()
    server = Server(config(front), front)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0 if server.started else 1


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loopx_web.settings")
    try:
        from django.conf import settings

        host, port = settings.HOST, settings.PORT
    except env.BadSetting as error:
        sys.stderr.write(f"loopx: {error}\n")
        return 1
    return serve(host, port)


if __name__ == "__main__":
    sys.exit(main())
