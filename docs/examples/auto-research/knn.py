"""Exact nearest neighbours: every distance is computed, ties go to the earlier training row."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from heapq import nsmallest
from operator import sub
from statistics import fmean, pstdev

from dataset import Pixels, Rows

Change = Callable[[Pixels], Pixels]
Distance = Callable[[Pixels, Pixels], float]
Vote = tuple[float, int]
SIDE = 8
SHIFTS = {"none": 0.0, "quarter": 0.25, "half": 0.5}
NEIGHBOURING = ((0, 1), (1, 0), (0, -1), (-1, 0))
WORDS = {
    "manhattan": "Manhattan distance",
    "chebyshev": "Chebyshev distance",
    "distance": "votes by distance",
    "standard": "standardised pixels",
    "unit": "unit length",
    "quarter": "quarter-pixel shifts",
    "half": "half-pixel shifts",
}


@dataclass(frozen=True)
class Setup:
    """One candidate: how rows are compared, and how the neighbours vote.

    The defaults are the baseline: five neighbours, as in the best-known libraries.
    """

    k: int = 5
    metric: str = "euclidean"
    weighting: str = "uniform"
    scaling: str = "raw"
    shifts: str = "none"

    @property
    def title(self) -> str:
        parts = (self.metric, self.weighting, self.scaling, self.shifts)
        return ", ".join([f"k={self.k}", *(WORDS[part] for part in parts if part in WORDS)])

    @property
    def as_dict(self) -> dict[str, int | str]:
        return asdict(self)


@dataclass(frozen=True)
class Score:
    correct: int
    total: int

    @property
    def accuracy(self) -> float:
        return round(self.correct / self.total, 4)

    def __str__(self) -> str:
        return f"{self.correct} of {self.total}"


def evaluate(setup: Setup, training: Rows, questions: Rows) -> Score:
    """Counts right answers; whatever is learned comes from the training rows alone."""
    known = shifted(training, SHIFTS[setup.shifts])
    scale = SCALINGS[setup.scaling](training.pixels)
    distance, vote = METRICS[setup.metric], WEIGHTINGS[setup.weighting]
    rows = [scale(pixels) for pixels in known.pixels]
    correct = 0
    for pixels, truth in zip(questions.pixels, questions.labels, strict=True):
        asked = scale(pixels)
        distances = [distance(asked, row) for row in rows]
        nearest = nsmallest(setup.k, range(len(rows)), key=distances.__getitem__)
        correct += vote([(distances[row], known.labels[row]) for row in nearest]) == truth
    return Score(correct, len(questions))


def shifted(training: Rows, by: float) -> Rows:
    """The training rows and, if `by` is not 0, their copies moved by that part of a pixel."""
    if not by:
        return training
    pixels: list[Pixels] = []
    labels: list[int] = []
    for row, label in zip(training.pixels, training.labels, strict=True):
        pixels += [row, *(_moved(row, down, right, by) for down, right in NEIGHBOURING)]
        labels += [label] * (1 + len(NEIGHBOURING))
    return Rows(tuple(pixels), tuple(labels))


def _moved(row: Pixels, down: int, right: int, by: float) -> Pixels:
    def at(line: int, column: int) -> float:
        inside = 0 <= line < SIDE and 0 <= column < SIDE
        return row[line * SIDE + column] if inside else 0.0

    return tuple(
        (1 - by) * at(line, column) + by * at(line + down, column + right)
        for line in range(SIDE)
        for column in range(SIDE)
    )


def _manhattan(one: Pixels, other: Pixels) -> float:
    return float(sum(map(abs, map(sub, one, other))))


def _chebyshev(one: Pixels, other: Pixels) -> float:
    return float(max(map(abs, map(sub, one, other))))


METRICS: dict[str, Distance] = {
    "euclidean": math.dist,
    "manhattan": _manhattan,
    "chebyshev": _chebyshev,
}


def _uniform(ranked: list[Vote]) -> int:
    return _heaviest([(1.0, label) for _, label in ranked])


def _by_distance(ranked: list[Vote]) -> int:
    same = [(1.0, label) for distance, label in ranked if distance == 0]
    return _heaviest(same or [(1 / distance, label) for distance, label in ranked])


def _heaviest(votes: list[Vote]) -> int:
    weight: dict[int, float] = defaultdict(float)
    for value, label in votes:
        weight[label] += value
    # The labels stand in order of nearness and max keeps the first of equals.
    return max(weight, key=weight.__getitem__)


WEIGHTINGS: dict[str, Callable[[list[Vote]], int]] = {
    "uniform": _uniform,
    "distance": _by_distance,
}


def _raw(training: Sequence[Pixels]) -> Change:
    return lambda pixels: pixels


def _standard(training: Sequence[Pixels]) -> Change:
    columns = list(zip(*training, strict=True))
    means = [fmean(column) for column in columns]
    spreads = [pstdev(column) or 1.0 for column in columns]

    def change(pixels: Pixels) -> Pixels:
        centred = map(sub, pixels, means)
        return tuple(value / spread for value, spread in zip(centred, spreads, strict=True))

    return change


def _unit(training: Sequence[Pixels]) -> Change:
    """Length one: Euclidean order on these is the order of cosine similarity."""

    def change(pixels: Pixels) -> Pixels:
        length = math.hypot(*pixels) or 1.0
        return tuple(value / length for value in pixels)

    return change


SCALINGS: dict[str, Callable[[Sequence[Pixels]], Change]] = {
    "raw": _raw,
    "standard": _standard,
    "unit": _unit,
}
