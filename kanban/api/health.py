"""Whether the server lives, for people, scripts and load balancers; without a token."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from ninja import Router

from kanban.api.answers import answer
from kanban.api.responses import answers
from kanban.queries.health import database_answers

router = Router(tags=["server"], auth=None)

API = "v1"


@router.get("/health", response=answers("Health"))
def get_health(request: HttpRequest) -> HttpResponse:
    """200 as long as this process answers; `status` is `degraded` when a part is missing."""
    return answer(_health())


@router.get("/ready", response=answers("Health"))
def get_ready(request: HttpRequest) -> HttpResponse:
    """503 while the database does not answer, so that a load balancer looks elsewhere."""
    health = _health()
    return answer(health, 200 if health["database"] == "ok" else 503)


@router.get("/version", response=answers("Version"))
def get_version(request: HttpRequest) -> HttpResponse:
    return answer({"version": _version(), "api": API})


def _health() -> dict[str, Any]:
    database, worker = _database(), _worker()
    good = database == "ok" and worker == "ok"
    return {"status": "ok" if good else "degraded", "database": database, "worker": worker}


def _database() -> str:
    try:
        database_answers()
    except Error:
        return "unreachable"
    return "ok"


def _worker() -> str:
    state: Callable[[], str] = import_string(settings.LOOPX_WORKER_STATE)
    return state()


def _version() -> str:
    try:
        return version("loopx-web")
    except PackageNotFoundError:
        return "unknown"
