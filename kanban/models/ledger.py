"""The event log and the receipts of requests that were carried out."""

from __future__ import annotations

from django.db import models

from kanban.models.base import OfGoal, word


class Event(OfGoal):
    id = models.BigAutoField(primary_key=True)
    version = models.PositiveBigIntegerField()
    kind = word(40)
    actor = word()
    subject = word()
    data = models.TextField()
    texts = models.TextField(default="{}")
    at = models.DateTimeField()
    request_id = word(100)
    prev_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["goal", "version"], name="kanban_event_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.kind}"


class StoredReceipt(models.Model):
    """What a caller's idempotency key answered the first time; kept at least 30 days."""

    caller = models.CharField(max_length=200)
    route = models.CharField(max_length=300)
    key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64)
    receipt = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "route", "key"], name="kanban_receipt_key"),
        ]
        indexes = [models.Index(fields=["at"], name="kanban_receipt_age")]

    def __str__(self) -> str:
        return f"{self.caller} {self.route}"
