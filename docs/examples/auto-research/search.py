"""The search: which candidates a round tries, what a figure says, and which one leads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from knn import Score, Setup

Verdict = Literal["supports", "inconclusive", "contradicts"]

BASELINE = Setup()
FIRST_FOLD = 0
# One change to the leader each; a round repeats its finds on a fold of its own.
ROUNDS: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"k": 1}, {"metric": "chebyshev"}, {"scaling": "standard"}, {"shifts": "quarter"}),
    ({"scaling": "unit"}, {"shifts": "half"}, {"weighting": "distance"}),
    ({"metric": "manhattan"}, {"k": 7}),
)
FOLLOW_UP: dict[str, Any] = {"k": 3}
FENCE = "```"


@dataclass(frozen=True)
class Line:
    """A change to try and, where the round has one, what builds on it if it holds."""

    name: str
    head: Setup
    follow_up: Setup | None


def lines(number: int, leader: Setup) -> list[Line]:
    """The lines of round `number` (from 1), each one change away from the leader."""
    if number > len(ROUNDS):
        return []
    heads = [replace(leader, **change) for change in ROUNDS[number - 1]]
    first = number == 1
    return [
        Line(head.title, head, replace(head, **FOLLOW_UP) if first else None)
        for head in heads
        if head != leader
    ]


def repeat_fold(number: int) -> int:
    """The fold on which round `number` repeats: none of its candidates was chosen by it."""
    return FIRST_FOLD + number


def verdict(candidate: Score, other: Score) -> Verdict:
    """What two counts over the same rows say of "the candidate is better"."""
    if candidate.correct == other.correct:
        return "inconclusive"
    return "supports" if candidate.correct > other.correct else "contradicts"


@dataclass(frozen=True)
class Task:
    """What a todo's body carries for the agent that takes it."""

    role: Literal["measure", "judge", "propose", "compare", "promote"]
    round: int = 0
    line: str = ""
    setup: Setup = BASELINE
    todo: str = ""  # the candidate to judge
    against: str = ""  # the todo of the candidate to beat

    def body(self, words: str) -> str:
        fields = {name: value for name, value in vars(self).items() if value}
        fields["setup"] = self.setup.as_dict
        return f"{words}\n\n{FENCE}json\n{json.dumps(fields)}\n{FENCE}\n"

    @classmethod
    def read(cls, body: str) -> Task | None:
        """The task, or None for a todo that a person wrote."""
        _, opened, rest = body.partition(f"{FENCE}json\n")
        try:
            fields = json.loads(rest.partition(f"\n{FENCE}")[0]) if opened else {}
            return cls(**{**fields, "setup": Setup(**fields["setup"])})
        except (ValueError, KeyError, TypeError):
            return None


class Proof(Protocol):
    """What is read of a piece of evidence."""

    @property
    def ref(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def data(self) -> Mapping[str, Any]: ...
    @property
    def invalidated(self) -> Any: ...


@dataclass(frozen=True)
class Figure:
    """One measured count, as evidence carries it."""

    todo: str
    setup: Setup
    fold: int
    score: Score
    verdict: str = "supports"
    ref: str = ""

    @property
    def data(self) -> dict[str, Any]:
        return {
            "todo": self.todo,
            "setup": self.setup.as_dict,
            "fold": self.fold,
            "correct": self.score.correct,
            "total": self.score.total,
            "accuracy": self.score.accuracy,
        }


def figures(proofs: Iterable[Proof]) -> list[Figure]:
    """The counts that still stand, in the order of their references."""
    standing = [proof for proof in proofs if not proof.invalidated and "fold" in proof.data]
    return [
        Figure(
            todo=proof.data["todo"],
            setup=Setup(**proof.data["setup"]),
            fold=proof.data["fold"],
            score=Score(proof.data["correct"], proof.data["total"]),
            verdict=proof.verdict,
            ref=proof.ref,
        )
        for proof in sorted(standing, key=lambda proof: int(proof.ref[1:]))
    ]


def first_figure(found: Iterable[Figure], todo: str) -> Figure:
    """The validation count of a candidate."""
    for figure in found:
        if figure.todo == todo and figure.fold == FIRST_FOLD:
            return figure
    raise LookupError(f"No standing figure of {todo} on fold {FIRST_FOLD}.")


def found_in(found: Iterable[Figure], number: int) -> list[Figure]:
    """The repeats of round `number` that held."""
    fold = repeat_fold(number)
    return [figure for figure in found if figure.fold == fold and figure.verdict == "supports"]


def leader(found: list[Figure], rounds: int) -> Figure:
    """The best that held when repeated, after so many rounds; before any, the baseline.

    A later round's find beat the leader of the round before, so the last round with one decides.
    """
    for number in range(rounds, 0, -1):
        held = found_in(found, number)
        if held:
            firsts = {figure.todo: first_figure(found, figure.todo) for figure in held}
            best = max(held, key=lambda figure: _points(figure, firsts[figure.todo]))
            return firsts[best.todo]
    return next(f for f in found if f.setup == BASELINE and f.fold == FIRST_FOLD)


def _points(repeated: Figure, first: Figure) -> tuple[int, int]:
    # Of equals the earlier todo: the order in which processes finished must not matter.
    return repeated.score.correct + first.score.correct, -int(repeated.todo[1:])
