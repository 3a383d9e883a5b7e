"""Signing in by a one-time link: opening it shows a button, pressing it uses the link up."""

from __future__ import annotations

from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from kanban.kernel.errors import LoopxError
from kanban.queries import clock
from kanban.transitions.people import redeem_sign_in
from kanban.views.preferences import next_url


@require_safe
@never_cache
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return HttpResponseRedirect("/")
    return render(request, "sign_in.html")


@never_cache
def redeem(request: HttpRequest, token: str) -> HttpResponse:
    """GET changes nothing, so a link preview cannot use the link up."""
    if request.method != "POST":
        return render(request, "sign_in.html", {"token": token})
    try:
        user = redeem_sign_in(token, clock.now())
    except LoopxError as error:
        return render(request, "sign_in.html", {"refused": True}, status=error.status)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return HttpResponseRedirect(next_url(request))


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return HttpResponseRedirect("/sign-in/")
