"""Tables, constraints and indexes; no behaviour."""

from __future__ import annotations

from kanban.models.agents import Agent, Member, Seen, SignInLink, Token
from kanban.models.goals import Criterion, Goal, Project
from kanban.models.ledger import Event, StoredReceipt
from kanban.models.quota import Entry, Policy
from kanban.models.work import Evidence, Gate, Todo, Turn

__all__ = [
    "Agent",
    "Criterion",
    "Entry",
    "Event",
    "Evidence",
    "Gate",
    "Goal",
    "Member",
    "Policy",
    "Project",
    "Seen",
    "SignInLink",
    "StoredReceipt",
    "Todo",
    "Token",
    "Turn",
]
