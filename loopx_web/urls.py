"""Every address of the application: the board, the API, projections, the admin."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("kanban.api.urls")),
    path("projections/", include("projections.urls")),
    path("", include("kanban.views.urls")),
]
