from __future__ import annotations

import math

import dataset
import pytest
from dataset import Rows
from knn import Score, Setup, evaluate, shifted

BLANK = (0.0,) * 64


def spot(position: int, ink: float = 16.0) -> tuple[float, ...]:
    return (*BLANK[:position], ink, *BLANK[position + 1 :])


def test_the_nearest_row_answers() -> None:
    training = Rows((spot(0), spot(63)), (1, 2))
    asked = Rows((spot(0, 12.0), spot(63, 12.0)), (1, 2))
    assert evaluate(Setup(k=1), training, asked) == Score(2, 2)


def test_of_equally_near_rows_the_earlier_answers() -> None:
    training = Rows((spot(0), spot(0)), (7, 3))
    assert evaluate(Setup(k=1), training, Rows((spot(0),), (7,))) == Score(1, 1)


def test_votes_by_distance_let_one_near_row_outweigh_two_far_ones() -> None:
    training = Rows((spot(0, 15.0), spot(0, 1.0), spot(0, 1.0)), (1, 2, 2))
    asked = Rows((spot(0),), (1,))
    assert evaluate(Setup(k=3), training, asked).correct == 0
    assert evaluate(Setup(k=3, weighting="distance"), training, asked).correct == 1


def test_unit_length_forgets_how_strongly_somebody_pressed() -> None:
    both = tuple(map(max, spot(0, 9.0), spot(1, 9.0)))
    training = Rows((spot(0, 2.0), both), (1, 2))
    asked = Rows((spot(0),), (1,))
    assert evaluate(Setup(k=1), training, asked).correct == 0
    assert evaluate(Setup(k=1, scaling="unit"), training, asked).correct == 1


def test_shifts_add_four_copies_that_keep_label_and_ink() -> None:
    moved = shifted(Rows((spot(27),), (5,)), 0.25)
    assert moved.labels == (5,) * 5
    assert {round(sum(pixels), 9) for pixels in moved.pixels} == {16.0}
    assert sorted(pixels[27] for pixels in moved.pixels) == [12.0] * 4 + [16.0]


def test_what_is_learned_comes_from_training_rows() -> None:
    training, asked = dataset.folds(0)
    few = Rows(asked.pixels[:5], asked.labels[:5])
    together = evaluate(Setup(scaling="standard"), training, few).correct
    alone = sum(
        evaluate(Setup(scaling="standard"), training, Rows((pixels,), (label,))).correct
        for pixels, label in zip(few.pixels, few.labels, strict=True)
    )
    assert together == alone


def test_neighbours_are_exact() -> None:
    """Against the plainest possible search over real rows."""
    training, asked = dataset.folds(1)
    some = Rows(asked.pixels[:40], asked.labels[:40])
    right = 0
    for pixels, label in zip(some.pixels, some.labels, strict=True):
        order = sorted(
            range(len(training)), key=lambda row: math.dist(pixels, training.pixels[row])
        )
        right += training.labels[order[0]] == label
    assert evaluate(Setup(k=1), training, some).correct == right


@pytest.mark.parametrize(
    ("setup", "fold", "correct"),
    [
        (Setup(), 0, 350),
        (Setup(), 1, 355),
        (Setup(k=1), 0, 353),
        (Setup(metric="chebyshev"), 0, 353),
        (Setup(metric="chebyshev"), 1, 349),
        (Setup(shifts="quarter"), 0, 354),
        (Setup(shifts="quarter"), 1, 357),
    ],
)
def test_the_figures_of_the_readme(setup: Setup, fold: int, correct: int) -> None:
    assert evaluate(setup, *dataset.folds(fold)).correct == correct


@pytest.mark.slow
def test_the_held_out_figures_of_the_readme() -> None:
    """For the winner that the folds chose, and the baseline: they are equal, and README says so."""
    rows = dataset.held_out()
    assert evaluate(Setup(shifts="quarter"), *rows) == Score(355, 360)
    assert evaluate(Setup(), *rows) == Score(355, 360)
