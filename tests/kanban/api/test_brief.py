"""Answers are made to fit, and what stands for something else stays whole."""

from __future__ import annotations

from kanban.kernel.brief import compact, fit


def test_what_fits_stays_as_it_is() -> None:
    body = {"ref": "T1", "title": "Short"}
    assert fit(body, 100) is body


def test_words_are_cut_by_bytes_and_named() -> None:
    body = {"ref": "T1", "tag": "G3@2.1", "question": "选择哪一个分类器？" * 200}
    short = fit(body, 300)
    assert len(compact(short)) <= 300
    assert (short["ref"], short["tag"]) == ("T1", "G3@2.1")
    assert short["question"].endswith("…")
    assert short["shortened"] == ["question"]


def test_commands_are_never_cut() -> None:
    commands = [f"loopx turn finish {number} --result completed" for number in range(30)]
    body = {"objective": "x" * 5000, "next": commands}
    assert fit(body, 1700)["next"] == commands


def test_long_lists_lose_their_tail() -> None:
    body = {"candidates": [f"T{number}" for number in range(1000)]}
    short = fit(body, 300)
    assert short["candidates"][0] == "T0"
    assert short["shortened"] == ["candidates"]
