"""Small programs for the supervisor to run; each reports into the directory REPORTS names."""

from __future__ import annotations

import os
from pathlib import Path


def report(name: str, text: str = "") -> None:
    with (Path(os.environ["REPORTS"]) / name).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {text}\n")


def reports(directory: Path, name: str) -> list[str]:
    path = directory / name
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
