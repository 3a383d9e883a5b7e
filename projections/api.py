"""Projections over the API: how boards stand, and requests that the worker runs (people only)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import Field

from kanban.api.answers import PAGE, PAGE_LIMIT, answer, page
from kanban.api.auth import caller_of
from kanban.api.schemas.base import Body, Slug
from kanban.kernel.actor import Actor, require_administrator
from kanban.queries.clock import now
from projections import asking
from projections.models import Board

router = Router(tags=["projections"])


class SetupIn(Body):
    """What set-up is told about the board; what is left out stays as it is."""

    goal: Slug | None = None
    goals: list[Slug] = Field(default_factory=list, max_length=100)
    title: Annotated[str, Field(max_length=255)] | None = None
    language: Literal["en", "zh-hans"] | None = None
    audience: Literal["stakeholder", "outside"] | None = None
    link_sharing: Literal["tenant", "closed"] | None = None
    viewers: Annotated[list[str], Field(max_length=100)] | None = None
    execute: bool = False

    def wanted(self) -> asking.Wanted:
        return asking.Wanted(
            goals=[*self.goals, *([self.goal] if self.goal else [])],
            title=self.title,
            language=self.language,
            audience=self.audience,
            link_sharing=self.link_sharing,
            viewers=self.viewers,
        )


class RunIn(Body):
    execute: bool = False


@router.get("", operation_id="list_projections")
def list_projections(
    request: HttpRequest,
    limit: Annotated[int, Query(ge=1, le=PAGE_LIMIT)] = PAGE,
    cursor: str | None = None,
) -> HttpResponse:
    _person(request)
    boards = Board.objects.prefetch_related("watches")
    return answer(page([asking.present(board) for board in boards], "board", limit, cursor))


@router.get("/{board}", operation_id="get_projection")
def get_projection(request: HttpRequest, board: str) -> HttpResponse:
    _person(request)
    return answer(asking.present(asking.get(board)))


@router.get("/{board}/requests/{request_id}", operation_id="get_projection_request")
def get_projection_request(request: HttpRequest, board: str, request_id: int) -> HttpResponse:
    _person(request)
    return answer(asking.present_request(asking.get_request(board, request_id)))


@router.post("/{board}/setup", operation_id="setup_projection")
def setup_projection(request: HttpRequest, board: str, body: SetupIn) -> HttpResponse:
    return _ask(request, board, "setup", execute=body.execute, wanted=body.wanted())


@router.post("/{board}/preview", operation_id="preview_projection")
def preview_projection(request: HttpRequest, board: str, body: RunIn | None = None) -> HttpResponse:
    return _ask(request, board, "preview")


@router.post("/{board}/sync", operation_id="sync_projection")
def sync_projection(request: HttpRequest, board: str, body: RunIn | None = None) -> HttpResponse:
    return _ask(request, board, "sync", execute=bool(body and body.execute))


@router.post("/{board}/doctor", operation_id="doctor_projection")
def doctor_projection(request: HttpRequest, board: str, body: RunIn | None = None) -> HttpResponse:
    return _ask(request, board, "doctor")


def _ask(request: HttpRequest, board: str, action: str, **options: Any) -> HttpResponse:
    asked = asking.ask(caller_of(request).actor, board, action, now=now(), **options)
    location = f"/api/v1/projections/{board}/requests/{asked.pk}"
    return answer(asking.present_request(asked), 202, {"Location": location})


def _person(request: HttpRequest) -> Actor:
    actor = caller_of(request).actor
    require_administrator(actor, "Looking at projections")
    return actor
