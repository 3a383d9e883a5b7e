"""Theme and language of this browser, kept in cookies."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from kanban.views.frame import THEME_COOKIE, THEMES

YEAR = 365 * 24 * 3600


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    response = HttpResponseRedirect(next_url(request))
    theme, language = request.POST.get("theme"), request.POST.get("language")
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, max_age=YEAR, samesite="Lax", httponly=True)
    elif theme == "system":
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    if language in dict(settings.LANGUAGES):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, language, max_age=YEAR, samesite="Lax", httponly=True
        )
    return response


def next_url(request: HttpRequest, default: str = "/") -> str:
    """Where the form wants to go on, if that is on this site."""
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return wanted if wanted and safe else default
