"""One call through the stand-in: authenticate, misbehave on order, keep tables to one writer."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass

# Imported for the routes they register.
from tests.standin import drive, records, schema  # noqa: F401
from tests.standin.errors import ApiError
from tests.standin.faults import Fault, Faults
from tests.standin.journal import Journal
from tests.standin.routing import Request, Route, find
from tests.standin.world import Json, Table, World

TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"
CLIENT_TOKEN_SECONDS = 3600.0


@dataclass
class Remembered:
    """What a client_token stood for; `answer` is None while the request is in flight."""

    body: str
    at: float
    answer: Json | None = None


@dataclass
class Incoming:
    method: str
    path: str
    query: dict[str, str]
    authorization: str
    text: str
    gone: Callable[[], bool]

    def json(self) -> Json:
        if not self.text:
            return {}
        try:
            body = json.loads(self.text)
        except ValueError:
            raise ApiError(1254000, status=400) from None
        if not isinstance(body, dict):
            raise ApiError(1254001, status=400)
        return body


class Service:
    def __init__(self, apps: dict[str, str], *, rates: bool = False) -> None:
        self.world = World(apps)
        self.journal = Journal()
        self.faults = Faults(self.world.tokens.clear)
        self._rates = rates
        self._recent: dict[tuple[str, str], deque[float]] = defaultdict(deque)
        self._remembered: dict[tuple[str, str], Remembered] = {}

    def answer(self, incoming: Incoming, found: tuple[Route, dict[str, str]] | None) -> Json:
        if incoming.path == TOKEN_PATH:
            faults = self.faults.take(f"{incoming.method} {TOKEN_PATH}")
            self.faults.before(faults)
            with self.world.lock:
                return {"code": 0, "msg": "ok"} | drive.tenant_token(self.world, incoming.json())
        if found is None:
            raise ApiError(99992402, f"no such address: {incoming.path}", status=404)
        route, params = found
        faults = self.faults.take(route.label)
        self.faults.before(faults)
        with self.world.lock:
            app_id = drive.authenticate(self.world, incoming.authorization)
            self._meter(app_id, route)
        request = Request(
            self.world,
            self.journal,
            app_id,
            params,
            incoming.query,
            incoming.json(),
            incoming.gone,
        )
        data = self._idempotent(route, request, incoming, faults)
        self.faults.after(faults)
        return {"code": 0, "msg": "success", "data": data}

    def refused(self, incoming: Incoming, error: ApiError) -> None:
        """Remembers how long the caller was told to stay away."""
        reset = error.headers.get("x-ogw-ratelimit-reset")
        found = find(incoming.method, incoming.path)
        if reset and found:
            self.journal.throttled(incoming.authorization, found[0].label, float(reset))

    def patience(self, incoming: Incoming, route: Route) -> None:
        self.journal.check_patience(incoming.authorization, route.label)

    def _meter(self, app_id: str, route: Route) -> None:
        if not self._rates:
            return
        count, seconds = route.rate
        recent, now = self._recent[(app_id, route.label)], time.monotonic()
        while recent and recent[0] <= now - seconds:
            recent.popleft()
        if len(recent) >= count:
            reset = max(1, round(recent[0] + seconds - now))
            headers = {"x-ogw-ratelimit-limit": str(count), "x-ogw-ratelimit-reset": str(reset)}
            raise ApiError(99991400, status=429, headers=headers)
        recent.append(now)

    def _idempotent(
        self, route: Route, request: Request, incoming: Incoming, faults: list[Fault]
    ) -> Json:
        token = request.query.get("client_token")
        if token is None:
            if route.creates_records:
                self.journal.blame("create_without_client_token", incoming.path)
            return self._serialised(route, request, faults)
        if not _is_uuid4(token):
            raise ApiError(1254037, token, status=400)
        key = (incoming.path, token)
        digest = hashlib.sha256(incoming.text.encode()).hexdigest()
        with self.world.lock:
            known = self._remembered.get(key)
            if known and time.monotonic() - known.at < CLIENT_TOKEN_SECONDS:
                return _repeat(known, digest)
            self._remembered[key] = Remembered(digest, time.monotonic())
        try:
            answer = self._serialised(route, request, faults)
        except BaseException:
            # A request that failed frees its key (an assumption, see docs/feishu.md).
            self._remembered.pop(key, None)
            raise
        self._remembered[key].answer = answer
        return answer

    def _serialised(self, route: Route, request: Request, faults: list[Fault]) -> Json:
        if not route.writes_table:
            self.faults.hold(faults, "hold_before")
            with self.world.lock:
                return route.handler(request)
        with self.world.lock:
            table = self.world.table(request.params, request.app_id)
        if not table.busy.acquire(blocking=False):
            self._second_writer(table, route)
            raise ApiError(1254291)
        table.holder = request
        try:
            self.faults.hold(faults, "hold_before")
            with self.world.lock:
                return route.handler(request)
        finally:
            table.holder = None
            table.busy.release()

    def _second_writer(self, table: Table, route: Route) -> None:
        """A caller that died while we hold its request is not the second one's fault."""
        holder = table.holder
        if holder is not None and not holder.gone():
            self.journal.blame("concurrent_write", f"{route.label} on {table.name}")


def _repeat(known: Remembered, digest: str) -> Json:
    if known.body != digest:
        raise ApiError(1255006, status=400)
    if known.answer is None:
        raise ApiError(1254608, status=403)
    return known.answer


def _is_uuid4(token: str) -> bool:
    try:
        return uuid.UUID(token).version == 4 and str(uuid.UUID(token)) == token.lower()
    except ValueError:
        return False
