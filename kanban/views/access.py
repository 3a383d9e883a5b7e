"""Who is asking: the signed-in person as the kernel's actor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from kanban.kernel.actor import Actor
from kanban.queries.people import person_actor
from kanban.views.errors import refused

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def person_required(view: View[P]) -> View[P]:
    """For signed-in people; a refusal of the kernel becomes a page or a fragment."""

    @wraps(view)
    @never_cache
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return refused(view)(request, *args, **kwargs)
        if request.headers.get("HX-Request"):
            response = HttpResponse(status=401)
            response["HX-Redirect"] = f"/sign-in/?next={request.path}"
            return response
        return redirect_to_login(request.get_full_path())

    return guarded


def actor_of(request: HttpRequest) -> Actor:
    return person_actor(request.user)
