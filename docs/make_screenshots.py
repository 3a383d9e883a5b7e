"""Takes the pictures of the board for the README: `python docs/make_screenshots.py`.

Starts a server on a scratch directory with the sample goal, signs in, and writes
docs/images/board-light.png, board-dark.png and board-phone.png.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests import chromium  # noqa: E402
from tests.sample_database import make_sample  # noqa: E402
from tests.serving import ServerProcess  # noqa: E402

IMAGES = ROOT / "docs" / "images"
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


def picture(browser: Browser, link: str, path: str, name: str, size: ViewportSize) -> None:
    """Signs in with a one-time link and takes one picture of one page."""
    dark = name.endswith("dark")
    context = browser.new_context(
        viewport=size, color_scheme="dark" if dark else "light", has_touch=size is PHONE
    )
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.goto(link.partition("/sign-in/")[0] + path)
    page.locator("#live-pill").wait_for(state="attached")
    page.screenshot(path=IMAGES / f"{name}.png")
    context.close()


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        data_dir = Path(scratch) / "data"
        data_dir.mkdir()
        refs = make_sample(data_dir)
        board = f"/goals/{refs['slug']}/"
        browser = playwright.chromium.launch(
            executable_path=chromium.find_chromium(), args=list(chromium.FLAGS)
        )
        with ServerProcess(data_dir, "--no-worker") as server:
            for name, size in (("board-light", DESK), ("board-dark", DESK), ("board-phone", PHONE)):
                picture(browser, server.sign_in_link(), board, name, size)
        browser.close()


if __name__ == "__main__":
    main()
