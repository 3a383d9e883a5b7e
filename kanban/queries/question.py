"""A question to a person as every view shows it: what is asked, what it costs to wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask
from kanban.kernel.execution import execution
from kanban.kernel.gate import held_up
from kanban.kernel.present import answer_label
from kanban.kernel.state import Gate, State
from kanban.queries.card import Next


@dataclass(frozen=True, slots=True)
class Option:
    key: str
    label: str
    consequence: str
    suggested: bool


@dataclass(frozen=True, slots=True)
class GateCard:
    """An unsettled question on the board or in the inbox."""

    ref: str
    question: str
    kind: str
    status: str
    revision: int
    asked_by: str
    since: datetime | None
    options: tuple[Option, ...]
    free_text: bool
    blocking: bool
    holds_up: int
    next: Next
    first: bool = False  # the one whose answers lie open
    words: str = ""
    priority: int = 0
    stale: bool = False

    gate = True
    lane = "needs_you"

    @property
    def title(self) -> str:
        return self.question

    @property
    def provisional(self) -> bool:
        return self.status == "provisional"

    @property
    def sent_back(self) -> bool:
        return self.status == "sent_back"


def gate_card(state: State, asked: Gate, now: datetime) -> GateCard:
    gate = worded(state, asked)
    return GateCard(
        ref=gate.ref,
        question=gate.question,
        kind=gate.kind,
        status=gate.status,
        revision=gate.revision,
        asked_by=gate.asked_by,
        since=gate.created_at,
        options=options_of(gate),
        free_text=gate.free_text,
        blocking=gate.blocks_goal or bool(gate.blocks_agent or gate.blocks_todos),
        holds_up=len(held_up(state, gate)),
        next=next_of_gate(gate),
        words=f"{gate.ref} {gate.question} {gate.label}".lower(),
    )


def worded(state: State, gate: Gate) -> Gate:
    """The system's own closing question in the reader's language; others as they were asked."""
    if gate.purpose != "closure":
        return gate
    said = {
        "close": (_("Close it"), _("The goal ends as achieved.")),
        "continue": (
            _("Not yet"),
            _("What you write becomes a criterion that is still to be met."),
        ),
    }
    question = _(
        "Everything planned is done and all criteria are met. Close “{title}” as achieved?"
    )
    return replace(
        gate,
        question=question.format(title=state.goal.title),
        why=_("Closing is final. Nothing is running and no other question is open."),
        options=tuple(
            {"key": key, "label": label, "consequence": consequence}
            for key, (label, consequence) in said.items()
        ),
    )


def options_of(gate: Gate) -> tuple[Option, ...]:
    return tuple(
        Option(
            key=str(option["key"]),
            label=str(option["label"]),
            consequence=str(option.get("consequence", "")),
            suggested=option["key"] == gate.suggested_option,
        )
        for option in gate.options
    )


def next_of_gate(gate: Gate) -> Next:
    if gate.status == "provisional":
        code = {"chosen": "answered", "rejected": "said_no"}.get(gate.outcome, "asked_back")
        return Next(code, who=gate.answered_by, at=gate.effective_at, text=answer_label(gate))
    if gate.status == "sent_back":
        return Next("sent_back", who=gate.asked_by, text=gate.answer_text)
    return Next("you_answer", at=gate.created_at)


def idle_agents(state: State, now: datetime) -> dict[str, list[str]]:
    """By question, the agents that have nothing else to do until it is answered."""
    idle: dict[str, list[str]] = {}
    at_work = {turn.agent for turn in state.turns.values() if turn.status == "live"}
    if not any(gate.status == "open" for gate in state.gates.values()):
        return idle
    for name, member in state.members.items():
        if not member.active or name in at_work:
            continue
        decision = decide(state, Ask(execution(name)), now)
        if decision.reason == "gate_open":
            for question in decision.verdict.questions:
                idle.setdefault(question.ref, []).append(name)
    return idle
