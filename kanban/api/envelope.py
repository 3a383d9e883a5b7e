"""What holds for every address of the API, whichever operation answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from kanban.api.errors import (
    broken,
    method_not_allowed,
    no_such_path,
    problem,
    unsupported_media_type,
)
from kanban.api.strict import TooLarge
from kanban.kernel.errors import invalid

View = Callable[..., HttpResponseBase]

WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


def enveloped(view: View) -> View:
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if refused := _refusal(request):
            return refused
        if request.method == "HEAD":
            # The server in front sends the headers only.
            request.method = "GET"
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            return no_such_path(request)
        except Exception as error:
            return broken(request, error)
        if response.status_code == 405 and not _is_problem(response):
            return method_not_allowed(request, response.headers.get("Allow", ""))
        return response

    # Cookies are checked for CSRF where they are taken as a credential.
    answered.csrf_exempt = True  # type: ignore[attr-defined]
    return answered


def _refusal(request: HttpRequest) -> HttpResponse | None:
    if "\0" in request.path:
        return no_such_path(request)
    if any("\0" in value for name in request.GET for value in request.GET.getlist(name)):
        return problem(request, invalid("The query holds the character U+0000.", "Remove it."))
    if request.method not in WITH_BODY:
        return None
    try:
        empty = not request.body
    except RequestDataTooBig:
        return problem(request, TooLarge())
    if not empty and request.content_type != "application/json":
        return unsupported_media_type(request)
    return None


def _is_problem(response: HttpResponseBase) -> bool:
    return response.headers.get("Content-Type") == "application/problem+json"
