"""Gates: asking, revising, withdrawing; answering and taking back, which only people do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from kanban.kernel import gate
from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.limits import UNDO_DEFAULT_SECONDS
from kanban.kernel.present import gate_json
from kanban.kernel.settle import settle_draft
from kanban.transitions.perform import Call, perform
from kanban.transitions.receipt import Receipt


def ask_gate(
    actor: Actor, goal: str, given: dict[str, Any], *, now: datetime, key: str | None = None
) -> Receipt:
    """Puts a concrete question to a person; a vague one is refused."""

    def work(draft: Draft) -> dict[str, Any]:
        ref = gate.ask_gate(draft, given)
        return gate_json(draft.state, draft.gate(ref), draft.now)

    return perform(actor, goal, Call("gate.ask", given, key), work, now=now)


def revise_gate(
    actor: Actor,
    goal: str,
    ref: str,
    given: dict[str, Any],
    *,
    now: datetime,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    def rule(draft: Draft) -> None:
        gate.revise_gate(draft, ref, given)

    return _on(actor, goal, ref, "revise", given, rule, now, expect_version, key)


def withdraw_gate(
    actor: Actor, goal: str, ref: str, *, now: datetime, reason: str, key: str | None = None
) -> Receipt:
    def rule(draft: Draft) -> None:
        gate.withdraw_gate(draft, ref, reason=reason)

    return _on(actor, goal, ref, "withdraw", reason, rule, now, None, key)


def answer_gate(
    actor: Actor,
    goal: str,
    ref: str,
    *,
    now: datetime,
    outcome: str,
    revision: int,
    option: str = "",
    text: str = "",
    undo_seconds: int = UNDO_DEFAULT_SECONDS,
    key: str | None = None,
) -> Receipt:
    """A signed-in person's answer: provisional until the undo window ends."""

    def rule(draft: Draft) -> None:
        gate.answer_gate(
            draft,
            ref,
            outcome=outcome,
            revision=revision,
            option=option,
            words=text,
            undo_seconds=undo_seconds,
        )

    request = [outcome, revision, option, text, undo_seconds]
    return _on(actor, goal, ref, "answer", request, rule, now, None, key)


def undo_answer(
    actor: Actor, goal: str, ref: str, *, now: datetime, key: str | None = None
) -> Receipt:
    def rule(draft: Draft) -> None:
        gate.undo_answer(draft, ref)

    return _on(actor, goal, ref, "undo", None, rule, now, None, key)


def send_now(
    actor: Actor, goal: str, ref: str, *, now: datetime, key: str | None = None
) -> Receipt:
    """Ends one's own undo window early."""

    def rule(draft: Draft) -> None:
        gate.send_now(draft, ref)

    return _on(actor, goal, ref, "send", None, rule, now, None, key)


def receive_answer(
    actor: Actor, goal: str, ref: str, *, agent: str, now: datetime, key: str | None = None
) -> Receipt:
    def rule(draft: Draft) -> None:
        gate.receive_answer(draft, ref, agent)

    return _on(actor, goal, ref, "received", agent, rule, now, None, key)


def _on(
    actor: Actor,
    goal: str,
    ref: str,
    operator: str,
    request: Any,
    rule: Callable[[Draft], None],
    now: datetime,
    expect_version: int | None,
    key: str | None,
) -> Receipt:
    def work(draft: Draft) -> dict[str, Any]:
        rule(draft)
        settle_draft(draft)
        return gate_json(draft.state, draft.gate(ref), draft.now)

    call = Call(f"gate.{operator} {ref}", request, key, ("gate", ref), expect_version)
    return perform(actor, goal, call, work, now=now)
