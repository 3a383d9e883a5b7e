"""Gates: a concrete question for a person; asking, revising, answering, taking back, effect."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from kanban.kernel import text
from kanban.kernel.actor import SYSTEM, Actor, require_person
from kanban.kernel.claim import Rows, closed_fields, revoke_turn
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, NotAllowed, invalid
from kanban.kernel.evidence import require_ref
from kanban.kernel.frontier import CLOSED, UNSETTLED, blocked_by, covers_todo, speaks_of_the_end
from kanban.kernel.guards import require_active_goal, require_member, require_open_goal
from kanban.kernel.limits import UNDO_DEFAULT_SECONDS, UNDO_MAX_SECONDS
from kanban.kernel.state import Gate, State, Todo
from kanban.kernel.wording import WORDING, parse_coverage, parse_wording

# An answer in effect that the asker may now read.
ANSWERED = ("chosen", "rejected", "sent_back")
OUTCOMES = ("chosen", "rejected", "needs_info")
# What a person is asked to judge by, beside the words.
STAKES = ("kind", "decision_scope", "default_option", "on_reject")
NO_ANSWER: dict[str, Any] = {
    "outcome": "",
    "option": "",
    "answer_text": "",
    "answered_by": "",
    "answered_at": None,
    "effective_at": None,
    "received_by": (),
}


def ask_gate(draft: Draft, given: dict[str, Any]) -> str:
    """Opens a question and returns its reference; `given` holds the contract's gate fields."""
    require_active_goal(draft.state)
    require_member(draft.state, draft.actor)
    return open_gate(draft, given)


def open_gate(draft: Draft, given: dict[str, Any]) -> str:
    """The same within another operator, which has judged who acts and when."""
    fields = parse_wording(draft, given)
    blocks = given.get("blocks") or {}
    fields |= parse_coverage(draft, blocks)
    for ref in given.get("evidence", ()):
        require_ref(draft.state, ref)
    if (follows := given.get("follows", "")) and follows not in draft.state.gates:
        raise invalid(f"follows: there is no question {follows!r}.", fields=["follows"])
    ref = draft.next_ref("gate")
    draft.record_one(
        "gate.asked",
        ("gate", ref),
        **fields,
        follows=follows,
        evidence=tuple(given.get("evidence", ())),
        asked_by=str(draft.actor),
        created_at=draft.now,
        revised_at=draft.now,
    )
    return ref


def revise_gate(draft: Draft, ref: str, given: dict[str, Any]) -> None:
    """A new wording: by the asker or a person, and while sent back by whomever it holds up."""
    require_open_goal(draft.state)
    require_member(draft.state, draft.actor)
    gate = draft.gate(ref)
    _require_unanswered(gate)
    if draft.actor.is_agent and str(draft.actor) != gate.asked_by:
        held = gate.status == "sent_back" and may_reword(draft.state, gate, draft.actor.name)
        if not held:
            raise NotAllowed("not_owner", f"{ref} was asked by {gate.asked_by}.")
    before = {
        name: getattr(gate, name) if name != "options" else list(gate.options) for name in WORDING
    }
    fields = parse_wording(draft, before | given)
    _refuse_other_stakes(draft, gate, fields)
    if "blocks" in given:
        coverage = parse_coverage(draft, given["blocks"])
        _refuse_narrower(draft, gate, coverage)
        fields |= coverage
    draft.record_one(
        "gate.revised",
        ("gate", ref),
        **fields,
        revision=gate.revision + 1,
        status="open",
        revised_at=draft.now,
        **NO_ANSWER,
    )


def _refuse_other_stakes(draft: Draft, gate: Gate, fields: dict[str, Any]) -> None:
    """An agent rewords a question; what an answer, or none, would do stays as it was asked."""
    if draft.actor.judges:
        return
    changed = [name for name in STAKES if fields[name] != getattr(gate, name)]
    before, after = gate.expire_at, fields["expire_at"]
    sooner = before is not None and (after is None or after < before)
    foreign = before is None and after is not None and gate.asked_by != str(draft.actor)
    if changed or sooner or foreign:
        what = ", ".join(changed) or "expire_at"
        raise NotAllowed(
            "human_required",
            f"Only a person changes {what} of {gate.ref}.",
            "Reword it, or withdraw it and ask another question.",
        )


def _refuse_narrower(draft: Draft, gate: Gate, coverage: dict[str, Any]) -> None:
    """An agent may let its question hold up more, never less: that would answer it."""
    freed = [ref for ref in gate.blocks_todos if ref not in coverage["blocks_todos"]]
    goal = gate.blocks_goal and not coverage["blocks_goal"]
    agent = gate.blocks_agent not in ("", coverage["blocks_agent"])
    if not draft.actor.judges and (freed or goal or agent):
        raise NotAllowed(
            "human_required",
            f"{gate.ref} would no longer hold up everything that it does.",
            "Withdraw it, or let a person free the work.",
        )


