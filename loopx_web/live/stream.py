"""GET /api/v1/events/stream: server-sent events, resumed by an opaque id."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from loopx_web.asgi import OUR_HEADERS, Answer, Headers, Receive, Scope, Send, values, watch
from loopx_web.live.hub import Hub
from loopx_web.live.listener import Owed, Stream
from loopx_web.live.position import decode, encode

BEAT = 10.0  # a page that hears nothing for 15 s calls itself offline
ASK_AGAIN = 60.0  # how long a revoked session or token may still listen
ASK_SOON = 2.0  # how soon news of a goal outside the known rights makes us ask again

HEADERS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    *OUR_HEADERS,
]


async def serve(hub: Hub, scope: Scope, receive: Receive, send: Send) -> None:
    hub.admit()
    stream = Stream()
    # Registered before the first look: whatever is committed from here on is owed to it.
    hub.add_stream(stream)
    left = watch(receive)
    left.add_done_callback(lambda _task: stream.wake.set())
    try:
        who = await hub.who(scope)
        if who.status != 200:
            await who.send(send)
            return
        stream.allowed = allowed(who)
        await hub.look()
        await Session(hub, scope, send, stream, left).run()
    finally:
        left.cancel()
        hub.remove_stream(stream)


def allowed(who: Answer) -> frozenset[str] | None:
    goals = json.loads(who.body)["goals"]
    return None if goals is None else frozenset(goals)


class Session:
    """One stream from its first byte to its last."""

    def __init__(
        self, hub: Hub, scope: Scope, send: Send, stream: Stream, left: asyncio.Task[None]
    ) -> None:
        self.hub = hub
        self.scope = scope
        self.transport = send
        self.stream = stream
        self.left = left
        self.clock = asyncio.get_running_loop().time
        self.beat_at = self.clock() + BEAT
        self.ask_at = self.clock() + ASK_AGAIN * random.uniform(0.8, 1.0)
        self.asked_at = self.clock()

    async def run(self) -> None:
        await self.transport({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.greet()
        while not self.hub.closing and not self.left.done():
            self.stream.wake.clear()
            now = self.clock()
            for goal, owed in self.stream.take(now):
                await self.tell(goal, owed)
            if now >= self.beat_at:
                await self.write("beat", {})
            if self.must_ask(now) and not await self.ask():
                break
            await self.rest()
        await self.transport({"type": "http.response.body", "body": b""})

    async def greet(self) -> None:
        """All heads for who comes anew; for who comes back also what it missed, as usual events."""
        seen = {goal: known for goal, known in self.hub.goals.items() if self.stream.sees(goal)}
        before = self.position()
        self.stream.sent = {known.number: known.version for known in seen.values()}
        # The heads say all but this: an instant that passed since the registration.
        self.stream.owed = {goal: o for goal, o in self.stream.owed.items() if o.at is not None}
        heads = {goal: known.version for goal, known in seen.items()}
        if before is not None:
            self.stream.sent |= {n: v for n, v in before.items() if n in self.stream.sent}
        await self.send(b"retry: 1000\n" + self.event("hello", {"heads": heads}))
        if before is not None:
            for goal, known in seen.items():
                if before.get(known.number) != known.version:
                    await self.tell(goal, Owed(known.number, known.version))

    def position(self) -> dict[int, int] | None:
        last = values(self.scope, b"last-event-id")
        return decode(last[0].decode("latin-1")) if last else None

    async def tell(self, goal: str, owed: Owed) -> None:
        if not self.stream.sees(goal):
            return
        data: dict[str, Any] = {"goal": goal, "version": owed.version}
        if owed.at is not None:
            data["at"] = owed.at.isoformat()
        self.stream.sent[owed.number] = owed.version
        await self.write("", data)

    async def ask(self) -> bool:
        """Asks for the caller's rights again; False ends the stream."""
        self.asked_at = self.clock()
        self.ask_at = self.asked_at + ASK_AGAIN
        who = await self.hub.who(self.scope)
        if who.status in (401, 403, 404):
            return False
        if who.status == 200:
            self.stream.allowed = allowed(who)
            for goal in self.stream.strange:
                known = self.hub.goals.get(goal)
                if known is not None and self.stream.sees(goal):
                    self.stream.note(goal, known.number, known.version)
            self.stream.strange.clear()
        return True

    def must_ask(self, now: float) -> bool:
        return now >= self.ask_at or (bool(self.stream.strange) and now >= self.asked_at + ASK_SOON)

    async def rest(self) -> None:
        until = min(self.stream.next_at(), self.beat_at, self.ask_at)
        if self.stream.strange:
            until = min(until, self.asked_at + ASK_SOON)
        try:
            async with asyncio.timeout_at(until):
                await self.stream.wake.wait()
        except TimeoutError:
            pass

    async def write(self, name: str, data: dict[str, Any]) -> None:
        await self.send(self.event(name, data))

    async def send(self, body: bytes) -> None:
        self.beat_at = self.clock() + BEAT
        await self.transport({"type": "http.response.body", "body": body, "more_body": True})

    def event(self, name: str, data: dict[str, Any]) -> bytes:
        lines = [f"id: {encode(self.stream.sent)}"]
        if name:
            lines.append(f"event: {name}")
        lines.append(f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}")
        return ("\n".join(lines) + "\n\n").encode()
