"""Whatever the kernel can say, the board has words for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kanban.kernel.rules import RULES
from kanban.queries.card import Chip, Next
from kanban.queries.timeline import Entry
from kanban.views import sentences, why_words
from kanban.views.clock_words import duration
from kanban.views.events import event_words

KERNEL = Path(__file__).resolve().parents[3] / "kanban" / "kernel"
KIND = re.compile(r"(?:goal|criterion|member|quota|todo|lease|gate|turn|evidence|monitor)\.[a-z_]+")
NOW = datetime(2026, 6, 9, 10, 16, tzinfo=UTC)


def constants() -> Iterator[str]:
    for path in KERNEL.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


@pytest.mark.parametrize("kind", sorted({text for text in constants() if KIND.fullmatch(text)}))
def test_every_event_has_a_line(kind: str) -> None:
    entry = Entry(1, NOW, "agent:executor", kind, "T1", title="<b>Title</b>", agent="executor")
    line = event_words(entry)
    assert kind not in line
    assert "<b>Title" not in line


def test_every_rule_has_a_question() -> None:
    assert [name for name, _ in RULES if why_words.rule_question(name) == name] == []


def reasons() -> set[str]:
    """Every `reason` that a rule of the kernel may give."""
    found = {text for text in constants() if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text)}
    return found & {*why_words._REASONS}


def test_every_reason_has_words_and_a_remedy() -> None:
    for reason in reasons():
        assert why_words.reason_short(reason) != reason
        assert why_words.reason_words(reason).endswith(".")
        assert why_words.remedy_words(reason) not in ("", "–")


@pytest.mark.parametrize("code", sorted(sentences._SENTENCES))
def test_every_next_step_is_one_sentence_or_two(code: str) -> None:
    step = Next(code, who="executor", at=NOW, text="<i>the GPUs</i>", ref="G1", count=2)
    said = sentences.sentence(step)
    assert "<i>" not in said
    assert "{" not in said


@pytest.mark.parametrize("code", sorted(sentences._CHIPS))
def test_every_chip_has_words(code: str) -> None:
    assert sentences.chip_words(Chip(code, count=2, day=NOW.date()))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (7800, "2 h 10 min"),
        (86400, "1 day"),
        (3 * 86400, "3 days"),
    ],
)
def test_spans(seconds: float, words: str) -> None:
    assert duration(seconds) == words
