"""Agents, their tokens and memberships, and the one-time links by which people sign in."""

from __future__ import annotations

from datetime import timedelta

from django.db import models

from kanban.models.base import OfGoal, items, moment, word

HOST_KINDS = [
    (kind, kind)
    for kind in "claude-code codex-cli codex-app codex-ssh cursor opencode pi shell other".split()
]


SEEN_APART = timedelta(minutes=1)  # between two notes that an agent was seen


class Agent(models.Model):
    """An identity; what rules need of it is copied to each goal's members, in their ledgers."""

    name = models.CharField(max_length=64, unique=True)
    host_kind = models.CharField(max_length=20, choices=HOST_KINDS, default="other")
    role = word(40)
    capabilities = items()
    work_mode = word(20, default="active")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Token(models.Model):
    """An agent's credential: 256 random bits, of which only the SHA-256 is kept."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="tokens")
    hash = models.CharField(max_length=64, unique=True)
    prefix = word(12)
    goals = items()
    verbs = items()
    created_at = models.DateTimeField()
    created_by = word()
    expires_at = moment()
    revoked_at = moment()

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.agent}"


class Seen(models.Model):
    """Telemetry outside ledger and decision: when an agent last called, to the minute."""

    agent = models.OneToOneField(Agent, on_delete=models.CASCADE, related_name="seen")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.agent} at {self.at}"


class Member(OfGoal):
    agent = word(64)
    active = models.BooleanField(default=True)
    host_kind = word(20, default="other")
    role = word(40)
    capabilities = items()
    work_mode = word(20, default="active")
    limited_until = moment()
    limit_unknown = models.BooleanField(default=False)
    delegated = items()
    joined_at = moment()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["goal", "agent"], name="kanban_member_agent"),
        ]
        indexes = [models.Index(fields=["agent"], name="kanban_member_by_agent")]

    def __str__(self) -> str:
        return self.agent


class SignInLink(models.Model):
    """A link that signs the owner in once; only its hash is kept."""

    hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = moment()

    def __str__(self) -> str:
        return f"sign-in link of {self.created_at}"
