"""Typed results of the client; `raw` keeps the server's whole answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic, Self, TypeVar

Json = dict[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Record:
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Takes the fields it knows; those a newer server adds stay in `raw`."""
        known = {item.name for item in fields(cls)} - {"raw"}
        values = {name: cls.convert(name, data[name]) for name in known & data.keys()}
        return cls(raw=data, **values)

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        """The value a field holds; lists become tuples."""
        return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, kw_only=True)
class Question(Record):
    ref: str = ""
    tag: str = ""
    question: str = ""
    options: tuple[Json, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Decision(Record):
    """The answer to "may the loop go on, and how?"; `outcome` is the one field to obey."""

    goal: str = ""
    agent: str = ""
    outcome: str = ""
    reason: str = ""
    explanation: str = ""
    stop: bool = False
    next_check_seconds: int = 0
    wake_at: str | None = None
    notify: bool = False
    spend: Json = field(default_factory=dict)
    selected: str | None = None
    candidates: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    also_asking: tuple[Json, ...] = ()
    answers: tuple[Json, ...] = ()
    notices: tuple[Json, ...] = ()
    turn: str | None = None
    gap: Json | None = None
    digest: str = ""
    version: int = 0
    trace: tuple[Json, ...] = ()

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        if name == "questions":
            return tuple(Question.read(item) for item in value)
        return super().convert(name, value)

    @property
    def may_work(self) -> bool:
        return self.outcome in {"deliver", "self_repair"}

    @property
    def tags(self) -> list[str]:
        return [question.tag for question in self.questions if question.tag]


@dataclass(frozen=True, kw_only=True)
class Todo(Record):
    ref: str = ""
    title: str = ""
    kind: str = ""
    priority: str = ""
    body: str = ""
    status: str = ""
    lane: str = ""
    version: int = 0
    owner: Json | None = None
    waits_for: tuple[str, ...] = ()
    required_capabilities: tuple[str, ...] = ()
    decision_scopes: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    acceptance_check: str | None = None

    @property
    def epoch(self) -> int:
        """The fence of the present claim, 0 if nobody owns it."""
        return int((self.owner or {}).get("epoch") or 0)


@dataclass(frozen=True, kw_only=True)
class Gate(Record):
    ref: str = ""
    question: str = ""
    label: str | None = None
    kind: str = ""
    status: str = ""
    revision: int = 0
    options: tuple[Json, ...] = ()
    decision_scope: str | None = None
    holds_up: tuple[str, ...] = ()
    answer: Json | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence(Record):
    ref: str = ""
    kind: str = ""
    verdict: str = ""
    summary: str = ""
    data: Json = field(default_factory=dict)
    supports: tuple[str, ...] = ()
    fresh: bool = False
    expires_at: str | None = None
    invalidated: Json | None = None


@dataclass(frozen=True, kw_only=True)
class Goal(Record):
    slug: str = ""
    title: str = ""
    objective: str = ""
    status: str = ""
    revision: int = 0
    version: int = 0
    acceptance: tuple[Json, ...] = ()
    write_scope: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TurnState(Record):
    id: str = ""
    agent: str = ""
    todo: str | Json | None = None
    gap: str | Json | None = None
    epoch: int = 0
    lease_until: str | None = None
    ends_by: str | None = None
    status: str = ""
    result: str | None = None
    summary: str | None = None
    decision: Json = field(default_factory=dict)
    packet: Json = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Settled(Record):
    """What `finish` left behind, with the next decision."""

    turn: Json = field(default_factory=dict)
    todo: Json | None = None
    quota: Json = field(default_factory=dict)
    receipt: Json = field(default_factory=dict)
    decision: Decision | None = None
    notices: tuple[Any, ...] = ()

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        if name == "decision":
            return Decision.read(value) if value else None
        return super().convert(name, value)


@dataclass(frozen=True, kw_only=True)
class Page(Generic[Item]):
    """One page of a list; `cursor` is None on the last."""

    items: tuple[Item, ...]
    cursor: str | None = None
