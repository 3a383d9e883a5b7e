"""What every part of the Python client stands on: settings, transport, paths, held fences."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from loopx_web.client.config import Config, normal_server
from loopx_web.client.results import Item, Page, Record
from loopx_web.client.wire import Query, Wire

Json = dict[str, Any]


class Core:
    """Settings not given come from LOOPX_*, the project's .loopx/ and the user's directory."""

    def __init__(
        self,
        base_url: str | None = None,
        token: str | None = None,
        *,
        goal: str | None = None,
        agent: str | None = None,
        execution_key: str | None = None,
        timeout: float = 30.0,
        attempts: int = 4,
    ) -> None:
        given = {"server": base_url, "goal": goal, "agent": agent, "execution_key": execution_key}
        config = Config({name: value for name, value in given.items() if value})
        server = normal_server(base_url) if base_url else config.server
        self.wire = Wire(server, token or config.token, timeout=timeout, attempts=attempts)
        self.goal_slug = config.goal
        self.agent_name = config.agent
        # Two processes of one agent are two executions: neither may write under the other's fence.
        self.execution_key = config.execution_key or f"py-{uuid.uuid4().hex[:12]}"
        self._epochs: dict[tuple[str, str], int] = {}

    def _slug(self, goal: str | None) -> str:
        slug = goal or self.goal_slug
        if not slug:
            raise ValueError("No goal: pass goal=…, set LOOPX_GOAL or run `loopx connect`.")
        return slug

    def _path(self, goal: str | None, *parts: str) -> str:
        """/goals/{goal}/… with every part quoted."""
        return "/goals/" + "/".join(quote(part, safe="") for part in (self._slug(goal), *parts))

    def _who(self, agent: str | None = None) -> Json:
        name = agent or self.agent_name
        return {"execution_key": self.execution_key} | ({"agent": name} if name else {})

    def _fence(self, goal: str | None, ref: str, epoch: int | None) -> Json:
        held = epoch if epoch is not None else self._epochs.get((self._slug(goal), ref))
        return {} if held is None else {"execution_key": self.execution_key, "epoch": held}

    def _hold(self, goal: str | None, ref: str, epoch: int) -> None:
        if ref and epoch:
            self._epochs[(self._slug(goal), ref)] = epoch


def page(kind: type[Item], data: Any) -> Page[Item]:
    """One page of a list answer."""
    assert issubclass(kind, Record)
    return Page(items=tuple(kind.read(item) for item in data["items"]), cursor=data.get("cursor"))


def given(**values: Any) -> Json:
    """The arguments that were given; None means the server's default."""
    return {name: plain(value) for name, value in values.items() if value is not None}


def plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


__all__ = ["Core", "Json", "Query", "given", "page", "plain"]
