"""Turns: one bounded slice of one execution. Begin, renew, finish."""

from __future__ import annotations

from datetime import timedelta
from math import isfinite
from typing import Any

from kanban.kernel import quota, text
from kanban.kernel.claim import (
    NO_CLAIM,
    Rows,
    claim_fields,
    closed_fields,
    end_turn,
    lease_span,
    not_runnable,
    refuse_unfit,
    soften,
)
from kanban.kernel.completion import completion_fields
from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask, Decision, Step
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, Invalid, invalid, missing
from kanban.kernel.evidence import take_evidence
from kanban.kernel.execution import Execution
from kanban.kernel.frontier import is_due
from kanban.kernel.gate import open_gate, receive_answer
from kanban.kernel.guards import (
    lease_lost,
    require_decided,
    require_member,
    require_no_gate,
    require_not_closed,
    require_self,
)
from kanban.kernel.limits import TURN_MAX
from kanban.kernel.state import Todo, Turn
from kanban.kernel.todo import evidence_required, new_todo, parse_blocked_on

RESULTS = ("completed", "progress", "no_change", "failed", "blocked", "asked")
OUTCOMES = ("surface_only", "outcome_gap", "outcome_progress", "primary_outcome")
SPENDING = ("completed", "progress")


def begin_turn(
    draft: Draft, ask: Ask, *, turn_id: str, lease_seconds: int
) -> tuple[Turn, Decision]:
    """Decides again and, on yes, claims with a lease and reserves quota: all or nothing.

    Returns the turn that the execution now has: on `resume_turn` the one it had already.
    """
    require_member(draft.state, draft.actor)
    require_self(draft.actor, ask.by)
    if ask.slots < 1:
        raise invalid("slots must be at least 1.", fields=["slots"])
    span = min(lease_span(lease_seconds), TURN_MAX)
    decision = decide(draft.state, ask, draft.now)
    if decision.reason == "resume_turn" and decision.verdict.turn:
        return decision.verdict.turn, decision
    if not decision.may_begin:
        if ask.todo:
            _refuse_todo(draft, draft.todo(ask.todo), ask)
        raise NotNow(decision)
    _end_forgotten_turn(draft, ask.by)
    rows = _begin_rows(draft, ask, decision, turn_id, span)
    draft.record("turn.began", turn_id, rows)
    for gate in decision.answers:
        receive_answer(draft, gate.ref, ask.by.agent)
    return draft.state.turns[turn_id], decision


class NotNow(Conflict):
    """The answer is no longer yes; carries the decision that says what it is now."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(
            "not_now",
            decision.verdict.explanation,
            "Do what the decision says; `loopx wait` returns when it changes.",
        )
        self.decision = decision


def _refuse_todo(draft: Draft, todo: Todo, ask: Ask) -> None:
    """The specific refusal for a todo that was asked for by number, if there is one."""
    require_not_closed(todo)
    if todo.kind == "monitor" and not is_due(todo, draft.now):
        raise not_runnable(todo, [f"{todo.ref} is not due before {todo.next_due_at}"])
    refuse_unfit(draft, todo, ask.by, ask.capabilities)


def _end_forgotten_turn(draft: Draft, by: Execution) -> None:
    """A turn whose work has gone from under it ends before another begins."""
    for turn in list(draft.state.turns.values()):
        if turn.status == "live" and (turn.agent, turn.execution) == (by.agent, by.mark):
            rows = end_turn(draft, turn, "revoked", "its work is no longer there")
            if turn.todo and (todo := draft.todo(turn.todo)).epoch == turn.epoch and todo.owner:
                rows["todo", todo.ref] = soften(todo, draft.now)
            draft.record("turn.revoked", turn.id, rows)


def _begin_rows(draft: Draft, ask: Ask, decision: Decision, turn_id: str, span: timedelta) -> Rows:
    verdict, rows = decision.verdict, Rows()
    epoch = 1
    if verdict.selected:
        todo = draft.todo(verdict.selected)
        epoch = todo.epoch
        if todo.status == "open":
            fields = claim_fields(draft, todo, ask.by, span, todo.required_write_scopes)
            rows["todo", todo.ref] = fields
            epoch = fields["epoch"]
    entry = draft.next_ref("entry")
    rows["turn", turn_id] = {
        "agent": ask.by.agent,
        "execution": ask.by.mark,
        "todo": verdict.selected,
        "gap": verdict.gap.key if verdict.gap else "",
        "epoch": epoch,
        "slots": ask.slots,
        "began_at": draft.now,
        "lease_until": draft.now + span,
        "ends_by": draft.now + TURN_MAX,
        "reason": verdict.reason,
        "trace": tuple(_step(step) for step in decision.trace),
        "goal_revision": draft.state.goal.revision,
        "criterion_revisions": {c.ref: c.revision for c in draft.state.criteria.values()},
    }
    rows["entry", entry] = quota.reserve(
        draft, agent=ask.by.agent, turn=turn_id, todo=verdict.selected, slots=ask.slots
    )
    return rows


def _step(step: Step) -> dict[str, Any]:
    return {"number": step.number, "rule": step.rule, "result": step.result}


def renew_turn(
    draft: Draft, turn_id: str, by: Execution, *, lease_seconds: int, epoch: int | None = None
) -> Turn:
    """Extends the lease, never past the turn's own end; renewing never creates."""
    turn = own_turn(draft, turn_id, by, epoch)
    until = min(draft.now + lease_span(lease_seconds), turn.ends_by or draft.now)
    rows: Rows = {("turn", turn.id): {"lease_until": until}}
    if turn.todo and draft.todo(turn.todo).claim_form == "lease":
        rows["todo", turn.todo] = {"lease_until": until, "owner_wrote_at": draft.now}
    draft.record("turn.renewed", turn.id, rows)
    return draft.state.turns[turn.id]


