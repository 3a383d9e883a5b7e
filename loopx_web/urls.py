"""Every address of the application: the board, the API, projections, the admin."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from kanban.api.live import who
from kanban.api.service import api
from projections.api import router as projections_api

# The authority does not know its copies, so they are brought together here.
api.add_router("/projections", projections_api)

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("kanban.api.urls")),
    path("_live/who", who),
    path("projections/", include("projections.urls")),
    path("", include("kanban.views.urls")),
]

handler500 = "kanban.views.errors.server_error"
