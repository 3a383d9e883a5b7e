"""A sign-in link works once; opening it changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from kanban.transitions.people import mint_sign_in_link

pytestmark = pytest.mark.django_db(transaction=True)


def link(age: timedelta = timedelta()) -> str:
    token = mint_sign_in_link(datetime.now(UTC) - age)
    return f"/sign-in/{token.rpartition('/')[2]}"


def test_opening_the_link_does_not_use_it_up() -> None:
    path = link()
    for _ in range(3):
        preview = Client().get(path)
        assert preview.status_code == 200
        assert "_auth_user_id" not in preview.client.session
    assert Client().post(path)["Location"] == "/"


def test_pressing_the_button_signs_in_once() -> None:
    path, client = link(), Client()
    client.post(path)
    assert client.get("/").status_code == 200
    second = Client().post(path)
    assert second.status_code == 403
    assert "no longer works" in second.content.decode()


def test_an_old_link_is_refused() -> None:
    assert Client().post(link(timedelta(minutes=11))).status_code == 403


def test_signing_out() -> None:
    client = Client()
    client.post(link())
    assert client.get("/sign-out").status_code == 405
    client.post("/sign-out")
    assert client.get("/").status_code == 302


def test_forms_are_protected_against_other_sites() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(link()).status_code == 403
