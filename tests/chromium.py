"""Finds the Chromium or Chrome of this machine; `python -m tests.chromium` prints it or fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
PLACES = (
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
# No traffic but to the page under test, and no sandbox, which root cannot have.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = (
    "The browser tests need Chromium or Chrome, and none was found. Install one "
    "(Debian, Ubuntu: apt-get install chromium; macOS: brew install --cask chromium), "
    "or name its program in LOOPX_TEST_BROWSER."
)


def find_chromium() -> str | None:
    """The first browser that starts; LOOPX_TEST_BROWSER overrides."""
    return next((path for path in _candidates() if _starts(path)), None)


def _candidates() -> Iterator[str]:
    named = os.environ.get("LOOPX_TEST_BROWSER")
    if named:
        yield named
        return
    for command in COMMANDS:
        if path := shutil.which(command):
            yield path
    yield from (path for path in PLACES if os.access(path, os.X_OK))
    yield from _of_playwright()


def _of_playwright() -> Iterator[str]:
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache/ms-playwright"))
    for program in ("chrome", "headless_shell", "Chromium"):
        yield from map(str, sorted(cache.glob(f"chromium*/*/**/{program}"), reverse=True))


def _starts(path: str) -> bool:
    # Ubuntu's /usr/bin/chromium-browser is a stub that only asks for a snap.
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


if __name__ == "__main__":
    found = find_chromium()
    named = os.environ.get("LOOPX_TEST_BROWSER")
    missing = f"LOOPX_TEST_BROWSER={named} is not a browser that starts." if named else MISSING
    print(found or missing, file=sys.stdout if found else sys.stderr)
    sys.exit(0 if found else 1)
