"""The Chinese catalogue is complete, compiled from its source, and wins over Django's own words."""

from __future__ import annotations

import ast
import gettext as files
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils import translation
from django.utils.translation import templatize

ROOT = Path(__file__).resolve().parents[3]
CATALOGUE = ROOT / "kanban" / "locale" / "zh_Hans" / "LC_MESSAGES"
CALLS = {"gettext", "gettext_lazy", "_", "ngettext", "pgettext"}
LANGUAGE = "zh-hans"


def entries() -> dict[str, str]:
    """msgid → msgstr of the source; a plural entry has one form in Chinese."""
    text = (CATALOGUE / "django.po").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for block in text.split("\n\n")[1:]:
        asked = re.search(r"^msgid ((?:\".*\"\n?)+)", block, re.M)
        said = re.search(r"^msgstr(?:\[0\])? ((?:\".*\"\n?)+)", block, re.M)
        assert asked and said, block
        found[_joined(asked[1])] = _joined(said[1])
    return found


def _joined(quoted: str) -> str:
    return "".join(ast.literal_eval(line) for line in quoted.strip().splitlines())


def in_code() -> Iterator[tuple[str, str]]:
    paths = [*(ROOT / "kanban").rglob("*.py")]
    templates = [p for p in (ROOT / "templates").rglob("*.html") if "projections" not in p.parts]
    for path in paths:
        yield from _messages(path.read_text(encoding="utf-8"), path)
    for path in templates:
        # Django's own step from a template to text that looks like calls of gettext.
        yield from _template_messages(templatize(path.read_text(encoding="utf-8")), path)


def _messages(source: str, path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            for argument in node.args[: 2 if node.func.id == "ngettext" else 1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value, path.name
                    break


def _template_messages(calls: str, path: Path) -> Iterator[tuple[str, str]]:
    for found in re.finditer(
        r"\b(?:gettext|ngettext|_)\(\s*u?(\"\"\"|'''|\"|')(.*?)\1", calls, re.S
    ):
        yield found[2].replace('\\"', '"'), path.name


def test_every_string_has_an_entry() -> None:
    known = entries()
    assert sorted({(text, where) for text, where in in_code() if text not in known}) == []


def test_no_entry_is_left_in_english() -> None:
    empty = [asked for asked, said in entries().items() if not said.strip()]
    same = [asked for asked, said in entries().items() if said == asked]
    assert (empty, same) == ([], [])


def test_placeholders_survive_translation() -> None:
    pattern = re.compile(r"\{\w*\}|%\(\w+\)s|</?strong>")
    lost = {
        asked
        for asked, said in entries().items()
        if {*pattern.findall(said)} - {*pattern.findall(asked)}
        or {*pattern.findall(asked)} - {*pattern.findall(said)} - {"{n}"}
    }
    assert lost == set()


def test_the_compiled_catalogue_is_of_this_source() -> None:
    with (CATALOGUE / "django.mo").open("rb") as file:
        compiled = files.GNUTranslations(file)
    assert {asked: compiled.gettext(asked) for asked in entries()} == {
        asked: said if not _is_plural(asked) else compiled.gettext(asked)
        for asked, said in entries().items()
    }


def _is_plural(asked: str) -> bool:
    text = (CATALOGUE / "django.po").read_text(encoding="utf-8")
    return f'msgid "{asked}"\nmsgid_plural' in text


@pytest.mark.parametrize("asked", sorted(entries()))
def test_no_other_application_says_it_otherwise(asked: str) -> None:
    if _is_plural(asked):
        return
    with translation.override(LANGUAGE):
        assert translation.gettext(asked) == entries()[asked]


def test_a_template_speaks_chinese() -> None:
    with translation.override(LANGUAGE):
        shown = Template("{% load i18n %}{% translate 'Needs you' %}").render(Context())
    assert shown == "等你处理"
