"""docs/api.md names every route, field of a body and code that there is."""

from __future__ import annotations

from pathlib import Path

from kanban.kernel.errors import CODES

DOCS = Path(__file__).parents[3] / "docs" / "api.md"


def test_every_route_is_documented(db: None) -> None:
    import loopx_web.urls  # noqa: F401
    from kanban.api.service import api

    text = DOCS.read_text(encoding="utf-8")
    paths = api.get_openapi_schema(path_prefix="/")["paths"]
    named = {f"{method.upper()} `{path}`" for path, methods in paths.items() for method in methods}
    assert {name for name in named if name not in text} == set()


def test_every_code_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert {code for code in CODES if f"`{code}`" not in text} == set()
