"""Who may talk to the web process, how much at once, and what a browser may do with the answer."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.http.response import HttpResponseBase

from loopx_web import refusals
from loopx_web.refusals import Refused

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
BODY_LIMIT = 1024 * 1024

# No nonces and no 'unsafe-…': there is no inline script or style anywhere, the admin included.
CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class SecurityMiddleware:
    """The first middleware: it also covers static files, errors and the admin."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            check(request)
        except Refused as refused:
            response: HttpResponseBase = refusal(refused)
        else:
            response = self.get_response(request)
        return protect(request, response)


def check(request: HttpRequest) -> None:
    """Raises what is wrong with the envelope of a request."""
    check_host(host_of(request))
    if request.method not in SAFE_METHODS and not carries_bearer(request):
        check_origin(request)
    check_length(request.META.get("CONTENT_LENGTH") or "0")


def host_of(request: HttpRequest) -> str:
    """The front refuses a request without Host; under another server its own name stands for it."""
    host: str = request.META.get("HTTP_HOST") or request.META["SERVER_NAME"]
    return host


def check_host(host: str) -> None:
    """A page that re-points its own name to this address fails here, also on GET and static."""
    if not host:
        raise refusals.bad_request("The request has no Host header.")
    domain, _port = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        raise refusals.foreign_host(host[:200])


def carries_bearer(request: HttpRequest) -> bool:
    """No page of another origin can send this header without CORS, which is never granted."""
    authorization: str = request.META.get("HTTP_AUTHORIZATION", "")
    return authorization.lower().startswith("bearer ")


def check_origin(request: HttpRequest) -> None:
    """Ports do not count for cookies or for `same-site`, so only the same origin will do."""
    site = request.META.get("HTTP_SEC_FETCH_SITE")
    origin = request.META.get("HTTP_ORIGIN")
    if site is not None and site not in ("same-origin", "none"):
        raise refusals.foreign_origin(origin or site)
    if origin is not None and not is_own(origin, host_of(request)):
        raise refusals.foreign_origin(origin[:200])


def is_own(origin: str, host: str) -> bool:
    trusted: list[str] = settings.CSRF_TRUSTED_ORIGINS
    if origin in trusted:
        return True
    # A proxy in front may have ended TLS, so the scheme of the origin may differ from ours.
    scheme, _, netloc = origin.lower().partition("://")
    usual = {"http": ":80", "https": ":443"}.get(scheme)
    return usual is not None and netloc.removesuffix(usual) == host.lower().removesuffix(usual)


def check_length(length: str) -> None:
    if not (length.isascii() and length.isdigit()):
        raise refusals.bad_request("Content-Length is not a number.")
    # Python refuses to read a number of thousands of digits.
    if len(length) > 12 or int(length) > BODY_LIMIT:
        raise refusals.too_large(BODY_LIMIT)


def refusal(refused: Refused) -> HttpResponse:
    return HttpResponse(
        refused.body(),
        status=refused.status,
        content_type="application/problem+json",
        headers={"Cache-Control": "no-store", **refused.headers},
    )


def protect(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not (response.has_header("Cache-Control") or response.has_header("ETag")):
        response.headers["Cache-Control"] = "no-store"
    if request.is_secure():
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response