def own_turn(draft: Draft, turn_id: str, by: Execution, epoch: int | None = None) -> Turn:
    """The live turn that this execution may write back, or the refusal that says why not."""
    turn = draft.state.turns.get(turn_id)
    if turn is None or (draft.actor.is_agent and turn.agent != draft.actor.name):
        raise missing("turn", turn_id)
    if turn.execution != by.mark:
        raise Conflict(
            "other_execution",
            f"The turn belongs to another process of {turn.agent}.",
            "Send the execution key it was begun with.",
        )
    if epoch is not None and epoch != turn.epoch:
        raise Conflict("lease_lost", f"The turn's epoch is {turn.epoch}, not {epoch}.")
    todo = draft.state.todos.get(turn.todo)
    if turn.status == "live":
        if todo and todo.epoch != turn.epoch:
            raise lease_lost(todo)
        return turn
    if todo and todo.owner and todo.epoch != turn.epoch:
        raise lease_lost(todo)
    if turn.status == "revoked":
        raise Conflict(
            "lease_lost",
            f"The turn was ended: {turn.end_reason}.",
            "Drop this work; your evidence may still be added by itself.",
        )
    if turn.status == "finished":
        raise Conflict("lease_lost", "The turn is finished already.", "Begin another one.")
    raise Conflict(
        "lease_expired",
        f"The turn's lease ended at {turn.ended_at}.",
        "Begin again, then finish with the same evidence.",
    )


def finish_turn(
    draft: Draft, turn_id: str, by: Execution, given: dict[str, Any], *, epoch: int | None
) -> Turn:
    """Settles a turn: evidence, todos, gates, the todo's new state, and quota, in one go."""
    turn = own_turn(draft, turn_id, by, epoch)
    result = given.get("result", "")
    outcome = given.get("outcome") or ""
    if result not in RESULTS:
        raise invalid(f"result {result!r} is none of {', '.join(RESULTS)}.", fields=["result"])
    if outcome and outcome not in OUTCOMES:
        raise invalid(f"outcome {outcome!r} is none of {', '.join(OUTCOMES)}.", fields=["outcome"])
    summary = text.clean(given.get("summary") or "", "summary", limit=text.NOTE_LIMIT).strip()
    _require_parts(turn, result, summary, given)
    evidence = tuple(
        take_evidence(draft, item, todo=turn.todo, turn=turn.id)
        for item in given.get("evidence") or ()
    )
    for item in given.get("todos") or ():
        new_todo(draft, item)
    for item in given.get("gates") or ():
        open_gate(draft, item)
    rows = _todo_rows(draft, turn, result, given)
    rows |= _limit_rows(draft, turn, given.get("limited_until"))
    rows |= _turn_rows(draft, turn, result, outcome, given, evidence, summary)
    draft.record("turn.finished", turn.id, rows)
    return draft.state.turns[turn.id]


def _require_parts(turn: Turn, result: str, summary: str, given: dict[str, Any]) -> None:
    needed = f"A turn that ends as {result} needs"
    if result in ("progress", "no_change", "failed") and not summary:
        raise invalid(f"{needed} a summary.", fields=["summary"])
    if result == "progress" and turn.todo and not given.get("evidence"):
        raise evidence_required(turn.todo)
    if result == "blocked" and not given.get("block"):
        raise invalid(f"{needed} `block`: until, gate or person.", fields=["block"])
    if result in ("completed", "blocked") and not turn.todo:
        raise invalid("A repair turn ends as progress, no_change, failed or asked.")
    if result == "asked":
        named = [ref for gate in given.get("gates") or () for ref in _blocked_todos(gate)]
        if not given.get("gates") or (turn.todo and turn.todo not in named):
            raise Invalid(
                "vague_question",
                f"{needed} a gate whose blocks.todos names {turn.todo or 'what it is about'}.",
                "Send gates[] with a question, options and blocks.",
            )


