"""The hub: one place that knows how far every goal is, and tells those who are connected."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db import close_old_connections

from loopx_web import refusals, wake
from loopx_web.asgi import Answer, Scope
from loopx_web.bridge import Bridge
from loopx_web.live.feed import Feed
from loopx_web.live.listener import Stream, Waiter

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

CONNECTED = 4000  # streams and waiters together
INSTANTS_APART = 2.0  # seconds; the next instants are many queries, and rarely near
PATIENCE = 1.0  # seconds before the database is asked again after it failed


@dataclass(slots=True)
class Known:
    """How far a goal is, as far as this process has heard."""

    number: int
    version: int


class Hub:
    """Holds no rule and no authentication: whoever may see what, Django says through the bridge."""

    def __init__(self, bridge: Bridge, feed: Feed) -> None:
        self.bridge = bridge
        self.feed = feed
        self.live_room = ThreadPoolExecutor(2, "live")
        self.feed_room = ThreadPoolExecutor(1, "feed")
        self.goals: dict[str, Known] = {}
        self.streams: set[Stream] = set()
        self.waiters: dict[str, set[Waiter]] = {}
        self.instants: dict[str, datetime] = {}
        self.closing = False
        self._moved = True
        self._instants_at = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._wanted = asyncio.Event()

    # Life

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        wake.listen(self.notify)
        self.spawn(self._follow())

    def close(self) -> None:
        """Ends every stream and answers every waiter; safe from a signal handler."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._close)

    async def stop(self) -> None:
        self._close()
        wake.forget(self.notify)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for room in (self.live_room, self.feed_room):
            room.shutdown(wait=False, cancel_futures=True)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        # In a context of its own: one that a request handed down dies with that request.
        task = asyncio.get_running_loop().create_task(work, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _close(self) -> None:
        self.closing = True
        for stream in self.streams:
            stream.wake.set()
        for goal in self.waiters:
            self._call(goal)

    # Who is connected

    def connected(self) -> int:
        return len(self.streams) + sum(map(len, self.waiters.values()))

    def admit(self) -> None:
        if self.closing:
            raise refusals.busy("The server is stopping.")
        if self.connected() >= CONNECTED:
            raise refusals.busy("Too many live connections are open.")

    def add_stream(self, stream: Stream) -> None:
        self.streams.add(stream)
        self._wanted.set()

    def remove_stream(self, stream: Stream) -> None:
        self.streams.discard(stream)
        self._rest()

    def add_waiter(self, goal: str) -> Waiter:
        waiter = Waiter()
        self.waiters.setdefault(goal, set()).add(waiter)
        self._wanted.set()
        return waiter

    def remove_waiter(self, goal: str, waiter: Waiter) -> None:
        group = self.waiters.get(goal, set())
        group.discard(waiter)
        if not group:
            self.waiters.pop(goal, None)
        self._rest()

    def _rest(self) -> None:
        if not self.streams and not self.waiters:
            self._wanted.clear()

    def version(self, goal: str) -> int:
        known = self.goals.get(goal)
        return known.version if known else 0

    # What changed

    def notify(self, goal: str, version: int) -> None:
        """A commit of this process; called in the thread that committed."""
        if self._loop is not None and not self.closing:
            self._loop.call_soon_threadsafe(self._changed, goal, version)

    def _changed(self, goal: str, version: int) -> None:
        known = self.goals.get(goal)
        if known is None:
            # A goal that is new here: only the database knows its number.
            if self._wanted.is_set():
                self.spawn(self._look_for(goal))
            return
        if version <= known.version:
            return
        known.version = version
        self._moved = True
        for waiter in self.waiters.get(goal, ()):
            waiter.wake.set()
        for stream in self.streams:
            stream.note(goal, known.number, version)

    def _call(self, goal: str) -> None:
        for waiter in self.waiters.get(goal, ()):
            waiter.call()

    # Looking

    async def look(self) -> None:
        """Reads how far every goal is; what another process wrote counts like our own."""
        heads = await self.in_feed(self.feed.heads)
        for goal in self.goals.keys() - heads.keys():
            del self.goals[goal]
        for goal, head in heads.items():
            if goal not in self.goals:
                # Streams that were here before it hear of it from its first version on.
                self.goals[goal] = Known(head.number, 0)
            self._changed(goal, head.version)

    async def _look_for(self, goal: str) -> None:
        try:
            await self.look()
        except Exception as error:
            logger.error("the live feed cannot read how far %s is: %s", goal, error)

    async def in_feed(self, function: Callable[..., Result], *args: Any) -> Result:
        def fresh() -> Result:
            close_old_connections()
            return function(*args)

        return await asyncio.get_running_loop().run_in_executor(self.feed_room, fresh)

    async def _follow(self) -> None:
        """While anybody is connected: looks for foreign writes and for instants that pass."""
        seen: object = None
        healthy = True
        while not self.closing:
            await self._wanted.wait()
            try:
                mark = await self.in_feed(self.feed.mark)
                if mark is None or mark != seen:
                    await self.look()
                    seen = mark
                await self._keep_time()
                pause, healthy = self.feed.interval(), True
            except Exception as error:
                if healthy:
                    logger.error("the live feed cannot read the database: %s", error)
                pause, healthy = PATIENCE, False
            await asyncio.sleep(pause)

    async def _keep_time(self) -> None:
        """Time writes nothing by itself, yet cards move when a lease ends or an undo is over."""
        now, clock = datetime.now(UTC), asyncio.get_running_loop().time()
        passed = {goal: at for goal, at in self.instants.items() if at <= now}
        for goal, at in passed.items():
            if known := self.goals.get(goal):
                for stream in self.streams:
                    stream.note(goal, known.number, known.version, at)
            self._call(goal)
        if passed or (self._moved and clock >= self._instants_at + INSTANTS_APART):
            self._moved, self._instants_at = False, clock
            self.instants = dict(await self.in_feed(self.feed.instants, now))

    async def who(self, scope: Scope) -> Answer:
        return await self.bridge.ask(scope, "/_live/who", b"", self.live_room)
