"""Rendering is pure, allowed field by field, in the board's language."""

from __future__ import annotations

from dataclasses import fields

import pytest

from kanban.kernel.lanes import LANES
from kanban.queries.projected import ProjectedCard
from projections import columns
from projections.render import AUDIENCES, CARRIED_BY, CELLS, UNCOMPARED, render
from tests.projections.conftest import NOW


def card(**facts: object) -> ProjectedCard:
    known: dict[str, object] = {
        "goal": "apollo",
        "ref": "T1",
        "kind": "advancement",
        "title": "Baseline",
        "lane": "working",
        "priority": 1,
        "rank": "m",
        "owner": "executor",
        "waits_for": ("T2", "G1"),
        "verdict": "supports",
        "fresh": True,
        "evidence": "0.94 on validation",
        "handoff": "evaluator",
        "updated": NOW,
    }
    return ProjectedCard(**{**known, **facts})  # type: ignore[arg-type]


def test_every_field_of_a_card_has_a_rule() -> None:
    assert {field.name for field in fields(ProjectedCard)} == set(CARRIED_BY)
    carried = {column for rule in CARRIED_BY.values() for column in rule}
    assert carried == set(CELLS) == {column.key for column in columns.cards_table("en").columns}
    assert all(audience <= set(CELLS) for audience in AUDIENCES.values())


def test_every_lane_has_a_label() -> None:
    assert tuple(columns.LANES) == LANES


def test_cells() -> None:
    cells = render(card(), "stakeholder", "en").cells
    assert cells == {
        "key": "apollo/T1",
        "title": "Baseline",
        "kind": "Task",
        "status": "Working",
        "priority": "P1 high",
        "owner": "executor",
        "question": "",
        "answer": "",
        "waits_for": "T2, G1",
        "evidence": "supports (fresh): 0.94 on validation",
        "handoff": "evaluator",
        "updated": NOW,
        "goal": "apollo",
        "rank": "1·m",
    }


def test_an_audience_outside_sees_no_inner_workings() -> None:
    cells = render(card(), "outside", "en").cells
    assert {name for name, value in cells.items() if value is None} == {
        "owner",
        "waits_for",
        "evidence",
        "handoff",
    }


def test_a_moved_clock_alone_is_no_change() -> None:
    assert {"updated"} == UNCOMPARED
    later = card(updated=NOW.replace(hour=23))
    assert render(later, "stakeholder", "en").digest == render(card(), "stakeholder", "en").digest
    other = card(title="Other")
    assert render(other, "stakeholder", "en").digest != render(card(), "stakeholder", "en").digest


@pytest.mark.parametrize("title", ["=HYPERLINK(1)", "@import", "+1+1", "-2+cmd", " =1"])
def test_what_looks_like_a_formula_is_made_text(title: str) -> None:
    assert render(card(title=title), "stakeholder", "en").cells["title"] == f"'{title}"


@pytest.mark.parametrize("title", ["- a list", "a = b", "1+1", "— dash"])
def test_ordinary_titles_stay(title: str) -> None:
    assert render(card(title=title), "stakeholder", "en").cells["title"] == title


def test_private_text_is_withheld_with_a_mark_and_a_note() -> None:
    row = render(card(title="see /home/anna/notes.md", evidence="ask a@b.example"), "outside", "en")
    assert row.cells["title"] == "see [withheld: path]"
    assert row.withheld == (("title", "path"),)


def test_answers_and_questions() -> None:
    gate = card(
        ref="G1",
        kind="gate",
        priority=None,
        question="Publish?",
        options=("Yes", "Hold"),
        answer="Hold: later",
        rejected=False,
    )
    cells = render(gate, "stakeholder", "en").cells
    assert cells["question"] == "Publish?\n• Yes\n• Hold"
    assert cells["answer"] == "Hold: later"
    assert cells["priority"] is None


def test_labels_in_chinese() -> None:
    cells = render(card(title="see /home/anna/x"), "stakeholder", "zh-hans").cells
    assert (cells["status"], cells["kind"]) == ("进行中", "任务")
    assert cells["title"] == "see [已隐去: 路径]"
    table = columns.cards_table("zh-hans")
    assert [column.label for column in table.columns][:4] == ["编号", "标题", "类型", "状态"]
    labels = {choice.label for column in table.columns for choice in column.choices}
    assert cells["status"] in labels
