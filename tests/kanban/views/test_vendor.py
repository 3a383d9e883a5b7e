from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[3] / "kanban" / "static" / "vendor"
ENTRIES = json.loads((VENDOR / "vendor.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["file"]))
def test_vendored_file_is_the_published_one(entry: dict[str, str]) -> None:
    digest = hashlib.sha384((VENDOR / entry["file"]).read_bytes()).digest()
    assert base64.b64encode(digest).decode() == entry["sha384"]
    assert entry["version"] in entry["file"]
    assert entry["integrity"].startswith("sha512-")
    assert (VENDOR / entry["licence_file"]).is_file()


def test_nothing_is_vendored_without_an_entry() -> None:
    listed = {entry["file"] for entry in ENTRIES} | {entry["licence_file"] for entry in ENTRIES}
    assert {path.name for path in VENDOR.iterdir()} == listed | {"vendor.json"}
