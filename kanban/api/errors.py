"""Every refusal of the API as an RFC 9457 problem, and the codes that only HTTP knows."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from kanban.api.answers import brief_decision, decision_headers
from kanban.kernel.brief import compact
from kanban.kernel.errors import Busy, Invalid, LoopxError, NotFound, invalid
from kanban.kernel.present import decision_json
from kanban.kernel.turn import NotNow

logger = logging.getLogger(__name__)

RETRY_SECONDS = 1


class Unauthenticated(LoopxError):
    status = 401
    title = "Who are you?"


class MethodNotAllowed(LoopxError):
    status = 405
    title = "Method not allowed"


class UnsupportedMediaType(LoopxError):
    status = 415
    title = "Unsupported media type"


class Internal(LoopxError):
    status = 500
    title = "Internal error"


def unauthenticated(detail: str) -> Unauthenticated:
    return Unauthenticated(
        "unauthenticated",
        detail,
        "Send `Authorization: Bearer lxa_…`; `loopx agent token NAME` makes a token.",
    )


def no_such_path(request: HttpRequest, rest: str = "") -> HttpResponse:
    error = NotFound(
        "not_found",
        f"There is no {request.path[:200]} in this API.",
        "See /api/v1/openapi.json for what there is.",
    )
    return problem(request, error)


def method_not_allowed(request: HttpRequest, allowed: str) -> HttpResponse:
    error = MethodNotAllowed(
        "method_not_allowed", f"{request.method} is not possible here, only {allowed}.", ""
    )
    response = problem(request, error)
    response["Allow"] = allowed
    return response


def unknown_parameters(request: HttpRequest, names: list[str]) -> HttpResponse:
    shown = [name[:80] for name in names[:10]]
    error = Invalid(
        "unknown_field",
        f"There is no query parameter {', '.join(shown)} here.",
        "Check the spelling against /api/v1/docs.",
        fields=shown,
    )
    return problem(request, error)


def unsupported_media_type(request: HttpRequest) -> HttpResponse:
    given = (request.headers.get("Content-Type") or "nothing")[:80]
    error = UnsupportedMediaType(
        "unsupported_media_type",
        f"The body is declared as {given}.",
        "Send JSON with `Content-Type: application/json`.",
    )
    return problem(request, error)


def problem(request: HttpRequest, error: LoopxError) -> HttpResponse:
    body = error.problem()
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, NotNow):
        decision = decision_json(error.decision)
        body["decision"] = brief_decision(decision)
        headers |= decision_headers(decision)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, Busy):
        headers["Retry-After"] = str(RETRY_SECONDS)
    response = HttpResponse(
        compact(body),
        status=error.status,
        content_type="application/problem+json",
        headers=headers,
    )
    # A refusal is an answer; Django would put each one into the server's log.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def broken(request: HttpRequest, error: Exception) -> HttpResponse:
    """An error nobody foresaw: the log has it, the caller gets its reference."""
    reference = uuid.uuid4().hex[:12]
    logger.error("%s %s: %s", request.method, request.path, reference, exc_info=error)
    return problem(
        request,
        Internal(
            "internal",
            f"Something failed inside the server (reference {reference}).",
            "Look for the reference in the server's log; repeat the request with the same key.",
            reference=reference,
        ),
    )


def install(api: NinjaAPI) -> None:
    handlers: dict[type[Exception], Any] = {
        LoopxError: problem,
        ValidationError: _invalid_request,
        AuthenticationError: _nobody,
        HttpError: _http_error,
        Http404: _missing,
        OperationalError: _database,
        Exception: broken,
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def _nobody(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problem(request, unauthenticated("The request says nothing about who sends it."))


def _missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return no_such_path(request)


def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    """What the parser refused comes wrapped."""
    cause = error.__cause__
    if isinstance(cause, LoopxError):
        return problem(request, cause)
    return problem(request, invalid(error.message))


def _database(request: HttpRequest, error: OperationalError) -> HttpResponse:
    said = str(error)
    if "locked" in said:
        detail = "The database is taken; nothing was changed."
        return problem(request, Busy("busy", detail, "Send the same again in a second."))
    if "disk is full" in said:
        logger.error("%s %s: %s", request.method, request.path, said)
        detail = "The server's disk is full; nothing was changed."
        hint = "A person makes room on it; then send the same again."
        return problem(request, Busy("busy", detail, hint))
    return broken(request, error)


def _invalid_request(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return problem(request, of_validation(error.errors))


def of_validation(errors: list[dict[str, Any]]) -> Invalid:
    """The problem that a list of pydantic errors amounts to."""
    unknown = [_name(item) for item in errors if item["type"] == "extra_forbidden"]
    if unknown:
        named = ", ".join(dict.fromkeys(unknown))
        return Invalid(
            "unknown_field",
            f"There is no field {named} here; nothing was changed.",
            "Check the spelling against /api/v1/docs.",
            fields=list(dict.fromkeys(unknown)),
        )
    said = [f"{_name(item)}: {_words(item)}" for item in errors]
    return invalid(
        f"{'; '.join(dict.fromkeys(said))[:1000]}.",
        "Correct the named fields; nothing was changed.",
        fields=list(dict.fromkeys(_name(item) for item in errors)),
    )


def _name(item: dict[str, Any]) -> str:
    """Where in the request: `todos.0.title`, without the names of our own parameters and types."""
    source, *steps = [str(step) for step in item["loc"]]
    inner = steps[1:] if source == "body" else steps
    return ".".join(step for step in inner if step not in TAGS)[:200] or source


# Branches of our unions; pydantic names them as if they were fields.
TAGS = frozenset(
    """
    one many new existing recorded time manual todo_done gate_answered successors handoff
    AtTime ByHand AfterObject
    """.split()
)


def _words(item: dict[str, Any]) -> str:
    message = str(item["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
