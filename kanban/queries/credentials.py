"""Whose token this is, and what its holder may see."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from kanban.models.agents import SEEN_APART


@dataclass(frozen=True, slots=True)
class Holder:
    """The agent behind a valid token; empty `goals` and `verbs` leave the token unscoped.

    `silent`: nobody has noted within the last minute that the agent was seen.
    """

    agent: str
    goals: tuple[str, ...]
    verbs: tuple[str, ...]
    silent: bool = False


def token_holder(hashed: str, now: datetime) -> Holder | None:
    """The holder of the token with this hash, unless it is revoked or has expired."""
    adapt = connection.ops.adapt_datetimefield_value
    row = _one(_TOKEN, [adapt(now - SEEN_APART), hashed, adapt(now)])
    return Holder(row[0], _names(row[1]), _names(row[2]), bool(row[3])) if row else None


def is_member(agent: str, goal: str) -> bool:
    return _one(_MEMBER, [goal, agent, True]) is not None


def allows_self_registration(goal: str) -> bool:
    return _one(_OPEN, [goal, True]) is not None


def turn_place(turn: str) -> tuple[str, str] | None:
    """Goal and agent of a turn; None for what is no turn's id."""
    try:
        row = _one(_TURN, [str(uuid.UUID(turn))])
    except ValueError:
        return None
    return (row[0], row[1]) if row else None


_TOKEN = """
    SELECT agent.name, token.goals, token.verbs, seen.at IS NULL OR seen.at <= %s
    FROM kanban_token token JOIN kanban_agent agent ON agent.id = token.agent_id
        LEFT JOIN kanban_seen seen ON seen.agent_id = agent.id
    WHERE token.hash = %s AND token.revoked_at IS NULL
        AND (token.expires_at IS NULL OR token.expires_at > %s)
"""
_MEMBER = """
    SELECT 1 FROM kanban_member member JOIN kanban_goal goal ON goal.id = member.goal_id
    WHERE goal.slug = %s AND member.agent = %s AND member.active = %s
"""
_OPEN = "SELECT 1 FROM kanban_goal WHERE slug = %s AND self_registration = %s"
_TURN = """
    SELECT goal.slug, turn.agent
    FROM kanban_turn turn JOIN kanban_goal goal ON goal.id = turn.goal_id WHERE turn.id = %s
"""


def _one(query: str, parameters: list[Any]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _names(value: Any) -> tuple[str, ...]:
    """A JSON list reads as text, whatever the engine, when no model stands between."""
    return tuple(json.loads(value) if isinstance(value, str) else value)
