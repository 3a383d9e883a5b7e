"""The API: its routers, how it names operations, and how it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from kanban.api import (
    agents,
    decisions,
    errors,
    evidence,
    gates,
    goals,
    health,
    me,
    operators,
    overview,
    todos,
)
from kanban.api.auth import SCHEMES
from kanban.api.described import add_live
from kanban.api.strict import StrictParser

DESCRIPTION = (
    "The control plane between the turns of agents: goals, todos, gates, evidence, turns and "
    "quota. Errors are RFC 9457 problems with a stable `code`. See docs/api.md."
)


Run = Callable[..., HttpResponseBase]


def known_parameters(run: Run) -> Run:
    """Refuses query parameters that the operation does not have, rather than ignoring them."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    known = {
        name
        for model in operation.models
        if model.__ninja_param_source__ == "query"
        for name in model.__ninja_flatten_map__
    }

    def checked(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        if unknown := [name for name in request.GET if name not in known]:
            return errors.unknown_parameters(request, unknown)
        return run(request, **arguments)

    return checked


class LoopxAPI(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        prefix = path_prefix if path_prefix is not None else self.get_root_path(path_params or {})
        add_live(schema["paths"], prefix.rstrip("/"))
        return schema


def build() -> LoopxAPI:
    made = LoopxAPI(
        title="LoopX Web",
        version="1",
        description=DESCRIPTION,
        urls_namespace="api",
        auth=list(SCHEMES),
        parser=StrictParser(),
    )
    errors.install(made)
    made.add_decorator(known_parameters, mode="view")
    made.add_router("", health.router)
    made.add_router("/me", me.router)
    made.add_router("/inbox", overview.inbox)
    made.add_router("/agents", agents.router)
    made.add_router("/goals", goals.router)
    made.add_router("/goals", overview.router)
    made.add_router("/goals", decisions.router)
    made.add_router("/turns", decisions.by_id)
    made.add_router("/goals", todos.router)
    made.add_router("/goals", operators.router)
    made.add_router("/goals", gates.router)
    made.add_router("/goals", evidence.router)
    return made


api = build()
