"""Query parameters that several routes take."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from kanban.api.answers import PAGE, PAGE_LIMIT

Key = Annotated[str, Field(max_length=200)]


class Paged(BaseModel):
    limit: Annotated[int, Field(ge=1, le=PAGE_LIMIT)] = PAGE
    cursor: Annotated[str, Field(max_length=400)] | None = None


class TodoFilter(Paged):
    lane: Literal["needs_you", "ready", "working", "waiting", "done"] | None = None
    status: (
        Literal["open", "blocked", "deferred", "review", "done", "superseded", "dropped"] | None
    ) = None
    owner: Key | None = None


class GateFilter(Paged):
    status: (
        Literal["open", "provisional", "sent_back", "chosen", "rejected", "expired", "withdrawn"]
        | None
    ) = None


class EvidenceFilter(Paged):
    todo: Key | None = None
    criterion: Key | None = None


class GoalFilter(Paged):
    status: Literal["active", "paused", "stopped", "achieved", "abandoned"] | None = None


class EventFilter(Paged):
    """Versions or times, both ends included; `kind` such as `todo.added`, or `todo` for all."""

    since: Key | None = None
    until: Key | None = None
    kind: Annotated[list[Key], Field(max_length=50)] = []


class AskQuery(BaseModel):
    agent: Key | None = None
    execution_key: Key = ""
    capability: Annotated[list[Key], Field(max_length=200)] = []
    slots: Annotated[int, Field(ge=1, le=1000)] = 1
    todo: Annotated[str, Field(pattern=r"^T[1-9][0-9]{0,8}$")] | None = None
    shown: Annotated[list[Key], Field(max_length=500)] = []
    explain: bool = False

    @property
    def capabilities(self) -> tuple[str, ...] | None:
        """None where none was sent: what is stored of the agent counts then."""
        return tuple(self.capability) if "capability" in self.model_fields_set else None
