"""A server with the sample goal, and a page on which its owner is signed in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.sample_database import make_sample
from tests.serving import ServerProcess


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    directory = tmp_path / "data"
    directory.mkdir()
    return directory


@pytest.fixture
def refs(data_dir: Path) -> dict[str, str]:
    return make_sample(data_dir)


@pytest.fixture
def served(data_dir: Path, refs: dict[str, str]) -> Iterator[ServerProcess]:
    with ServerProcess(data_dir, "--no-worker") as server:
        yield server


class Signed:
    """Browser contexts of the owner, each with its complaints kept."""

    def __init__(self, browser: Browser, server: ServerProcess, goal: str) -> None:
        self.browser = browser
        self.server = server
        self.board = f"{server.url}/goals/{goal}/"
        self.complaints: list[str] = []
        self.contexts: list[BrowserContext] = []

    def page(self, **options: object) -> Page:
        context = self.browser.new_context(**options)  # type: ignore[arg-type]
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.server.sign_in_link())
        page.locator("main button").click()
        page.wait_for_url(f"{self.server.url}/")
        return page

    def _hear(self, message: object) -> None:
        text = getattr(message, "text", "")
        # Chromium reports every refusal (409, 422) as an error of the console.
        if getattr(message, "type", "") == "error" and "status of 4" not in text:
            self.complaints.append(text)


@pytest.fixture
def signed(browser: Browser, served: ServerProcess, refs: dict[str, str]) -> Iterator[Signed]:
    found = Signed(browser, served, refs["slug"])
    yield found
    for context in found.contexts:
        context.close()
    assert found.complaints == []
