"""Quota policies and the bookings made under them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from kanban.models.base import OfGoal, moment, text, word


class Policy(OfGoal):
    """What a goal (agent empty), or one agent in it, may spend in a rolling window."""

    agent = word(64, help_text="Empty for the whole goal.")
    share = models.FloatField(
        default=1.0, help_text="Part of the window that may be worked, 0 to 1; 0 pauses the goal."
    )
    window_hours = models.PositiveIntegerField(default=24)
    slot_minutes = models.PositiveIntegerField(default=15)
    slots = models.PositiveIntegerField(
        null=True, blank=True, help_text="Slots per window, instead of share x window / slot."
    )
    token_budget = models.PositiveBigIntegerField(null=True, blank=True)
    cost_budget_micros = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Millionths of a US dollar per window."
    )
    active_hours = models.JSONField(
        null=True, blank=True, help_text='Such as {"mon": [["09:00", "18:00"]]}; empty: always.'
    )
    time_zone = word(60, default="UTC")
    burst_slots = models.PositiveIntegerField(default=0)
    burst_until = moment()

    class Meta:
        verbose_name = "quota policy"
        verbose_name_plural = "quota policies"
        constraints = [
            models.UniqueConstraint(fields=["goal", "agent"], name="kanban_policy_agent"),
            models.CheckConstraint(
                condition=Q(share__gte=0, share__lte=1), name="kanban_policy_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.goal}: {self.agent or 'the whole goal'}"


class Entry(OfGoal):
    ref = word(20)
    agent = word(64)
    turn = word(40)
    todo = word(20)
    status = word(10, default="reserved")
    slots = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost_micros = models.PositiveBigIntegerField(default=0)
    outcome = word(20)
    at = moment()
    settled_at = moment()
    note = text()

    class Meta:
        verbose_name = "quota entry"
        verbose_name_plural = "quota entries"
        constraints = [
            models.UniqueConstraint(fields=["goal", "ref"], name="kanban_entry_ref"),
        ]
        indexes = [models.Index(fields=["goal", "at"], name="kanban_entry_window")]

    def __str__(self) -> str:
        return f"{self.ref}: {self.slots} slots {self.status}"
