"""Boards elsewhere: where they are, how far they are, what each row last held, what was asked."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

SLUG = RegexValidator(r"^[a-z0-9][a-z0-9-]{0,79}$", _("Lower-case letters, digits and hyphens."))


class Board(models.Model):
    """One target. Nothing is sent before a person has switched it on."""

    SINKS: ClassVar = [("feishu", "Feishu")]
    LANGUAGES: ClassVar = [("en", "English"), ("zh-hans", "简体中文")]
    AUDIENCES: ClassVar = [("stakeholder", _("stakeholder")), ("outside", _("outside"))]
    LINKS: ClassVar = [("tenant", _("anyone in the tenant")), ("closed", _("named people only"))]
    HEALTH: ClassVar = [
        ("new", _("not set up")),
        ("ok", _("in order")),
        ("degraded", _("in order, with a finding")),
        ("retrying", _("trying again")),
        ("broken", _("needs a person")),
    ]

    slug = models.CharField(max_length=80, unique=True, validators=[SLUG])
    title = models.CharField(max_length=255)
    sink = models.CharField(max_length=20, choices=SINKS, default="feishu")
    language = models.CharField(max_length=10, choices=LANGUAGES, default="en")
    audience = models.CharField(max_length=20, choices=AUDIENCES, default="stakeholder")
    link_sharing = models.CharField(max_length=10, choices=LINKS, default="tenant")
    viewers = models.JSONField(default=list, blank=True)
    enabled = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    place = models.JSONField(default=dict, blank=True)

    health = models.CharField(max_length=10, choices=HEALTH, default="new")
    error_code = models.CharField(max_length=40, blank=True)
    error_detail = models.TextField(blank=True)
    error_remedy = models.TextField(blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(null=True, blank=True)
    synced_at = models.DateTimeField(null=True, blank=True)
    withheld = models.PositiveIntegerField(default=0)

    lease_holder = models.CharField(max_length=120, blank=True)
    lease_epoch = models.PositiveBigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["slug"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(lease_holder="") | Q(lease_until__isnull=False),
                name="projections_board_lease_has_end",
            )
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def url(self) -> str:
        return str(self.place.get("url", ""))


class Watch(models.Model):
    """A goal that a board shows, and the goal's event version up to which it was confirmed."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="watches")
    goal = models.CharField(max_length=200, db_index=True)
    cursor = models.PositiveBigIntegerField(default=0)
    compared_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["goal"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["board", "goal"], name="projections_watch_once")
        ]

    def __str__(self) -> str:
        return f"{self.board} ← {self.goal}"


class Attempt(models.Model):
    """A create on its way: stored with its token and body before it is sent for the first time."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="attempts")
    table = models.CharField(max_length=40)
    client_token = models.UUIDField(unique=True)
    rows = models.JSONField()  # [{key, goal, digest, cells}]
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"{self.board} {self.table} {self.client_token}"


class Row(models.Model):
    """A row known to stand in the sink. An empty digest: written without a confirmed answer."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="rows")
    table = models.CharField(max_length=40)
    key = models.CharField(max_length=300)
    goal = models.CharField(max_length=200)
    record_id = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, blank=True)
    written_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["board", "table", "key"], name="projections_row_once"),
            models.UniqueConstraint(
                fields=["board", "table", "record_id"], name="projections_row_record_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["board", "table", "goal"], name="projections_row_goal")
        ]

    def __str__(self) -> str:
        return self.key


class Request(models.Model):
    """Something a person asked for; the worker runs it and leaves its report."""

    ACTIONS: ClassVar = [
        ("setup", _("set-up")),
        ("preview", _("preview")),
        ("sync", _("sync")),
        ("doctor", _("check")),
    ]
    STATUSES: ClassVar = [
        ("queued", _("waits for the worker")),
        ("running", _("running")),
        ("done", _("done")),
        ("failed", _("failed")),
    ]

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="requests")
    action = models.CharField(max_length=12, choices=ACTIONS)
    execute = models.BooleanField(default=False)
    status = models.CharField(max_length=10, choices=STATUSES, default="queued")
    by = models.CharField(max_length=200)
    report = models.JSONField(null=True, blank=True)
    error = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["status"], name="projections_request_status")]

    def __str__(self) -> str:
        return f"{self.action} {self.board} ({self.status})"
