"""Read-only copies of the board elsewhere."""

from __future__ import annotations

from django.apps import AppConfig


class ProjectionsConfig(AppConfig):
    name = "projections"
    verbose_name = "Projections"
