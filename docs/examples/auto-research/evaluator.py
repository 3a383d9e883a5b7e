"""Evaluator: repeats what looks better, takes back what does not hold, asks before publishing."""

from __future__ import annotations

import dataset
from knn import Score, Setup, evaluate
from peer import all_evidence, all_figures, all_todos, run
from publish import compare, promote, reword
from search import FIRST_FOLD, Figure, Task, first_figure, repeat_fold, verdict

from loopx_web.client import LoopX, nothing, successors
from loopx_web.client.results import Evidence, Todo
from loopx_web.client.turns import Turn

CLOSED = {"done", "superseded", "dropped"}
ENDINGS = {
    "supports": "it holds.",
    "inconclusive": "no difference, so it does not lead.",
    "contradicts": "what the first fold showed was luck.",
}


def judge(loopx: LoopX, turn: Turn, task: Task) -> None:
    """Whether a candidate that looked better is better; what was built on it ends if not."""
    first = next(proof for proof in all_evidence(loopx) if is_first(proof, task.todo))
    if first.verdict == "supports":
        found, words = repeat(loopx, turn, task, first.ref)
    else:
        found, words = "inconclusive", f"{task.todo} did not beat {task.against} ({first.ref})."
    waiting = line_after(all_todos(loopx), turn.todo, task.line)
    if found != "supports":
        end_line(loopx, turn.todo, waiting, words)
    goes_on = found == "supports" and waiting
    turn.complete(
        evidence=[{"kind": "note", "verdict": found, "summary": words, "supports": [turn.todo]}],
        continuation=successors(waiting[0].ref) if goes_on else nothing(words),
        summary=words,
        outcome="outcome_progress",
    )


def is_first(proof: Evidence, todo: str) -> bool:
    """The executor's figure, whether it still stands or not."""
    return todo in proof.supports and proof.data.get("fold") == FIRST_FOLD


def repeat(loopx: LoopX, turn: Turn, task: Task, first: str) -> tuple[str, str]:
    """Both candidates on the round's own fold; a first figure that does not hold is taken back."""
    fold = repeat_fold(task.round)
    other = first_figure(all_figures(loopx), task.against)
    score, bar = measure_both(turn, task.setup, other.setup, fold)
    found = verdict(score, bar)
    words = f"On fold {fold} {task.todo} has {score} right, {task.against} {bar}: {ENDINGS[found]}"
    proof = loopx.add_evidence(
        "metric",
        words,
        verdict=found,
        data=Figure(task.todo, task.setup, fold, score).data | {"against": bar.correct},
        supports=[task.todo],
    )
    if found == "contradicts":
        loopx.invalidate_evidence(first, words, replaced_by=proof.ref)
    return found, words


def measure_both(turn: Turn, one: Setup, other: Setup, fold: int) -> tuple[Score, Score]:
    scores = evaluate(one, *dataset.folds(fold)), evaluate(other, *dataset.folds(fold))
    turn.check_lease()
    return scores


def line_after(todos: list[Todo], judgement: str, line: str) -> list[Todo]:
    """What of this line still waits for the judgement, nearest first."""
    reached = {judgement}
    waiting: list[Todo] = []
    for todo in sorted(todos, key=lambda todo: int(todo.ref[1:])):
        task = Task.read(todo.body)
        if (
            task
            and task.line == line
            and todo.status not in CLOSED
            and reached & {*todo.depends_on}
        ):
            reached.add(todo.ref)
            waiting.append(todo)
    return waiting


def end_line(loopx: LoopX, judgement: str, waiting: list[Todo], why: str) -> None:
    """The judgement stands in place of what was to build on the candidate."""
    for todo in reversed(waiting):
        loopx.supersede(todo.ref, successors=[{"ref": judgement}], reason=why)


if __name__ == "__main__":
    run({"judge": judge, "compare": compare, "promote": promote}, {"needs_info": reword})
