"""Proposer: reads what stands, writes the next round's candidates, or ends the search."""

from __future__ import annotations

from dataclasses import dataclass, field

from peer import all_figures, all_todos, run
from search import Figure, Line, Task, found_in, leader, lines, repeat_fold

from loopx_web.client import LoopX, successors
from loopx_web.client.turns import Turn

NEEDS = {"measure": "measure", "judge": "judge", "compare": "judge", "propose": "propose"}


@dataclass
class Plan:
    """Adds todos once: a proposer that died half-way finds by title what it had added."""

    loopx: LoopX
    known: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.known = {todo.title: todo.ref for todo in all_todos(self.loopx)}

    def add(self, title: str, task: Task, words: str, after: list[str]) -> str:
        if title not in self.known:
            todo = self.loopx.add_todo(
                title,
                body=task.body(words),
                required_capabilities=[NEEDS[task.role]],
                depends_on=after,
            )
            self.known[title] = todo.ref
        return self.known[title]


def propose(loopx: LoopX, turn: Turn, task: Task) -> None:
    found = all_figures(loopx)
    best = leader(found, task.round - 1)
    plan = Plan(loopx)
    new = lines(task.round, best.setup)
    if new and (task.round == 1 or found_in(found, task.round - 1)):
        after = open_round(plan, turn.todo, task.round, best, new)
        words = f"Round {task.round}: {len(new)} changes of {best.setup.title} ({best.todo})."
    else:
        after = [end_search(plan, turn.todo, best)]
        words = f"No change of {best.setup.title} ({best.todo}) held: the search ends."
    turn.complete(
        evidence=[
            {"kind": "note", "verdict": "supports", "summary": words, "supports": [turn.todo]}
        ],
        continuation=successors(*after),
        summary=words,
        outcome="outcome_progress",
    )


def open_round(plan: Plan, proposal: str, number: int, best: Figure, new: list[Line]) -> list[str]:
    """The round's todos. All wait for the proposal, so that nobody starts on half a round."""
    heads: list[str] = []
    judges: list[str] = []
    for line in new:
        task = Task("measure", number, line.name, line.head, against=best.todo)
        head, judge = add_pair(plan, task, after=proposal)
        heads.append(head)
        judges.append(judge)
        if line.follow_up:
            task = Task("measure", number, line.name, line.follow_up, against=head)
            judges.append(add_pair(plan, task, after=judge)[1])
    plan.add(
        f"Propose round {number + 1}",
        Task("propose", number + 1),
        "Read which figures stand; propose what follows from them, or end the search.",
        judges,
    )
    return heads


def add_pair(plan: Plan, task: Task, after: str) -> tuple[str, str]:
    """A candidate to measure, and the todo that judges it."""
    title = task.setup.title
    measure = plan.add(
        f"Measure {title}",
        task,
        f"Count the right answers on the validation fold; {task.against} is the one to beat.",
        [after],
    )
    judging = Task("judge", task.round, task.line, task.setup, measure, task.against)
    fold = repeat_fold(task.round)
    judge = plan.add(
        f"Judge {title}",
        judging,
        f"If {measure} beat {task.against}, repeat both on fold {fold}, which neither has seen.",
        [measure],
    )
    return measure, judge


def end_search(plan: Plan, proposal: str, best: Figure) -> str:
    return plan.add(
        f"Compare {best.setup.title} with the baseline",
        Task("compare", setup=best.setup, todo=best.todo),
        "Measure both on every fold; then put the figures to a person.",
        [proposal],
    )


if __name__ == "__main__":
    run({"propose": propose})
