"""Answers: compact JSON or terminal text, entity tags, and the headers that save parsing."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from kanban.kernel.brief import compact, fit
from kanban.kernel.codec import digest
from kanban.kernel.errors import invalid
from kanban.transitions.receipt import Receipt

JSON = dict[str, Any]
Headers = Mapping[str, str]

JSON_TYPE = "application/json"
TEXT_TYPE = "text/plain"
DECISION_LIMIT = 2048
TAGS_SHOWN = 100
PAGE = 50
PAGE_LIMIT = 200


def answer(body: Any, status: int = 200, headers: Headers | None = None) -> HttpResponse:
    """JSON that nobody may keep: it depends on the clock, or is the result of a write."""
    return HttpResponse(
        compact(body),
        status=status,
        content_type=JSON_TYPE,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def kept(request: HttpRequest, body: Any, version: int = 0) -> HttpResponse:
    """JSON with an entity tag that begins with the object's version; 304 when it is known.

    The rest of the tag stands for the content, since lanes and staleness move with time.
    """
    content = compact(body)
    etag = f'"{version}-{digest(content.decode())[:16]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    known = [tag.strip().removeprefix("W/") for tag in _listed(request, "If-None-Match")]
    if etag in known or "*" in known:
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(content, content_type=JSON_TYPE, headers=headers)


def readable(
    request: HttpRequest,
    body: JSON,
    words: Callable[[JSON], str],
    *,
    status: int = 200,
    headers: Headers | None = None,
) -> HttpResponse:
    """JSON, or `words(body)` for a terminal where the caller prefers text."""
    shown = {"Vary": "Accept", **(headers or {})}
    if request.get_preferred_type([JSON_TYPE, TEXT_TYPE]) != TEXT_TYPE:
        return answer(body, status, shown)
    return HttpResponse(
        words(body).rstrip("\n") + "\n",
        status=status,
        content_type=f"{TEXT_TYPE}; charset=utf-8",
        headers={"Cache-Control": "no-store", **shown},
    )


def brief_decision(body: JSON) -> JSON:
    """A decision within its size; `trace` was asked for, so it may take more."""
    return body if "trace" in body else fit(body, DECISION_LIMIT)


def decision_headers(decision: JSON) -> dict[str, str]:
    """What a runner needs of a decision, readable without a JSON parser."""
    outcome = "stop" if decision["stop"] else decision["outcome"]
    headers = {
        "X-LoopX-Outcome": outcome,
        "X-LoopX-Digest": decision["digest"],
        "X-LoopX-Next": str(decision["next_check_seconds"]),
        "X-LoopX-Version": str(decision["version"]),
    }
    if decision["wake_at"]:
        headers["X-LoopX-Wake-At"] = decision["wake_at"]
    if outcome == "ask":
        tags = [question["tag"] for question in decision["questions"]]
        headers["X-LoopX-Tags"] = ",".join(tags[:TAGS_SHOWN])
    return headers


def claim_headers(todo: str | None, epoch: int | None, turn: str = "") -> dict[str, str]:
    named = {
        "X-LoopX-Turn": turn,
        "X-LoopX-Todo": todo or "",
        "X-LoopX-Epoch": str(epoch) if epoch else "",
    }
    return {name: value for name, value in named.items() if value}


def receipt_headers(receipt: Receipt) -> dict[str, str]:
    return {"X-LoopX-Replayed": "true"} if receipt.replayed else {}


def written(receipt: Receipt, status: int = 200) -> HttpResponse:
    """The object as the write left it."""
    return answer(receipt.body, status, receipt_headers(receipt))


def idempotency_key(request: HttpRequest) -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not (1 <= len(key) <= 200 and key.isascii() and key.isprintable()):
        raise invalid(
            "Idempotency-Key is 1 to 200 printable ASCII characters.",
            "Use 32 hex digits, new for each new request.",
            fields=["Idempotency-Key"],
        )
    return key


def expected_version(request: HttpRequest) -> int | None:
    """If-Match: the version alone, or a whole entity tag that a read gave."""
    given = request.headers.get("If-Match")
    if given is None or given.strip() == "*":
        return None
    version = given.strip().removeprefix("W/").strip('"').partition("-")[0]
    if not (version.isascii() and version.isdigit() and len(version) < 16):
        raise invalid(
            f"If-Match {given[:80]!r} holds no version.",
            'Send the version of the object you saw, as in `If-Match: "12"`.',
            fields=["If-Match"],
        )
    return int(version)


def page(items: Sequence[JSON], key: str, limit: int, cursor: str | None) -> JSON:
    """The items after the one whose `key` the cursor names; they stand in a stable order."""
    start = 0
    if cursor:
        last = read_cursor(cursor)
        start = next((n for n, item in enumerate(items, 1) if item[key] == last), len(items))
    shown = list(items[start : start + limit])
    more = start + limit < len(items)
    return {"items": shown, "cursor": write_cursor(shown[-1][key]) if more else None}


def write_cursor(position: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Any:
    try:
        return json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError):
        raise invalid(
            "The cursor is none that this list gave.", "Start without one.", fields=["cursor"]
        ) from None


def _listed(request: HttpRequest, header: str) -> list[str]:
    value = request.headers.get(header, "")
    return value.split(",") if value else []
