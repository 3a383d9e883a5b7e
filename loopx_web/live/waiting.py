"""GET /api/v1/goals/{goal}/wait: should-run, held while its digest stays the same."""

from __future__ import annotations

import asyncio
import contextvars
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode

from loopx_web.asgi import Answer, Receive, Scope, Send, values, watch
from loopx_web.live.hub import Hub
from loopx_web.live.listener import Waiter
from loopx_web.refusals import Refused

LONGEST = 120
USUAL = 60
APART = 0.25  # seconds between two decisions of one waiter, and the life of a shared one
FRESH = 1.0  # how old a decision may be that is given out at the end of the timeout
HINT = "Pass `after` (the digest of your last decision) and `timeout` in seconds, up to 120."

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What the caller asks of should-run, and how long it wants to wait for another answer."""

    goal: str
    query: bytes
    after: str
    timeout: int


@dataclass(frozen=True, slots=True)
class Decided:
    answer: Answer
    at: float  # on the loop's clock
    digest: str = ""
    version: int = 0
    wake_at: datetime | None = None


def parse(goal: str, query: bytes) -> Question:
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=500
        )
    except ValueError:
        raise Refused(422, "invalid", "The query cannot be read.", HINT) from None
    own = {name: [v for n, v in pairs if n == name] for name in ("after", "timeout")}
    if any(len(given) > 1 for given in own.values()):
        raise Refused(422, "invalid", "`after` and `timeout` are given once at most.", HINT)
    rest = [(name, value) for name, value in pairs if name not in own]
    return Question(
        goal, urlencode(rest).encode(), "".join(own["after"]), seconds("".join(own["timeout"]))
    )


def seconds(text: str) -> int:
    if not text:
        return USUAL
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= LONGEST):
        raise Refused(422, "invalid", f"timeout={text[:20]!r} is not 0 to {LONGEST}.", HINT)
    return int(text)


class Decisions:
    """should-run through the bridge; callers who ask the same at the same version share one."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.asked: dict[Key, asyncio.Task[Decided]] = {}

    async def ask(self, scope: Scope, question: Question) -> Decided:
        # The credentials stand for the agent: the hub does not know who they belong to.
        caller = tuple(tuple(values(scope, name)) for name in CALLER)
        key = (question.goal, self.hub.version(question.goal), question.query, *caller)
        task = self.asked.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(
                self._decide(scope, question), context=contextvars.Context()
            )
            self.asked[key] = task
            task.add_done_callback(lambda _: self._forget_later(key))
        # One caller who leaves must not take the answer from the others.
        return await asyncio.shield(task)

    def _forget_later(self, key: Key) -> None:
        asyncio.get_running_loop().call_later(APART * 0.9, self.asked.pop, key, None)

    async def _decide(self, scope: Scope, question: Question) -> Decided:
        path = f"/api/v1/goals/{question.goal}/should-run"
        answer = await self.hub.bridge.ask(scope, path, question.query, self.hub.live_room)
        return read(answer, asyncio.get_running_loop().time())


CALLER = (b"authorization", b"cookie", b"accept", b"accept-language", b"host")


def read(answer: Answer, now: float) -> Decided:
    """Digest, version and instant of a decision: from its headers, else from its JSON."""
    if answer.status != 200:
        return Decided(answer, now)
    digest = answer.header(b"x-loopx-digest")
    version = answer.header(b"x-loopx-version")
    if digest is not None and version is not None:
        wake_at = answer.header(b"x-loopx-wake-at")
        return Decided(answer, now, digest, int(version), instant(wake_at))
    body = json.loads(answer.body)
    return Decided(answer, now, body["digest"], body["version"], instant(body.get("wake_at")))


def instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


async def serve(
    hub: Hub, decisions: Decisions, goal: str, scope: Scope, receive: Receive, send: Send
) -> None:
    question = parse(goal, scope["query_string"])
    hub.admit()
    # Registered before the first decision: a commit during it wakes us.
    waiter = hub.add_waiter(goal)
    left = watch(receive)
    left.add_done_callback(lambda _task: waiter.call())
    try:
        decided = await hold(hub, decisions, scope, question, waiter, left)
        if not left.done():
            await decided.answer.send(send)
    finally:
        left.cancel()
        hub.remove_waiter(goal, waiter)


async def hold(
    hub: Hub,
    decisions: Decisions,
    scope: Scope,
    question: Question,
    waiter: Waiter,
    left: asyncio.Task[None],
) -> Decided:
    clock = asyncio.get_running_loop().time
    ends = clock() + question.timeout
    decided = await decisions.ask(scope, question)
    while decided.answer.status == 200 and decided.digest == question.after:
        await news(hub, question.goal, decided, waiter, ends)
        if left.done() or hub.closing:
            break
        over = clock() >= ends
        if over and clock() - decided.at < FRESH:
            break
        decided = await decisions.ask(scope, question)
        if over:
            break
    return decided


async def news(hub: Hub, goal: str, decided: Decided, waiter: Waiter, ends: float) -> None:
    """Until something may have changed the decision: a commit, its instant, the timeout."""
    loop = asyncio.get_running_loop()
    until = ends
    if decided.wake_at is not None:
        until = min(until, loop.time() + (decided.wake_at - datetime.now(UTC)).total_seconds())
    until = max(until, min(decided.at + APART, ends))
    if hub.closing:
        return
    while not waiter.due and hub.version(goal) <= decided.version:
        waiter.wake.clear()
        if not await woken(waiter, until):
            return
    waiter.due = False
    # At most one decision per `APART`: what comes in between is one change.
    await asyncio.sleep(max(0.0, min(decided.at + APART, ends) - loop.time()))


async def woken(waiter: Waiter, until: float) -> bool:
    try:
        async with asyncio.timeout_at(until):
            await waiter.wake.wait()
    except TimeoutError:
        return False
    return True
