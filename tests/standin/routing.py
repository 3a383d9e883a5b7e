"""Which function answers which address."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.standin.errors import ApiError
from tests.standin.journal import Journal
from tests.standin.world import Json, World


@dataclass
class Request:
    """One call after authentication: what a handler needs to know."""

    world: World
    journal: Journal
    app_id: str
    params: dict[str, str]
    query: dict[str, str]
    body: Json
    gone: Callable[[], bool] = lambda: False  # has the caller hung up?

    def need(self, name: str, kind: type | tuple[type, ...]) -> Any:
        value = self.body.get(name)
        if not isinstance(value, kind):
            raise ApiError(99992402, f"{name} is missing or of a wrong type", status=400)
        return value

    def page_size(self, *, top: int, default: int = 20) -> int:
        raw = self.query.get("page_size", str(default))
        if not raw.isdigit() or int(raw) < 1:
            raise ApiError(1254011, raw, status=400)
        if int(raw) > top:
            raise ApiError(99992402, f"page_size: max value is {top}", status=400)
        return int(raw)

    def page(self, items: list[Any], *, top: int) -> Json:
        size = self.page_size(top=top)
        start = int(self.query.get("page_token") or 0)
        more = start + size < len(items)
        return {
            "items": items[start : start + size],
            "has_more": more,
            # Present although nothing follows, as in the documented example.
            "page_token": str(start + size),
            "total": len(items),
        }


Handler = Callable[[Request], Json]


@dataclass(frozen=True)
class Route:
    method: str
    template: str
    pattern: re.Pattern[str]
    handler: Handler
    writes_table: bool
    creates_records: bool
    rate: tuple[int, float]

    @property
    def label(self) -> str:
        return f"{self.method} {self.template}"


ROUTES: list[Route] = []


def route(
    method: str,
    template: str,
    *,
    writes_table: bool = False,
    creates_records: bool = False,
    rate: tuple[int, float] = (20, 1.0),
) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        pattern = re.compile("^" + re.sub(r":(\w+)", r"(?P<\1>[^/]+)", template) + "$")
        found = Route(method, template, pattern, handler, writes_table, creates_records, rate)
        ROUTES.append(found)
        return handler

    return register


def find(method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    for item in ROUTES:
        found = item.pattern.match(path)
        if found and item.method == method:
            return item, found.groupdict()
    return None
