"""Column shorthands: one spelling for words, references, lists and moments."""

from __future__ import annotations

from typing import Any

from django.db import models


def word(
    length: int = 200, *, default: str = "", help_text: str = ""
) -> models.CharField[str, str]:
    """A short name or code, empty unless `default` says otherwise."""
    return models.CharField(max_length=length, blank=True, default=default, help_text=help_text)


def text() -> models.TextField[str, str]:
    return models.TextField(blank=True, default="")


def items() -> models.JSONField[Any, Any]:
    """A JSON list."""
    return models.JSONField(blank=True, default=list)


def moment() -> models.DateTimeField[Any, Any]:
    return models.DateTimeField(null=True, blank=True)


class OfGoal(models.Model):
    """A row of one goal's state; its fields are those of the kernel's dataclass."""

    goal = models.ForeignKey("kanban.Goal", on_delete=models.CASCADE, related_name="+")

    class Meta:
        abstract = True
