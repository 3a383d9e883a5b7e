"""The description of the two routes that the live hub serves before Django is asked."""

from __future__ import annotations

from typing import Any

LIVE = "live"


def add_live(paths: dict[str, Any], prefix: str) -> None:
    """Adds `wait`, which is should-run held back, and the event stream."""
    asking = paths[f"{prefix}/goals/{{goal}}/should-run"]["get"]
    paths[f"{prefix}/goals/{{goal}}/wait"] = {"get": _wait(asking)}
    paths[f"{prefix}/events/stream"] = {"get": _stream(asking)}


def _wait(asking: dict[str, Any]) -> dict[str, Any]:
    own = [
        _parameter("after", {"type": "string"}, "Digest of the decision that is known already."),
        _parameter("timeout", {"type": "integer", "minimum": 0, "maximum": 120, "default": 60}),
    ]
    return asking | {
        "operationId": "wait",
        "summary": "Wait",
        "description": "should-run, answered as soon as its digest is not `after`.",
        "parameters": [*asking["parameters"], *own],
        "tags": [LIVE],
    }


def _stream(asking: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "stream",
        "summary": "Stream",
        "description": "Server-sent events: which goal changed, and its version.",
        "parameters": [_parameter("Last-Event-ID", {"type": "string"}, where="header")],
        "responses": {
            200: {"description": "OK", "content": {"text/event-stream": {}}},
            **{code: asking["responses"][code] for code in (401, 503)},
        },
        "tags": [LIVE],
        "security": asking["security"],
    }


def _parameter(
    name: str, schema: dict[str, Any], description: str = "", where: str = "query"
) -> dict[str, Any]:
    said = {"description": description} if description else {}
    return {"name": name, "in": where, "required": False, "schema": schema, **said}
