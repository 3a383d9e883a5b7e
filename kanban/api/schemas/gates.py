"""Gates: questions and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from kanban.api.schemas.base import Body, Change, Count, Moment, Name, Ref, Refs, Seconds

GateKind = Literal[
    "direction",
    "write_scope",
    "resource",
    "production",
    "publish",
    "private_read",
    "risk",
    "closure",
    "other",
]


class Option(Body):
    key: Annotated[str, Field(min_length=1, max_length=100)]
    label: str
    consequence: str = ""


class Blocks(Body):
    goal: bool | None = None
    agent: Name | None = None
    todos: Refs | None = None


Options = Annotated[list[Option], Field(max_length=20)]


class GateIn(Body):
    question: str
    label: str | None = None
    kind: GateKind | None = None
    decision_scope: Annotated[str, Field(max_length=300)] | None = None
    options: Options | None = None
    suggested_option: str | None = None
    free_text: bool | None = None
    why: str | None = None
    blocks: Blocks | None = None
    fallback: str | None = None
    remind_after_seconds: Seconds | None = None
    expire_at: Moment | None = None
    default_option: str | None = None
    on_reject: Literal["block", "drop"] | None = None
    follows: Ref | None = None
    evidence: Refs | None = None


class GateChange(Change):
    clearable: ClassVar[frozenset[str]] = frozenset({"expire_at"})

    question: str | None = None
    label: str | None = None
    kind: GateKind | None = None
    decision_scope: Annotated[str, Field(max_length=300)] | None = None
    options: Options | None = None
    suggested_option: str | None = None
    free_text: bool | None = None
    why: str | None = None
    blocks: Blocks | None = None
    fallback: str | None = None
    remind_after_seconds: Seconds | None = None
    expire_at: Moment | None = None
    default_option: str | None = None
    on_reject: Literal["block", "drop"] | None = None


class Answer(Body):
    outcome: Literal["chosen", "rejected", "needs_info"]
    revision: Count
    option: str | None = None
    text: str | None = None
    undo_seconds: Count | None = None


class Received(Body):
    agent: Name | None = None
