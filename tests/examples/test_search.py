from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from knn import Score, Setup
from search import (
    BASELINE,
    Figure,
    Task,
    figures,
    first_figure,
    found_in,
    leader,
    lines,
    repeat_fold,
    verdict,
)

FEW, SHIFTED = Setup(k=1), Setup(shifts="quarter")


@dataclass
class Proof:
    ref: str
    data: dict[str, Any]
    verdict: str = "supports"
    invalidated: dict[str, Any] | None = None
    supports: tuple[str, ...] = field(default=())


def proof(ref: str, todo: str, setup: Setup, fold: int, correct: int, **fields: Any) -> Proof:
    data = Figure(todo, setup, fold, Score(correct, 360)).data
    return Proof(ref, data, **fields)


def test_a_round_changes_the_leader_in_one_way_each() -> None:
    first = lines(1, BASELINE)
    assert [line.head for line in first] == [
        FEW,
        Setup(metric="chebyshev"),
        Setup(scaling="standard"),
        SHIFTED,
    ]
    assert all(line.follow_up and line.follow_up.k == 3 for line in first)
    assert all(line.head.shifts != "none" for line in lines(2, SHIFTED))
    assert lines(4, SHIFTED) == []


def test_no_round_repeats_on_the_fold_that_chose_its_candidates() -> None:
    assert [repeat_fold(number) for number in (1, 2, 3)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("correct", "expected"), [(351, "supports"), (350, "inconclusive"), (349, "contradicts")]
)
def test_verdict(correct: int, expected: str) -> None:
    assert verdict(Score(correct, 360), Score(350, 360)) == expected


def test_a_task_survives_the_body_of_a_todo() -> None:
    task = Task("judge", 1, "k=1", FEW, todo="T3", against="T1")
    assert Task.read(task.body("Words for people.")) == task


@pytest.mark.parametrize(
    "body", ["", "Please look at the plots.", "```json\n{}\n```", "```json\n["]
)
def test_a_todo_of_a_person_carries_no_task(body: str) -> None:
    assert Task.read(body) is None


def test_evidence_taken_back_gives_no_figure() -> None:
    taken_back = proof("E2", "T3", FEW, 0, 353, invalidated={"reason": "did not hold"})
    found = figures([taken_back, proof("E1", "T1", BASELINE, 0, 350), Proof("E3", {})])
    assert [figure.ref for figure in found] == ["E1"]
    with pytest.raises(LookupError, match="T3"):
        first_figure(found, "T3")


def test_the_leader_is_the_best_that_held() -> None:
    proofs = [
        proof("E1", "T1", BASELINE, 0, 350),
        proof("E2", "T3", FEW, 0, 353),
        proof("E3", "T5", SHIFTED, 0, 354),
        proof("E4", "T7", Setup(metric="chebyshev"), 0, 355),
        proof("E5", "T3", FEW, 1, 356),
        proof("E6", "T5", SHIFTED, 1, 357),
        proof("E7", "T7", Setup(metric="chebyshev"), 1, 349, verdict="contradicts"),
    ]
    found = figures(proofs)
    assert leader(found, 0).todo == "T1"
    assert leader(found, 1).todo == "T5"
    # Nothing held in round 2, so round 1 decides.
    assert leader(found, 2).todo == "T5"
    assert not found_in(found, 2)


def test_of_equal_finds_the_earlier_todo_leads_whoever_finished_first() -> None:
    one = [proof("E2", "T3", FEW, 0, 353), proof("E4", "T3", FEW, 1, 356)]
    other = [proof("E1", "T5", SHIFTED, 0, 353), proof("E3", "T5", SHIFTED, 1, 356)]
    assert leader(figures([*one, *other]), 1).todo == "T3"