def answer_gate(
    draft: Draft,
    ref: str,
    *,
    outcome: str,
    revision: int,
    option: str = "",
    words: str = "",
    undo_seconds: int = UNDO_DEFAULT_SECONDS,
) -> None:
    """Records a person's answer as provisional; it takes effect when the undo window ends."""
    require_person(draft.actor, "Answering a question")
    require_open_goal(draft.state)
    gate = draft.gate(ref)
    words = text.clean(words, "text", limit=text.NOTE_LIMIT).strip()
    if _same_answer(gate, draft.actor, outcome, option, words):
        return
    _require_answerable(gate, revision)
    _require_valid(gate, outcome, option, words)
    if not 0 <= undo_seconds <= UNDO_MAX_SECONDS:
        raise invalid(f"undo_seconds must be 0 to {UNDO_MAX_SECONDS}.", fields=["undo_seconds"])
    draft.record_one(
        "gate.answered",
        ("gate", ref),
        status="provisional",
        outcome=outcome,
        option=option,
        answer_text=words,
        answered_by=str(draft.actor),
        answered_at=draft.now,
        effective_at=draft.now + timedelta(seconds=undo_seconds),
        received_by=(),
    )


def undo_answer(draft: Draft, ref: str) -> None:
    """Takes one's own answer back inside its window; the question is open again."""
    require_person(draft.actor, "Taking an answer back")
    require_open_goal(draft.state)
    gate = draft.gate(ref)
    if gate.status != "provisional":
        raise Conflict(
            "undo_over",
            f"The answer to {ref} is in effect." if gate.answered_at else f"{ref} has no answer.",
            "Ask a new question that follows it, or reopen what it stopped.",
        )
    if gate.answered_by != str(draft.actor):
        raise NotAllowed("not_owner", f"{ref} was answered by {gate.answered_by}.")
    draft.record_one("gate.undone", ("gate", ref), status="open", **NO_ANSWER)


def send_now(draft: Draft, ref: str) -> None:
    """The person who answered ends the undo window early."""
    require_person(draft.actor, "Sending an answer")
    gate = draft.gate(ref)
    if gate.status != "provisional":
        return
    if gate.answered_by != str(draft.actor):
        raise NotAllowed("not_owner", f"{ref} was answered by {gate.answered_by}.")
    draft.record_one("gate.sent", ("gate", ref), effective_at=draft.now)


def withdraw_gate(draft: Draft, ref: str, *, reason: str) -> None:
    """The asker takes a question away: what it named stays blocked; a person's hand frees it."""
    require_open_goal(draft.state)
    require_member(draft.state, draft.actor)
    gate = draft.gate(ref)
    _require_unanswered(gate)
    if draft.actor.is_agent and str(draft.actor) != gate.asked_by:
        raise NotAllowed("not_owner", f"{ref} was asked by {gate.asked_by}.")
    if gate.purpose:
        raise invalid(f"{ref} is the system's own question.", "It goes when its reason goes.")
    why = text.title(reason, "reason", limit=text.NOTE_LIMIT)
    end_gate(draft, gate, "withdrawn", frees=draft.actor.judges, reason=why)


def receive_answer(draft: Draft, ref: str, agent: str) -> None:
    """Notes that an agent has read the answer; once per agent."""
    gate = draft.gate(ref)
    if agent not in gate.received_by and gate.status in ANSWERED:
        draft.record_one("gate.received", ("gate", ref), received_by=(*gate.received_by, agent))


def take_effect(draft: Draft, gate: Gate, at: datetime) -> None:
    """What an answer does when its undo window ends."""
    if gate.outcome == "needs_info":
        draft.record(
            "gate.sent_back",
            gate.ref,
            {("gate", gate.ref): {"status": "sent_back"}},
            actor=SYSTEM,
            at=at,
        )
    else:
        end_gate(draft, gate, gate.outcome, frees=gate.outcome == "chosen", actor=SYSTEM, at=at)


def end_gate(
    draft: Draft,
    gate: Gate,
    status: str,
    *,
    frees: bool,
    reason: str = "",
    actor: Actor | None = None,
    at: datetime | None = None,
) -> None:
    """Ends a question. Only a choice in effect, or a person's withdrawal, frees what it covered."""
    moment = at or draft.now
    rows: Rows = {("gate", gate.ref): {"status": status, "ended_at": moment, "end_reason": reason}}
    for todo in draft.state.todos.values():
        named = todo.ref in gate.blocks_todos or blocked_by(todo) == gate.ref
        if not named or todo.status in CLOSED:
            continue
        if frees:
            if _frees(draft.state, gate, todo):
                rows["todo", todo.ref] = {"status": "open", "blocked_on": None, "status_reason": ""}
        elif gate.on_reject == "drop" and status == "rejected":
            rows["todo", todo.ref] = closed_fields("dropped", moment)
            rows |= revoke_turn(draft, todo, f"{gate.ref} was rejected", moment)
        elif "person" not in (todo.blocked_on or {}):
            rows["todo", todo.ref] = {"status": "blocked", "blocked_on": {"gate": gate.ref}}
    draft.record(f"gate.{status}", gate.ref, rows, actor=actor, at=at)


