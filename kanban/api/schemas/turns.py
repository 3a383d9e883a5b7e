"""Turns: begin, renew, finish; and the five forms in which work continues."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kanban.api.schemas.base import (
    Big,
    Body,
    Count,
    Epoch,
    ExecutionKey,
    Fenced,
    LeaseSeconds,
    Moment,
    Name,
    Number,
    Ref,
    Words,
)
from kanban.api.schemas.evidence import EvidenceItems
from kanban.api.schemas.gates import GateIn
from kanban.api.schemas.todos import Block, Successor, TodoIn


class TurnIn(Body):
    agent: Name | None = None
    todo: Ref | None = None
    capabilities: Words | None = None
    lease_seconds: LeaseSeconds | None = None
    slots: Annotated[int, Field(ge=1, le=1000)] | None = None
    execution_key: ExecutionKey = ""
    shown: Words | None = None


class Renew(Body):
    execution_key: ExecutionKey = ""
    epoch: Epoch | None = None
    lease_seconds: LeaseSeconds | None = None


class Successors(Body):
    type: Literal["successors"]
    todos: Annotated[list[Successor], Field(min_length=1, max_length=50)]


class Receiver(Body):
    """One of the three."""

    agent: Name | None = None
    capability: Annotated[str, Field(max_length=200)] | None = None
    anyone: bool | None = None


class PartTodo(Body):
    """More about the successor of a handoff, whose title is the next step if none is given."""

    title: str | None = None
    priority: Literal["P0", "P1", "P2", "P3"] | None = None
    body: str | None = None
    required_capabilities: Words | None = None
    required_write_scopes: Words | None = None
    decision_scopes: Words | None = None
    acceptance_check: str | None = None


class Handoff(Body):
    type: Literal["handoff"]
    to: Receiver
    summary: str
    next_step: str
    questions: Words | None = None
    references: Words | None = None
    todo: PartTodo | None = None


class ByGate(Body):
    type: Literal["gate"]
    gate: GateIn


class ByMonitor(Body):
    type: Literal["monitor"]
    monitor: TodoIn


class NothingMore(Body):
    type: Literal["none"]
    rationale: str


Continuation = Annotated[
    Successors | Handoff | ByGate | ByMonitor | NothingMore, Field(discriminator="type")
]


class Usage(Body):
    slots: Count | None = None
    tokens_in: Big | None = None
    tokens_out: Big | None = None
    cost_usd: Annotated[Number, Field(ge=0, le=1_000_000)] | None = None


class Poll(Body):
    result_hash: Annotated[str, Field(max_length=200)]


class Check(Body):
    exit_code: int
    summary: str | None = None


class Finish(Body):
    result: Literal["completed", "progress", "no_change", "failed", "blocked", "asked"]
    execution_key: ExecutionKey = ""
    epoch: Epoch | None = None
    outcome: (
        Literal["surface_only", "outcome_gap", "outcome_progress", "primary_outcome"] | None
    ) = None
    summary: str | None = None
    evidence: EvidenceItems | None = None
    continuation: Continuation | None = None
    todos: Annotated[list[TodoIn], Field(max_length=50)] | None = None
    gates: Annotated[list[GateIn], Field(max_length=20)] | None = None
    block: Block | None = None
    poll: Poll | None = None
    check: Check | None = None
    limited_until: Literal["unknown"] | Moment | None = None
    usage: Usage | None = None


class Submit(Fenced):
    evidence: EvidenceItems


class Complete(Fenced):
    evidence: EvidenceItems | None = None
    continuation: Continuation | None = None
    check: Check | None = None
    override_note: str | None = None
