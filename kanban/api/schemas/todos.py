"""Todos, conditions and the bodies of their operators."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from kanban.api.schemas.base import (
    Body,
    Change,
    Count,
    Day,
    Epoch,
    ExecutionKey,
    Fenced,
    LeaseSeconds,
    Moment,
    Name,
    Ref,
    Refs,
    Words,
)


class AtTime(Body):
    type: Literal["time"]
    at: Moment


class ByHand(Body):
    type: Literal["manual"]
    at: Moment | None = None


class AfterObject(Body):
    """A todo is done, a question answered with a choice, or a criterion met."""

    type: Literal["todo_done", "gate_answered", "evidence"]
    ref: Ref


Condition = Annotated[AtTime | ByHand | AfterObject, Field(discriminator="type")]


class Block(Body):
    """Exactly one thing that ends it."""

    until: Condition | None = None
    gate: Ref | None = None
    person: Annotated[str, Field(max_length=150)] | None = None


class Monitor(Body):
    target: str
    cadence_seconds: Count
    next_due_at: Moment | None = None
    expires_at: Moment | None = None


Kind = Literal["advancement", "monitor", "user_action"]
Priority = Literal["P0", "P1", "P2", "P3"]
AgentNames = Annotated[list[Name], Field(max_length=200)]


class TodoIn(Body):
    title: str
    kind: Kind | None = None
    priority: Priority | None = None
    body: str | None = None
    required_capabilities: Words | None = None
    required_write_scopes: Words | None = None
    decision_scopes: Words | None = None
    depends_on: Refs | None = None
    bound_agent: str | None = None
    excluded_agents: AgentNames | None = None
    resume_when: Condition | None = None
    due: Day | None = None
    acceptance_check: str | None = None
    keep_true: bool | None = None
    waits_for: str | None = None
    monitor: Monitor | None = None


class TodoChange(Change):
    clearable: ClassVar[frozenset[str]] = frozenset({"due", "bound_agent", "waits_for"})

    title: str | None = None
    priority: Priority | None = None
    body: str | None = None
    required_capabilities: Words | None = None
    required_write_scopes: Words | None = None
    decision_scopes: Words | None = None
    depends_on: Refs | None = None
    bound_agent: str | None = None
    excluded_agents: AgentNames | None = None
    due: Day | None = None
    acceptance_check: str | None = None
    keep_true: bool | None = None
    waits_for: str | None = None
    reason: str | None = None
    execution_key: ExecutionKey = ""
    epoch: Epoch | None = None


class Existing(Body):
    """A todo that is there already."""

    ref: Ref


def _new_or_existing(value: Any) -> str:
    named = "ref" in value if isinstance(value, dict) else isinstance(value, Existing)
    return "existing" if named else "new"


Successor = Annotated[
    Annotated[Existing, Tag("existing")] | Annotated[TodoIn, Tag("new")],
    Discriminator(_new_or_existing),
]


class TodosIn(Body):
    """Many at once: all of them or none."""

    todos: Annotated[list[TodoIn], Field(min_length=1, max_length=200)]


def _one_or_many(value: Any) -> str:
    many = "todos" in value if isinstance(value, dict) else isinstance(value, TodosIn)
    return "many" if many else "one"


OneOrMany = Annotated[
    Annotated[TodosIn, Tag("many")] | Annotated[TodoIn, Tag("one")],
    Discriminator(_one_or_many),
]


class Claim(Body):
    agent: Name | None = None
    execution_key: ExecutionKey = ""
    lease_seconds: LeaseSeconds | None = None
    write_scopes: Words | None = None
    capabilities: Words | None = None


class ClaimNext(Body):
    agent: Name | None = None
    execution_key: ExecutionKey = ""
    lease_seconds: LeaseSeconds | None = None
    capabilities: Words | None = None


class Release(Fenced):
    reason: str | None = None


class Reassign(Fenced):
    agent: Name
    reason: str | None = None


class BlockTodo(Fenced, Block):
    reason: str


class Defer(Fenced):
    resume_when: Condition
    reason: str | None = None


class Because(Body):
    reason: str


class Drop(Fenced):
    reason: str


class Supersede(Fenced):
    successors: Annotated[list[Successor], Field(max_length=50)] | None = None
    reason: str | None = None


class Move(Fenced):
    before: Ref | None = None
    after: Ref | None = None
    priority: Priority | None = None
