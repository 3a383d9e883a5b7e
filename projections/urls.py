"""Addresses under /projections/."""

from __future__ import annotations

from django.urls import path

from projections import views

urlpatterns = [
    path("", views.projections, name="projections"),
    path("<slug:slug>/", views.projection, name="projection"),
    path("<slug:slug>/preview", views.preview, name="projection-preview"),
    path("<slug:slug>/act", views.act, name="projection-act"),
]
