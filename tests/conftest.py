"""Fixtures for every test: a real server process, a real browser."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests import chromium
from tests.serving import ServerProcess

ARTIFACTS = Path(__file__).parent / "artifacts"

StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="module")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """`start_server(*flags, extra={…}, data_dir=…)`: a running `loopx serve`."""
    with ExitStack() as stack:

        def start(
            *flags: str, extra: dict[str, str] | None = None, data_dir: Path | None = None
        ) -> ServerProcess:
            directory = data_dir or tmp_path_factory.mktemp("data")
            return stack.enter_context(ServerProcess(directory, *flags, extra=extra))

        yield start


@pytest.fixture(scope="module")
def server(start_server: StartServer) -> ServerProcess:
    """One server for the module, without a worker."""
    return start_server("--no-worker")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    # Its sync API runs a loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The Chromium of this machine."""
    path = chromium.find_chromium()
    if path is None:
        pytest.fail(chromium.MISSING, pytrace=False)
    launched = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
    yield launched
    launched.close()


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh page in a fresh profile; a screenshot is kept where its test fails."""
    context = browser.new_context()
    opened = context.new_page()
    failed_before = request.session.testsfailed
    yield opened
    if request.session.testsfailed > failed_before:
        ARTIFACTS.mkdir(exist_ok=True)
        opened.screenshot(path=ARTIFACTS / f"{request.node.name}.png", full_page=True)
    context.close()


@pytest.fixture
def owner_page(page: Page, server: ServerProcess) -> Page:
    """A page on which the owner of `server` has signed in."""
    sign_in(page, server.sign_in_link())
    return page


def sign_in(page: Page, link: str) -> None:
    """Opens a one-time link and presses its button, which is what uses it up."""
    page.goto(link)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
