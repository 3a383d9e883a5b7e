"""Rooms that promise to use the standard library only; the other rules are in pyproject.toml."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = {"loopx_web.client": ROOT / "loopx_web/client", "kanban.kernel": ROOT / "kanban/kernel"}


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and module of every import, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{name.name}") for name in node.names)


def foreign(room: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in sorted(ROOMS[room].rglob("*.py"))
        for line, module in imported(path)
        if module.split(".")[0] not in sys.stdlib_module_names
        and f"{module}.".find(f"{room}.") != 0
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_uses_the_standard_library_only(room: str) -> None:
    assert foreign(room) == []


def test_the_top_package_costs_nothing_to_import() -> None:
    assert (ROOT / "loopx_web" / "__init__.py").read_text(encoding="utf-8").strip() == ""
