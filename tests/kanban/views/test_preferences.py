"""Theme and language are cookies; the server writes them into the page, so nothing flashes."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def chosen(client: Client, **given: str) -> str:
    client.post("/preferences", given)
    return client.get("/sign-in/").content.decode()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_is_written_by_the_server(theme: str, client: Client) -> None:
    assert f'data-theme="{theme}"' in chosen(client, theme=theme)


def test_system_and_nonsense_write_none(client: Client) -> None:
    chosen(client, theme="dark")
    assert "data-theme=" not in chosen(client, theme="system")
    assert "data-theme=" not in chosen(client, theme='"><script>')


def test_language_wins_over_the_browsers() -> None:
    browser = Client(headers={"Accept-Language": "en-US"})
    text = chosen(browser, language="zh-hans")
    assert '<html lang="zh-Hans"' in text
    assert "登录" in text
    assert '<html lang="en"' in chosen(browser, language="en")


def test_without_a_choice_the_browser_decides() -> None:
    text = Client(headers={"Accept-Language": "zh-CN,zh;q=0.9"}).get("/sign-in/").content.decode()
    assert '<html lang="zh-Hans"' in text


@pytest.mark.parametrize("wanted", ["//evil.example", "https://evil.example/", "javascript:x"])
def test_it_leads_nowhere_else(wanted: str, client: Client) -> None:
    response = client.post("/preferences", {"theme": "dark", "next": wanted})
    assert response["Location"] == "/"
