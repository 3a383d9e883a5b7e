"""What a strict CSP forbids and what would keep a string from being translated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "kanban" / "static" / "js").glob("*.js"))

FORBIDDEN = {
    "inline script": re.compile(r"<script(?![^>]*\bsrc=)", re.I),
    "inline style": re.compile(r"<style|\sstyle\s*=", re.I),
    "event handler": re.compile(r"\son[a-z]+\s*=", re.I),
    "hx-on": re.compile(r"hx-on", re.I),
    "script in a value": re.compile(r"[\"'](?:javascript|js):", re.I),
    "trigger filter": re.compile(r"hx-trigger=\"[^\"]*\["),
    "another host": re.compile(r"(?:src|href|action)=[\"'](?:https?:)?//", re.I),
}
CODE = re.compile(r"<code>.*?</code>|\{% block body_class %\}[a-z -]*\{% endblock %\}", re.S)
TAG = re.compile(r"\{[%#{].*?[%#}]\}|<!--.*?-->|<[^>]*>|&[a-z]+;", re.S)
TRANSLATED = re.compile(r"\{% blocktranslate.*?\{% endblocktranslate %\}", re.S)
ATTRIBUTE = re.compile(r"(?:aria-label|placeholder|title|alt)=\"([^\"{]*[A-Za-z]{2}[^\"{]*)\"")
# The product's name, names of languages in themselves, and what a person types as it stands.
AS_IT_IS = re.compile(r"LoopX|English|loopx [a-z-]+")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.name))
def test_nothing_a_strict_policy_forbids(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [what for what, pattern in FORBIDDEN.items() if pattern.search(text)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.name))
def test_every_word_can_be_translated(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    bare = AS_IT_IS.sub("", TAG.sub(" ", CODE.sub(" ", TRANSLATED.sub(" ", text))))
    assert re.findall(r"[A-Za-z]{2,}", bare) == []
    assert ATTRIBUTE.findall(TRANSLATED.sub(" ", text)) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.name))
def test_scripts_need_no_eval_and_write_no_markup(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\beval\(|new Function|innerHTML|outerHTML|\.style\b", text)
