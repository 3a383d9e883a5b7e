"""How an operator on one todo is carried out, the same for all of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Required, TypedDict

from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.execution import Execution, execution
from kanban.kernel.present import todo_json
from kanban.kernel.settle import settle_draft
from kanban.transitions.perform import Call, perform
from kanban.transitions.receipt import Receipt


class Writing(TypedDict, total=False):
    """What any write carries: its moment, the version it relies on, its idempotency key."""

    now: Required[datetime]
    expect_version: int | None
    key: str | None


class OwnersWriting(Writing, total=False):
    """A write under a claim: its fence besides, which people do not need."""

    execution_key: str
    epoch: int | None


def fence(actor: Actor, how: OwnersWriting) -> tuple[Execution | None, int | None]:
    """The execution and epoch under which an agent writes; nothing for a person."""
    key = how.get("execution_key", "")
    return (execution(actor.name, key) if actor.is_agent else None), how.get("epoch")


def on_todo(
    actor: Actor,
    goal: str,
    ref: str,
    operator: str,
    request: object,
    rule: Callable[[Draft], object],
    how: Writing,
) -> Receipt:
    """Runs a rule on one todo; the receipt shows the todo as it is afterwards."""

    def work(draft: Draft) -> dict[str, Any]:
        rule(draft)
        settle_draft(draft)
        return todo_json(draft.state, draft.todo(ref), draft.now)

    told = [request, how.get("execution_key"), how.get("epoch")]
    subject = ("todo", ref)
    call = Call(f"todo.{operator} {ref}", told, how.get("key"), subject, how.get("expect_version"))
    return perform(actor, goal, call, work, now=how["now"])
