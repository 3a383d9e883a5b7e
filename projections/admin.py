"""Projection targets in the administration: what a person may set, and where things stand."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from projections.models import Board, Watch


class WatchInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Watch
    extra = 1
    fields = ("goal", "cursor", "compared_at")
    readonly_fields = ("cursor", "compared_at")


@admin.register(Board)
class BoardAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("slug", "title", "sink", "language", "audience", "enabled", "health")
    list_filter = ("enabled", "health", "audience")
    inlines: ClassVar = [WatchInline]
    fields = (
        "slug",
        "title",
        "sink",
        "language",
        "audience",
        "link_sharing",
        "viewers",
        "enabled",
        "health",
        "error_detail",
        "error_remedy",
        "synced_at",
    )
    readonly_fields = ("health", "error_detail", "error_remedy", "synced_at")

    def save_model(self, request: HttpRequest, obj: Board, form: object, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)
        # Another audience or language: every card is rendered and compared anew.
        obj.watches.update(compared_at=None)