def _frees(state: State, gate: Gate, todo: Todo) -> bool:
    """Whether a choice on the gate opens the todo: it waits for this gate, or for an earlier one.

    Only a question that was asked after the earlier one had ended speaks about that end; and a
    declared default was chosen by nobody, so it mends nothing.
    """
    held = state.gates.get(blocked_by(todo))
    if held is None or held.ref == gate.ref:
        return held is not None
    return speaks_of_the_end(gate, held) and gate.answered_by.startswith("person:")


def tag(gate: Gate, now: datetime) -> str:
    """The question's wording and reminder round, such as `G3@2.1`; a new one is worth showing."""
    since = gate.revised_at or gate.created_at or now
    rounds = int((now - since).total_seconds() // gate.remind_after_seconds)
    return f"{gate.ref}@{gate.revision}.{rounds + 1}"


def next_reminder(gate: Gate, now: datetime) -> datetime:
    since = gate.revised_at or gate.created_at or now
    rounds = int((now - since).total_seconds() // gate.remind_after_seconds) + 1
    return since + timedelta(seconds=rounds * gate.remind_after_seconds)


def held_up(state: State, gate: Gate) -> list[str]:
    """The open todos that wait for this question."""
    if gate.status not in UNSETTLED:
        return []
    return [
        todo.ref
        for todo in state.todos.values()
        if todo.status not in CLOSED and covers_todo(gate, todo)
    ]


def may_reword(state: State, gate: Gate, agent: str) -> bool:
    """The asker, or an agent that the question holds up."""
    if gate.asked_by == f"agent:{agent}" or gate.blocks_goal or gate.blocks_agent == agent:
        return True
    return any(
        todo.ref in gate.blocks_todos and todo.owner in ("", agent) for todo in state.todos.values()
    )


def _same_answer(gate: Gate, actor: Actor, outcome: str, option: str, words: str) -> bool:
    answered = gate.status in ("provisional", "chosen", "rejected", "sent_back")
    ours = (gate.outcome, gate.option, gate.answer_text, gate.answered_by)
    return answered and ours == (outcome, option, words, str(actor))


def _require_answerable(gate: Gate, revision: int) -> None:
    if gate.status in ("provisional", "chosen", "rejected"):
        raise Conflict(
            "already_answered",
            f"{gate.ref} was answered by {gate.answered_by}: {gate.option or gate.outcome}.",
            "Open it to see the answer.",
            answered_by=gate.answered_by,
            option=gate.option,
            outcome=gate.outcome,
        )
    _require_unanswered(gate)
    if gate.revision != revision:
        raise Conflict(
            "gate_changed",
            f"{gate.ref} was reworded since: {gate.question}",
            "Read the new wording, then answer.",
            revision=gate.revision,
            question=gate.question,
        )


def _require_unanswered(gate: Gate) -> None:
    if gate.status not in ("open", "sent_back"):
        raise Conflict(
            "gate_ended" if gate.status != "provisional" else "already_answered",
            f"{gate.ref} is {gate.status}.",
            "Ask a new question that follows it.",
            gate_status=gate.status,
        )


def _require_valid(gate: Gate, outcome: str, option: str, words: str) -> None:
    if outcome not in OUTCOMES:
        raise invalid(f"outcome {outcome!r} is none of {', '.join(OUTCOMES)}.", fields=["outcome"])
    keys = [entry["key"] for entry in gate.options]
    if option and option not in keys:
        raise invalid(f"{option!r} is no option of {gate.ref}.", fields=["option"])
    if outcome == "chosen" and not option and not (gate.free_text and words):
        raise invalid(
            "Choose an option" + (" or write an answer." if gate.free_text else "."),
            fields=["option"],
        )
    if outcome == "needs_info" and not words:
        raise invalid("Say what you need to know.", fields=["text"])
    closes = (outcome, option) == ("chosen", "close")
    if gate.purpose == "closure" and not closes and not words:
        raise invalid("Say what is still missing; it becomes a criterion.", fields=["text"])


def answers_for(state: State, agent: str) -> list[Gate]:
    """Answers in effect that concern the agent and that it has not received."""
    return [
        gate
        for gate in state.gates.values()
        if gate.status in ANSWERED
        and agent not in gate.received_by
        and (gate.asked_by == f"agent:{agent}" or may_reword(state, gate, agent))
    ]
