"""Executor: takes a candidate that no peer has, measures it on the validation fold, reports."""

from __future__ import annotations

import dataset
from knn import evaluate
from peer import all_figures, all_todos, run
from search import FIRST_FOLD, Figure, Task, first_figure, verdict

from loopx_web.client import LoopX, nothing, successors
from loopx_web.client.turns import Turn


def measure(loopx: LoopX, turn: Turn, task: Task) -> None:
    score = evaluate(task.setup, *dataset.folds(FIRST_FOLD))
    turn.check_lease()
    figure = Figure(turn.todo, task.setup, FIRST_FOLD, score)
    says, compared = "supports", ""
    if task.against:
        other = first_figure(all_figures(loopx), task.against)
        says = verdict(score, other.score)
        compared = f"; {task.against}, the one to beat, has {other.score.correct} ({other.ref})"
    summary = f"{task.setup.title}: {score} right on fold {FIRST_FOLD}{compared}."
    evidence = {
        "kind": "metric",
        "verdict": says,
        "summary": summary,
        "data": figure.data,
        "supports": [turn.todo],
    }
    judges = [todo.ref for todo in all_todos(loopx) if turn.todo in todo.depends_on]
    following = successors(*judges) if judges else nothing("Nobody waits for this figure.")
    turn.complete(
        evidence=[evidence], continuation=following, summary=summary, outcome="outcome_progress"
    )


if __name__ == "__main__":
    run({"measure": measure})
