"""Projects, goals and their acceptance criteria."""

from __future__ import annotations

from django.db import models

from kanban.models.base import OfGoal, items, moment, text, word


class Project(models.Model):
    slug = models.SlugField(max_length=100, unique=True)
    title = word(300)
    repository = word(300)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.title or self.slug


class Goal(models.Model):
    slug = models.SlugField(max_length=100, unique=True)
    title = word(300)
    objective = text()
    non_goals = text()
    write_scope = items()
    project = word(100)
    follows = word(100)
    status = word(20, default="active")
    revision = models.PositiveIntegerField(default=1)
    sample = models.BooleanField(default=False)
    self_registration = models.BooleanField(default=False)
    closing_note = text()
    created_at = moment()
    created_by = word()
    closed_at = moment()
    version = models.PositiveBigIntegerField(default=0)
    head_hash = models.CharField(max_length=64, default="0" * 64)
    updated_at = moment()
    changed_at = moment()
    last_criterion = models.PositiveIntegerField(default=0)
    last_todo = models.PositiveIntegerField(default=0)
    last_gate = models.PositiveIntegerField(default=0)
    last_evidence = models.PositiveIntegerField(default=0)
    last_entry = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    status__in=["active", "paused", "stopped", "achieved", "abandoned"]
                ),
                name="kanban_goal_status",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.slug


class Criterion(OfGoal):
    ref = word(20)
    text = text()
    revision = models.PositiveIntegerField(default=1)
    removed = models.BooleanField(default=False)
    set_state = word(10)
    set_by = word()
    set_note = models.TextField(blank=True, default="")
    created_at = moment()
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "criteria"
        constraints = [
            models.UniqueConstraint(fields=["goal", "ref"], name="kanban_criterion_ref"),
        ]

    def __str__(self) -> str:
        return f"{self.ref} {self.text}"