def _blocked_todos(gate: dict[str, Any]) -> list[str]:
    return list((gate.get("blocks") or {}).get("todos") or ())


def _todo_rows(draft: Draft, turn: Turn, result: str, given: dict[str, Any]) -> Rows:
    if not turn.todo:
        return {}
    todo = draft.todo(turn.todo)
    if todo.status == "review":
        return _review_rows(draft, todo, result)
    if result == "completed":
        require_no_gate(draft, todo, "completed")
        require_decided(draft, todo, "completed")
    if todo.kind == "monitor":
        return {("todo", todo.ref): _poll_fields(draft, todo, result, given)}
    if result == "completed":
        if todo.status != "open":
            raise not_runnable(todo, [f"{todo.ref} is {todo.status}"])
        return {
            ("todo", todo.ref): completion_fields(
                draft, todo, given.get("continuation"), check=given.get("check")
            )
        }
    fields = soften(todo, draft.now) if todo.owner == turn.agent else {}
    if result == "blocked":
        blocked_on = parse_blocked_on(draft, todo.ref, given["block"])
        # What a question that ended meanwhile holds stays held by it.
        if todo.status == "open":
            why = text.note(given.get("summary") or "", "summary")
            fields |= {"status": "blocked", "blocked_on": blocked_on, "status_reason": why}
    return {("todo", todo.ref): fields} if fields else {}


def _review_rows(draft: Draft, todo: Todo, result: str) -> Rows:
    """A reviewer's `completed` accepts; anything else leaves the work in review."""
    if result != "completed":
        return {}
    require_no_gate(draft, todo, "accepted")
    require_decided(draft, todo, "accepted")
    return {("todo", todo.ref): closed_fields("done", draft.now)}


def _poll_fields(draft: Draft, todo: Todo, result: str, given: dict[str, Any]) -> dict[str, Any]:
    """A monitor's turn is its poll: the hash decides whether anything changed."""
    mark = str((given.get("poll") or {}).get("result_hash", ""))[:200]
    changed = result in SPENDING or (mark and todo.result_hash and mark != todo.result_hash)
    if result == "completed":
        return completion_fields(draft, todo, given.get("continuation"))
    return {
        **NO_CLAIM,
        "next_due_at": draft.now + timedelta(seconds=todo.cadence_seconds or 3600),
        "result_hash": mark or todo.result_hash,
        "unchanged_streak": 0 if changed else todo.unchanged_streak + 1,
    }


def _limit_rows(draft: Draft, turn: Turn, limited: Any) -> Rows:
    return {("member", turn.agent): limit_fields(limited)} if limited else {}


def limit_fields(limited: Any) -> dict[str, Any]:
    """A member's fields for a provider limit: an instant, or "unknown"."""
    unknown = limited == "unknown"
    return {"limited_until": None if unknown else limited, "limit_unknown": unknown}


def _figures(usage: dict[str, Any]) -> dict[str, int]:
    money = float(usage.get("cost_usd") or 0)
    if not isfinite(money):
        raise invalid("cost_usd is not a figure.", fields=["usage"])
    return {
        "tokens_in": int(usage.get("tokens_in") or 0),
        "tokens_out": int(usage.get("tokens_out") or 0),
        "cost_micros": round(money * 1_000_000),
    }


def _turn_rows(
    draft: Draft,
    turn: Turn,
    result: str,
    outcome: str,
    given: dict[str, Any],
    evidence: tuple[str, ...],
    summary: str,
) -> Rows:
    usage = given.get("usage") or {}
    figures = _figures(usage)
    rows: Rows = {
        ("turn", turn.id): {
            "status": "finished",
            "result": result,
            "outcome": outcome,
            "summary": summary,
            "evidence": evidence,
            "continuation": str((given.get("continuation") or {}).get("type", "")),
            "ended_at": draft.now,
            "end_reason": "limited" if given.get("limited_until") else result,
            **figures,
        }
    }
    if entry := quota.entry_of(draft.state, turn.id):
        spend = result in SPENDING and outcome != "surface_only"
        rows["entry", entry.ref] = quota.settle_entry(
            entry, draft.now, spend=spend, slots=usage.get("slots"), outcome=outcome, **figures
        )
    return rows
