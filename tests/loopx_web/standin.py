"""A small WSGI application and a feed that speak the hub's contract, without a database."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from loopx_web import wake
from loopx_web.bridge import Bridge
from loopx_web.front import Front
from tests.loopx_web.serving import Served, serving

OWNER = "Bearer owner"
AGENT = "Bearer agent"
STATUS = {200: "200 OK", 401: "401 Unauthorized", 404: "404 Not Found", 503: "503 Busy"}


@dataclass
class Goal:
    number: int
    version: int = 1
    next_at: datetime | None = None
    says: str = "wait"


class World:
    """Goals, who may see them, and a count of what the application was asked and has answered."""

    def __init__(self) -> None:
        self.goals = {"apollo": Goal(1), "gemini": Goal(2)}
        self.rights: dict[str, list[str] | None] = {OWNER: None, AGENT: ["apollo"]}
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.wake_at: datetime | None = None
        self.hold: threading.Event | None = None
        self.broken = False
        self.marks = True

    # What Django does

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path, caller = environ["PATH_INFO"], environ.get("HTTP_AUTHORIZATION", "")
        self.asked[path] += 1
        if self.hold is not None:
            self.hold.wait(10)
        status, body, headers = self.answer(path, caller, environ)
        self.answered[path] += 1
        start_response(STATUS[status], [("Content-Type", "application/json"), *headers])
        return [body]

    def answer(
        self, path: str, caller: str, environ: dict[str, Any]
    ) -> tuple[int, bytes, list[tuple[str, str]]]:
        if caller not in self.rights:
            return 401, b'{"code":"unauthenticated"}', []
        goals = self.rights[caller]
        if path == "/_live/who":
            return 200, json.dumps({"goals": goals}).encode(), []
        name = path.removeprefix("/api/v1/goals/").removesuffix("/should-run")
        if name not in self.goals or (goals is not None and name not in goals):
            return 404, b'{"code":"not_found"}', []
        return self.decide(self.goals[name], environ)

    def decide(
        self, goal: Goal, environ: dict[str, Any]
    ) -> tuple[int, bytes, list[tuple[str, str]]]:
        digest = hashlib.sha256(goal.says.encode()).hexdigest()[:8]
        decision = {
            "outcome": goal.says,
            "digest": digest,
            "version": goal.version,
            "wake_at": self.wake_at and self.wake_at.isoformat(),
            "asked": parse_qs(environ["QUERY_STRING"]),
        }
        if environ.get("HTTP_ACCEPT") != "text/plain":
            return 200, json.dumps(decision).encode(), []
        headers = [("X-LoopX-Digest", digest), ("X-LoopX-Version", str(goal.version))]
        return 200, goal.says.encode(), headers

    # What the database does

    def interval(self) -> float:
        return 0.02

    def mark(self) -> object:
        if self.broken:
            raise OSError("disk gone")
        return str(self.goals) if self.marks else None

    def heads(self) -> dict[str, Goal]:
        return {name: Goal(g.number, g.version) for name, g in self.goals.items()}

    def instants(self, now: datetime) -> dict[str, datetime]:
        return {n: g.next_at for n, g in self.goals.items() if g.next_at and g.next_at > now}

    # What a writer does

    def commit(self, name: str, says: str = "", *, here: bool = True) -> int:
        goal = self.goals[name]
        goal.says = says or goal.says
        goal.version += 1
        if here:
            # As `wake` does, without its hint: there is no database to look up boards in.
            for listener in tuple(wake._listeners):
                listener(name, goal.version)
        return goal.version


def digest(says: str) -> str:
    return hashlib.sha256(says.encode()).hexdigest()[:8]


@dataclass
class Running:
    world: World
    front: Front
    served: Served


@contextmanager
def running(world: World | None = None) -> Iterator[Running]:
    world = world or World()
    front = Front(Bridge(world), world)
    with serving(front, lifespan="on") as served:
        yield Running(world, front, served)
