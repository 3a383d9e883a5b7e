"""The way to a published winner: figures on every fold, a person's word, one held-out figure."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dataset
from knn import Score, Setup, evaluate
from peer import all_evidence, all_todos
from search import BASELINE, FIRST_FOLD, Task

from loopx_web.client import LoopX, nothing, successors
from loopx_web.client.results import Gate
from loopx_web.client.turns import Turn

SCOPE = "publish:knn-digits"
WINNER = "winner.json"
CANDIDATES_WANTED = 8


@dataclass(frozen=True)
class Comparison:
    """Right answers of the leader and of the baseline, fold by fold."""

    setup: Setup
    folds: tuple[tuple[Score, Score], ...]

    @property
    def leader(self) -> Score:
        return total(one for one, _ in self.folds)

    @property
    def baseline(self) -> Score:
        return total(other for _, other in self.folds)

    @property
    def words(self) -> str:
        return (
            f"Over all {len(self.folds)} folds, {self.setup.title} has {self.leader} right "
            f"and the baseline {self.baseline.correct}."
        )

    @property
    def by_fold(self) -> str:
        return "\n".join(
            f"Fold {fold}: {one} right, the baseline {other.correct}."
            for fold, (one, other) in enumerate(self.folds)
        )

    @property
    def data(self) -> dict[str, Any]:
        return {
            "setup": self.setup.as_dict,
            "leader": [one.correct for one, _ in self.folds],
            "baseline": [other.correct for _, other in self.folds],
            "totals": [one.total for one, _ in self.folds],
        }


def total(scores: Iterable[Score]) -> Score:
    counted = list(scores)
    return Score(sum(s.correct for s in counted), sum(s.total for s in counted))


def compare_setups(setup: Setup) -> Comparison:
    numbers = range(dataset.FOLDS)
    return Comparison(
        setup,
        tuple(
            (evaluate(setup, *dataset.folds(fold)), evaluate(BASELINE, *dataset.folds(fold)))
            for fold in numbers
        ),
    )


def compare(loopx: LoopX, turn: Turn, task: Task) -> None:
    """The leader against the baseline on every fold, then the question to a person."""
    result = compare_setups(task.setup)
    turn.check_lease()
    better = result.leader.correct > result.baseline.correct
    proof = loopx.add_evidence(
        "metric",
        result.words,
        verdict="supports" if better else "contradicts",
        data=result.data,
        supports=[turn.todo, "A2"],
    )
    promotion = add_promotion(loopx, turn.todo, task)
    ask(loopx, promotion, result, proof.ref)
    # Only now: a decision that a todo needs and nobody asked for would be a gap.
    loopx.update_todo(promotion, decision_scopes=[SCOPE])
    turn.complete(
        evidence=[count_of_candidates(loopx, turn.todo)],
        continuation=successors(promotion),
        summary=result.words,
        outcome="primary_outcome",
    )


def count_of_candidates(loopx: LoopX, todo: str) -> dict[str, Any]:
    measured = sum(p.data.get("fold") == FIRST_FOLD for p in all_evidence(loopx)) - 1
    return {
        "kind": "log",
        "verdict": "supports" if measured >= CANDIDATES_WANTED else "contradicts",
        "summary": f"{measured} candidates and the baseline were counted on the same rows.",
        "supports": [todo, "A1"],
    }


def add_promotion(loopx: LoopX, comparison: str, task: Task) -> str:
    title = f"Publish {task.setup.title}"
    for todo in all_todos(loopx):
        if todo.title == title:
            return todo.ref
    promotion = Task("promote", setup=task.setup, todo=task.todo)
    words = f"Do what a person decides: open the held-out rows once and write {WINNER}, or neither."
    todo = loopx.add_todo(
        title,
        body=promotion.body(words),
        required_capabilities=["judge"],
        required_write_scopes=[WINNER],
        depends_on=[comparison],
    )
    return todo.ref


def ask(loopx: LoopX, promotion: str, result: Comparison, proof: str) -> None:
    asked = [gate for gate in loopx.gates().items if gate.decision_scope == SCOPE]
    if asked:
        return
    held_out = len(dataset.parts()[dataset.HELD_OUT])
    loopx.ask(
        f"Publish {result.setup.title} as the winner? {result.words}",
        label="publishing the winner",
        kind="publish",
        decision_scope=SCOPE,
        why=result.by_fold,
        options=[
            {
                "key": "publish",
                "label": "Publish it",
                "consequence": f"Opens the {held_out} held-out rows, once, and writes {WINNER}.",
            },
            {
                "key": "keep",
                "label": "Keep the baseline",
                "consequence": "Writes nothing; the held-out rows stay closed.",
            },
        ],
        blocks={"todos": [promotion]},
        evidence=[proof],
        fallback="Nothing is published.",
    )


def promote(loopx: LoopX, turn: Turn, task: Task) -> None:
    """Does what was chosen; the kernel offers this todo only after a choice is in effect."""
    gate = next(gate for gate in loopx.gates().items if gate.decision_scope == SCOPE)
    chosen = (gate.answer or {}).get("option")
    words, data = publish(task, gate) if chosen == "publish" else keep(gate)
    turn.complete(
        evidence=[
            {
                "kind": "metric" if data else "decision",
                "verdict": "supports",
                "summary": words,
                "data": data,
                "supports": [turn.todo, "A3"],
            }
        ],
        continuation=nothing(words),
        summary=words,
        outcome="primary_outcome",
    )


def publish(task: Task, gate: Gate) -> tuple[str, dict[str, Any]]:
    """The only place that reads the held-out rows: once, for the winner beside the baseline."""
    training, questions = dataset.held_out()
    score = evaluate(task.setup, training, questions)
    baseline = evaluate(BASELINE, training, questions)
    data = {
        "setup": task.setup.as_dict,
        "candidate": task.todo,
        "held_out_correct": score.correct,
        "held_out_baseline": baseline.correct,
        "held_out_total": score.total,
        "held_out_accuracy": score.accuracy,
        "decided_by": gate.ref,
        "parts_sha256": dataset.parts_sha256(),
    }
    target = Path(os.environ.get("LOOPX_EXAMPLE_OUT", ".")) / WINNER
    target.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    words = (
        f"Published {task.setup.title}: {score} held-out rows right, baseline {baseline.correct}."
    )
    return words, data


def keep(gate: Gate) -> tuple[str, dict[str, Any]]:
    return f"Kept the baseline, as decided in {gate.ref}; nothing was written.", {}


def reword(loopx: LoopX, turn: Turn) -> None:
    """The question came back: the same choice with what a person may want to know beside it."""
    proofs = [proof for proof in all_evidence(loopx) if "setup" in proof.data]
    lines = [
        f"- {p.ref} ({p.verdict}{', taken back' if p.invalidated else ''}): {p.summary}"
        for p in proofs
    ]
    for gate in loopx.gates(status="sent_back").items:
        loopx.revise_gate(gate.ref, why="Every figure of the search:\n\n" + "\n".join(lines))
    words = f"The question now shows all {len(lines)} figures."
    turn.progress(words, evidence=[{"kind": "note", "verdict": "supports", "summary": words}])
