"""Agents and their tokens."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kanban.api.schemas.base import Body, Change, Moment, Name, Slug, Words

HostKind = Literal[
    "claude-code",
    "codex-cli",
    "codex-app",
    "codex-ssh",
    "cursor",
    "opencode",
    "pi",
    "shell",
    "other",
]
Verb = Literal[
    "turns", "todos", "gates", "evidence", "goals", "agents", "quota", "me", "projections"
]


class AgentIn(Body):
    name: Name
    host_kind: HostKind | None = None
    capabilities: Words | None = None
    role: Annotated[str, Field(max_length=40)] | None = None


class AgentChange(Change):
    work_mode: Literal["active", "monitor_only", "paused"] | None = None
    capabilities: Words | None = None
    role: Annotated[str, Field(max_length=40)] | None = None


class TokenIn(Body):
    goals: Annotated[list[Slug], Field(max_length=200)] | None = None
    verbs: list[Verb] | None = None
    expires_at: Moment | None = None


class Limit(Body):
    """A provider's limit: until when, or `unknown`."""

    until: Literal["unknown"] | Moment
