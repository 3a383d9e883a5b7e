"""The quota of a goal: the bar in the top bar, and the page with the figures behind it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from kanban.kernel.quota import allowed_slots, shortage, usage
from kanban.kernel.state import Policy, State

METER_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Meter:
    """The bar; percentages are whole and may exceed 100 after the policy was lowered."""

    allowed: int
    spent: int
    held: int
    lack: str  # why no turn can be booked now, as the kernel's reason; empty when one can
    recovers_at: datetime | None

    @property
    def paused(self) -> bool:
        return self.lack == "quota_paused"

    @property
    def percent(self) -> int:
        return round(100 * (self.spent + self.held) / self.allowed) if self.allowed else 100

    @property
    def percent_shown(self) -> int:
        return min(100, self.percent)

    @property
    def spent_percent_shown(self) -> int:
        return min(100, round(100 * self.spent / self.allowed)) if self.allowed else 100

    @property
    def held_width(self) -> int:
        return self.percent_shown * METER_WIDTH // 100

    @property
    def spent_width(self) -> int:
        return self.spent_percent_shown * METER_WIDTH // 100

    @property
    def level(self) -> str:
        """The tone of the bar: "", "warn" from 80 %, "over" when no turn may begin."""
        if self.lack:
            return "over"
        return "warn" if self.percent >= 80 else ""


@dataclass(frozen=True, slots=True)
class AgentUse:
    agent: str
    role: str
    spent: int
    held: int
    released: int
    tokens: int
    cost_micros: int


@dataclass(frozen=True, slots=True)
class QuotaPage:
    meter: Meter
    policy: Policy
    tokens: int
    cost_micros: int
    released: int
    agents: tuple[AgentUse, ...]


def meter_of(state: State, now: datetime) -> Meter:
    policy = state.policies.get("", Policy())
    used = usage(state, policy, now)
    lack = shortage(state, "", 1, now)
    return Meter(
        allowed=allowed_slots(policy, now),
        spent=used.spent,
        held=used.reserved,
        lack=lack.reason if lack else "",
        recovers_at=lack.recovers_at if lack else None,
    )


def quota_page(state: State, now: datetime) -> QuotaPage:
    policy = state.policies.get("", Policy())
    used = usage(state, policy, now)
    names = sorted({entry.agent for entry in state.entries.values()} | {*state.members})
    agents = [_use(state, policy, name, now) for name in names]
    return QuotaPage(
        meter=meter_of(state, now),
        policy=policy,
        tokens=used.tokens,
        cost_micros=used.cost_micros,
        released=used.released,
        agents=tuple(sorted(agents, key=lambda agent: -agent.spent)),
    )


def _use(state: State, policy: Policy, agent: str, now: datetime) -> AgentUse:
    """What the agent has of the goal's window, whatever policy of its own it has besides."""
    used = usage(state, replace(policy, agent=agent), now)
    member = state.members.get(agent)
    return AgentUse(
        agent=agent,
        role=member.role if member else "",
        spent=used.spent,
        held=used.reserved,
        released=used.released,
        tokens=used.tokens,
        cost_micros=used.cost_micros,
    )
