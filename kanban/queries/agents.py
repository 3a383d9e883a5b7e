"""Agents with their tokens and goals, as administrators see them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.kernel.errors import missing
from kanban.kernel.present import moment
from kanban.models import Agent, Member, Seen, Token

JSON = dict[str, Any]


def agent_names() -> list[str]:
    return list(Agent.objects.order_by("name").values_list("name", flat=True))


def agents_json(names: list[str]) -> list[JSON]:
    """Without tokens; in the order of `names`."""
    agents = Agent.objects.select_related("seen").filter(name__in=names)
    found = {agent.name: _line(agent) for agent in agents}
    return [found[name] for name in names if name in found]


def agent_json(name: str) -> JSON:
    agent = Agent.objects.select_related("seen").filter(name=name).first()
    if agent is None:
        raise missing("agent", name)
    members = Member.objects.filter(agent=name, active=True).order_by("goal__slug")
    return _line(agent) | {
        "goals": list(members.values_list("goal__slug", flat=True)),
        "tokens": [_token(token) for token in agent.tokens.order_by("id")],
    }


def token_json(hashed: str) -> JSON:
    return _token(Token.objects.get(hash=hashed))


def _line(agent: Agent) -> JSON:
    return {
        "name": agent.name,
        "host_kind": agent.host_kind,
        "role": agent.role or None,
        "capabilities": list(agent.capabilities),
        "work_mode": agent.work_mode,
        "created_at": moment(agent.created_at),
        "last_seen_at": moment(last_seen(agent)),
    }


def last_seen(agent: Agent) -> datetime | None:
    """When one of its tokens last called, to the minute; None before the first call."""
    seen: Seen | None = getattr(agent, "seen", None)
    return seen.at if seen else None


def _token(token: Token) -> JSON:
    return {
        "id": token.pk,
        "prefix": token.prefix,
        "goals": list(token.goals),
        "verbs": list(token.verbs),
        "created_at": moment(token.created_at),
        "created_by": token.created_by or None,
        "expires_at": moment(token.expires_at),
        "revoked_at": moment(token.revoked_at),
    }
