"""The link that `loopx serve` prints, opened in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import sign_in
from tests.serving import ServerProcess

pytestmark = pytest.mark.browser


def test_the_printed_link_signs_the_owner_in_once(server: ServerProcess, page: Page) -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    sign_in(page, server.first_sign_in)
    expect(page).to_have_url(f"{server.url}/")
    expect(page.get_by_role("main")).to_be_visible()
    assert [text for text in refused if "Content Security Policy" in text] == []

    page.context.clear_cookies()
    page.goto(server.first_sign_in)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("main")).to_contain_text("loopx sign-in")
    assert page.url == server.first_sign_in


def test_a_stranger_is_asked_to_sign_in(server: ServerProcess, page: Page) -> None:
    page.goto(f"{server.url}/")
    expect(page).to_have_url(f"{server.url}/sign-in/?next=/")


def test_a_fresh_link_signs_in(owner_page: Page, server: ServerProcess) -> None:
    expect(owner_page).to_have_url(f"{server.url}/")
