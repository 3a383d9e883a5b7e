"""What the API and the pages do: ask for a run, and tell how a board stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from kanban.kernel.actor import Actor, require_administrator
from kanban.kernel.errors import Invalid, NotFound
from kanban.queries import projected
from projections import tasks
from projections.models import SLUG, Board, Request, Watch

EXECUTABLE = ("setup", "sync")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What set-up is told about a board; what is None stays as it is."""

    goals: Sequence[str] = ()
    title: str | None = None
    language: str | None = None
    audience: str | None = None
    link_sharing: str | None = None
    viewers: Sequence[str] | None = None


def ask(
    actor: Actor,
    slug: str,
    action: str,
    *,
    now: datetime,
    execute: bool = False,
    wanted: Wanted | None = None,
) -> Request:
    """Stores the request and wakes the worker, the only process that speaks to Feishu."""
    require_administrator(actor, "Running a projection")
    with transaction.atomic():
        board = _board_for_setup(slug, wanted or Wanted(), now) if action == "setup" else get(slug)
        request = Request.objects.create(
            board=board,
            action=action,
            execute=execute and action in EXECUTABLE,
            by=str(actor),
            created_at=now,
        )
    tasks.hint_request(request.pk)
    request.refresh_from_db()
    return request


def get(slug: str) -> Board:
    board = Board.objects.filter(slug=slug).first()
    if board is None:
        raise NotFound(
            "not_found",
            f"No projection board is called {slug}.",
            f"Make it: loopx lark-kanban setup --board {slug} --goal GOAL.",
        )
    return board


def get_request(slug: str, request_id: int) -> Request:
    request = Request.objects.filter(board__slug=slug, pk=request_id).first()
    if request is None:
        raise NotFound("not_found", f"{slug} has no request {request_id}.", "")
    return request


def _board_for_setup(slug: str, wanted: Wanted, now: datetime) -> Board:
    try:
        SLUG(slug)
    except ValidationError:
        raise Invalid(
            "invalid",
            f"{slug!r} is no name for a board.",
            "Use lower-case letters, digits and hyphens.",
            fields=["board"],
        ) from None
    for goal in wanted.goals:
        if projected.version_of(goal) is None:
            raise NotFound("not_found", f"No goal is called {goal}.", "")
    board = Board.objects.filter(slug=slug).first()
    if board is None:
        if not wanted.goals:
            raise Invalid(
                "invalid",
                f"The board {slug} is new and shows no goal yet.",
                "Name at least one goal.",
                fields=["goals"],
            )
        title = wanted.title or f"LoopX · {', '.join(wanted.goals)}"[:200]
        board = Board(slug=slug, title=title, created_at=now)
    _configure(board, wanted)
    for goal in wanted.goals:
        Watch.objects.get_or_create(board=board, goal=goal)
    return board


def _configure(board: Board, wanted: Wanted) -> None:
    """Language and audience may change at any time: every card is rendered and compared anew."""
    for name in ("title", "language", "audience", "link_sharing", "viewers"):
        value = getattr(wanted, name)
        if value is not None:
            setattr(board, name, list(value) if name == "viewers" else value)
    try:
        board.clean_fields(exclude=["place"])
    except ValidationError as error:
        names = sorted(error.message_dict)
        raise Invalid(
            "invalid",
            "; ".join(f"{name}: {', '.join(error.message_dict[name])}" for name in names),
            "",
            fields=names,
        ) from None
    board.save()
    if board.pk:
        board.watches.update(compared_at=None)


def switch(actor: Actor, slug: str, *, on: bool) -> Board:
    """Off stops everything at once; on needs a board that was set up."""
    require_administrator(actor, "Switching a projection on or off")
    board = get(slug)
    if on and not board.place.get("app_token"):
        raise Invalid(
            "invalid", f"{slug} was not set up yet.", "Run set-up first.", fields=["board"]
        )
    Board.objects.filter(pk=board.pk).update(enabled=on)
    if on:
        tasks.hint_board(board.pk)
    board.refresh_from_db()
    return board


def present_request(request: Request) -> dict[str, Any]:
    return {
        "id": request.pk,
        "board": request.board.slug,
        "action": request.action,
        "execute": request.execute,
        "status": request.status,
        "by": request.by,
        "report": request.report,
        "error": request.error,
        "created_at": _time(request.created_at),
        "started_at": _time(request.started_at),
        "ended_at": _time(request.ended_at),
    }


def present(board: Board) -> dict[str, Any]:
    goals = [_goal(watch) for watch in board.watches.all()]
    return {
        "board": board.slug,
        "title": board.title,
        "sink": board.sink,
        "language": board.language,
        "audience": board.audience,
        "link_sharing": board.link_sharing,
        "enabled": board.enabled,
        "state": board.health if board.enabled or board.health == "broken" else "off",
        "url": board.url,
        "goals": goals,
        "lag": sum(goal["lag"] for goal in goals),
        "rows": board.rows.count(),
        "withheld": board.withheld,
        "synced_at": _time(board.synced_at),
        "retry_at": _time(board.retry_at),
        "last_error": _last_error(board),
    }


def _goal(watch: Watch) -> dict[str, Any]:
    version = projected.version_of(watch.goal)
    lag = max(0, (version or 0) - watch.cursor)
    return {"goal": watch.goal, "cursor": watch.cursor, "version": version, "lag": lag}


def _last_error(board: Board) -> dict[str, Any] | None:
    if not board.error_detail:
        return None
    return {
        "code": board.error_code,
        "detail": board.error_detail,
        "hint": gettext(board.error_remedy) if board.error_remedy else "",
        "at": _time(board.failed_at),
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None
