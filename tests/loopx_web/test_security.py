"""The middleware: hosts, origins, sizes and headers on every route, static files included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from loopx_web.security import BODY_LIMIT, CSP, HEADERS, SecurityMiddleware

OWN = "127.0.0.1:8765"
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.method} done", headers=dict(request.GET.items()))


def fails(_request: HttpRequest) -> HttpResponse:
    raise RuntimeError("secret-marker")


def plain(_request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return HttpResponse("no", status=404 if exception else 500)


urlpatterns = [path("page", page), path("fails", fails)]
handler404 = handler500 = plain


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    """Only what is tested here and the static files: no database, no session."""
    with override_settings(
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["127.0.0.1", "localhost", "[::1]"],
        MIDDLEWARE=[
            "loopx_web.security.SecurityMiddleware",
            "whitenoise.middleware.WhiteNoiseMiddleware",
        ],
    ):
        yield


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False, headers={"host": OWN})


class TestHost:
    @pytest.mark.parametrize(
        "host", [OWN, "127.0.0.1", "localhost", "localhost:9", "[::1]:8765", "LOCALHOST"]
    )
    def test_success(self, client: Client, host: str) -> None:
        assert client.get("/page", headers={"host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "127.0.0.1.evil.example",
            "evil.example:8765",
            "0.0.0.0",
            "localhost@evil.example",
            "evil.example#127.0.0.1",
            "127.0.0.1 ",
        ],
    )
    @pytest.mark.parametrize("route", ["/page", "/static/app.css", "/none"])
    def test_fail_on_every_route(self, client: Client, host: str, route: str) -> None:
        answer = client.get(route, headers={"host": host})
        assert answer.status_code == 421
        assert answer.json()["code"] == "host_not_allowed"
        assert "LOOPX_ALLOWED_HOSTS" in answer.json()["hint"]

    def test_a_name_of_the_owner(self, client: Client) -> None:
        with override_settings(ALLOWED_HOSTS=["board.example"]):
            assert client.get("/page", headers={"host": "board.example"}).status_code == 200


class TestOrigin:
    @pytest.mark.parametrize("method", UNSAFE)
    @pytest.mark.parametrize(
        "headers",
        [
            {"sec-fetch-site": "same-origin", "origin": f"http://{OWN}"},
            {"sec-fetch-site": "none"},
            {"origin": f"http://{OWN}"},
            {"origin": f"https://{OWN}"},
            {},
        ],
    )
    def test_success(self, client: Client, method: str, headers: dict[str, str]) -> None:
        assert client.generic(method, "/page", headers=headers).status_code == 200

    @pytest.mark.parametrize("method", UNSAFE)
    @pytest.mark.parametrize(
        "headers",
        [
            {"sec-fetch-site": "cross-site"},
            # Another port of this machine: cookies and `same-site` do not tell it apart.
            {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:3000"},
            {"origin": "http://127.0.0.1:3000"},
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": f"ftp://{OWN}"},
            {"sec-fetch-site": "same-origin", "origin": "http://evil.example"},
            {"sec-fetch-site": "nonsense"},
            {"sec-fetch-site": "cross-site", "authorization": "Basic YTpi"},
        ],
    )
    def test_fail(self, client: Client, method: str, headers: dict[str, str]) -> None:
        answer = client.generic(method, "/page", headers=headers)
        assert answer.status_code == 403
        assert answer.json()["code"] == "cross_origin"

    def test_a_bearer_needs_no_origin(self, client: Client) -> None:
        headers = {"sec-fetch-site": "cross-site", "authorization": "Bearer lxa_x"}
        assert client.post("/page", headers=headers).status_code == 200

    def test_reading_needs_no_origin(self, client: Client) -> None:
        assert client.get("/page", headers={"sec-fetch-site": "cross-site"}).status_code == 200

    def test_the_usual_port_may_be_left_out(self, client: Client) -> None:
        headers = {"host": "localhost:80", "origin": "http://localhost"}
        assert client.post("/page", headers=headers).status_code == 200

    def test_a_trusted_origin(self, client: Client) -> None:
        with override_settings(CSRF_TRUSTED_ORIGINS=["https://board.example"]):
            headers = {"origin": "https://board.example"}
            assert client.post("/page", headers=headers).status_code == 200


class TestLength:
    @pytest.mark.parametrize("length", ["", "0", str(BODY_LIMIT)])
    def test_success(self, client: Client, length: str) -> None:
        assert client.generic("POST", "/page", CONTENT_LENGTH=length).status_code == 200

    @pytest.mark.parametrize(
        ("length", "status", "code"),
        [
            (str(BODY_LIMIT + 1), 413, "too_large"),
            ("9" * 5000, 413, "too_large"),
            ("-1", 400, "bad_request"),
            ("1e3", 400, "bad_request"),
            ("٣", 400, "bad_request"),
        ],
    )
    def test_fail(self, length: str, status: int, code: str) -> None:
        request = RequestFactory(headers={"host": OWN}).get("/page")
        request.META["CONTENT_LENGTH"] = length
        answer: Any = SecurityMiddleware(page)(request)
        assert answer.status_code == status
        assert code in answer.content.decode()


class TestHeaders:
    @pytest.mark.parametrize("route", ["/page", "/static/app.css", "/none", "/fails"])
    def test_on_every_answer(self, client: Client, route: str) -> None:
        answer = client.get(route)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert "Access-Control-Allow-Origin" not in answer.headers

    def test_on_a_refusal(self, client: Client) -> None:
        answer = client.get("/page", headers={"host": "evil.example"})
        assert answer.headers["Content-Security-Policy"] == CSP
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.headers["Cache-Control"] == "no-store"

    def test_the_policy_allows_nothing_inline_and_nothing_foreign(self) -> None:
        assert CSP.startswith("default-src 'none'")
        assert not any(word in CSP for word in ("unsafe", "nonce", "http", "*"))

    def test_nothing_is_stored_unless_a_view_says_so(self, client: Client) -> None:
        assert client.get("/page").headers["Cache-Control"] == "no-store"
        assert "Cache-Control" not in client.get("/page?ETag=x").headers
        answer = client.get("/page?Cache-Control=max-age=5")
        assert answer.headers["Cache-Control"] == "max-age=5"

    def test_transport_security_only_over_tls(self, client: Client) -> None:
        assert "Strict-Transport-Security" not in client.get("/page").headers
        assert client.get("/page", secure=True).headers["Strict-Transport-Security"]

    def test_an_error_says_nothing_of_itself(self, client: Client) -> None:
        answer = client.get("/fails")
        assert answer.status_code == 500
        assert b"secret-marker" not in answer.content
