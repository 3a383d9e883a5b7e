"""What users rely on is documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def variables() -> list[str]:
    """LOOPX_* names that the code spells out as strings."""
    found: set[str] = set()
    for package in ("loopx_web", "kanban", "projections"):
        for path in (ROOT / package).rglob("*.py"):
            found |= set(re.findall(r'"(LOOPX_[A-Z_]*[A-Z])"', path.read_text(encoding="utf-8")))
    return sorted(found)


def test_the_search_finds_variables() -> None:
    assert {"LOOPX_DATA_DIR", "LOOPX_TOKEN", "LOOPX_PORT"} <= set(variables())


@pytest.mark.parametrize("name", variables())
def test_every_variable_is_documented(name: str) -> None:
    assert f"`{name}`" in OPERATIONS


def test_no_variable_is_documented_that_nothing_reads() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for package in ("loopx_web", "kanban", "projections", "tests")
        for path in (ROOT / package).rglob("*.py")
    )
    named = set(re.findall(r"`(LOOPX_[A-Z_]*[A-Z])`", OPERATIONS))
    # The client makes some names out of others: LOOPX_ + the setting's name.
    assert {name for name in named if name not in code} <= {"LOOPX_GOAL", "LOOPX_AGENT"}


def test_the_changelog_has_its_three_headings_on_top() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^##.*", text, re.MULTILINE)[:4] == [
        "## Unreleased",
        "### Breaking",
        "### Added",
        "### Fixed",
    ]
