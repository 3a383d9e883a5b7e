"""Goals, criteria, members, quota policy."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from kanban.api.schemas.base import Big, Body, Change, Count, Moment, Name, Number, Slug, Words

Texts = Annotated[list[str], Field(max_length=50)]
Delegable = Literal["complete", "release", "reassign", "supersede", "update"]


class GoalIn(Body):
    title: str
    objective: str
    acceptance: Texts | None = None
    write_scope: Words | None = None
    non_goals: str | None = None
    slug: Slug | None = None
    project: Slug | None = None
    agents: Annotated[list[Name], Field(max_length=50)] | None = None
    sample: bool | None = None


class GoalChange(Change):
    title: str | None = None
    objective: str | None = None
    write_scope: Words | None = None
    non_goals: str | None = None


class CriterionIn(Body):
    text: str


class CriterionChange(Change):
    text: str | None = None
    state: Literal["met", "unmet", ""] | None = None
    note: str | None = None
    removed: Literal[True] | None = None


class Close(Body):
    outcome: Literal["achieved", "abandoned"]
    reason: str


class MemberIn(Body):
    """`delegated`: what the agent may do to others' work, always with a reason; people give it."""

    agent: Name | None = None
    delegated: list[Delegable] | None = None


class Burst(Body):
    slots: Count
    until: Moment


class PolicyFields(Change):
    clearable: ClassVar[frozenset[str]] = frozenset(
        {"slots", "token_budget", "cost_budget_usd", "active_hours", "burst"}
    )

    share: Annotated[Number, Field(ge=0, le=1)] | None = None
    window_hours: Annotated[int, Field(ge=1, le=24 * 366)] | None = None
    slot_minutes: Annotated[int, Field(ge=1, le=24 * 366)] | None = None
    slots: Count | None = None
    token_budget: Big | None = None
    cost_budget_usd: Annotated[Number, Field(ge=0, le=1_000_000_000)] | None = None
    active_hours: dict[str, Any] | None = None
    time_zone: Annotated[str, Field(max_length=60)] | None = None
    burst: Burst | None = None

    def policy(self) -> dict[str, Any]:
        """As fields of the kernel's policy."""
        fields = self.given("reason", "agents")
        if "cost_budget_usd" in fields:
            cost = fields.pop("cost_budget_usd")
            fields["cost_budget_micros"] = None if cost is None else round(cost * 1_000_000)
        if "burst" in fields:
            burst = fields.pop("burst") or {"slots": 0, "until": None}
            fields |= {"burst_slots": burst["slots"], "burst_until": burst["until"]}
        return fields


class PolicyIn(PolicyFields):
    """The goal's policy, and under `agents` that of single agents."""

    reason: str
    agents: dict[str, PolicyFields] | None = None
