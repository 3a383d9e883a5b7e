"""The authority: state, rules, API, board, admin."""

from __future__ import annotations

from django.apps import AppConfig


class KanbanConfig(AppConfig):
    name = "kanban"
    verbose_name = "LoopX"
