"""The client imports the standard library and itself: it runs where nothing else is installed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import loopx_web.client

ROOT = Path(loopx_web.client.__file__).parent


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield node.module or ""


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.stem)
def test_only_the_standard_library(path: Path) -> None:
    for name in imported(path):
        own = name == "loopx_web.client" or name.startswith("loopx_web.client.")
        assert own or name.partition(".")[0] in sys.stdlib_module_names, name


def test_the_packages_above_are_empty() -> None:
    # Whatever stood in loopx_web/__init__.py would be loaded by each `loopx should-run`.
    assert (ROOT.parent / "__init__.py").read_text(encoding="utf-8").strip() == ""
    assert (ROOT / "commands" / "__init__.py").read_text(encoding="utf-8").strip() == ""
