"""The addresses under /api/v1; whatever else stands there is a problem, too."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path, re_path

from kanban.api.envelope import enveloped
from kanban.api.errors import no_such_path
from kanban.api.service import api


def _patterns() -> list[Any]:
    patterns, app_name, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = enveloped(pattern.callback)
    return [path("", (patterns, app_name, namespace))]


urlpatterns = [*_patterns(), re_path(r"^(?P<rest>.*)$", enveloped(no_such_path))]
