"""The decision: may this execution go on, and how? Its shape, and the fold over the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from kanban.kernel.codec import canonical, digest
from kanban.kernel.execution import Execution
from kanban.kernel.gaps import Gap
from kanban.kernel.state import Gate, Todo, Turn

Outcome = Literal["deliver", "ask", "wait", "self_repair", "quiet"]

# A question and its waiting form say the same thing, so they share a digest.
_SAME_SAYING = {"awaiting_answer": "gate_open", "awaiting_person": "person_needed"}


@dataclass(frozen=True, slots=True)
class Ask:
    """What a caller sends: who it is, what it can do, and which questions it has shown."""

    by: Execution
    capabilities: tuple[str, ...] | None = None
    slots: int = 1
    todo: str = ""
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Something put to a person: a gate, or a todo that only a person can settle."""

    ref: str
    tag: str
    text: str
    gate: Gate | None = None
    todo: Todo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a rule that decides says."""

    outcome: Outcome
    reason: str
    explanation: str
    stop: bool = False
    selected: str = ""
    candidates: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    gap: Gap | None = None
    turn: Turn | None = None
    wake_at: datetime | None = None
    notify: bool = False
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the trace: a rule, how it came out, and the facts it looked at."""

    number: int
    rule: str
    result: Literal["passed", "decided", "not reached"]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    goal: str
    agent: str
    version: int
    verdict: Verdict
    trace: tuple[Step, ...]
    wake_at: datetime | None
    next_check_seconds: int
    also_asking: tuple[Question, ...]
    answers: tuple[Gate, ...]
    notices: tuple[dict[str, Any], ...]

    @property
    def outcome(self) -> Outcome:
        return self.verdict.outcome

    @property
    def reason(self) -> str:
        return self.verdict.reason

    @property
    def may_begin(self) -> bool:
        return self.outcome in ("deliver", "self_repair")

    @property
    def digest(self) -> str:
        """Over what the decision says, not over clock figures."""
        verdict = self.verdict
        said = _SAME_SAYING.get(verdict.reason, verdict.reason)
        return digest(
            canonical(
                [
                    "ask" if said in _SAME_SAYING.values() else verdict.outcome,
                    said,
                    verdict.stop,
                    verdict.selected,
                    verdict.candidates,
                    [question.tag for question in verdict.questions],
                    verdict.gap.key if verdict.gap else "",
                    verdict.turn.id if verdict.turn else "",
                    [question.tag for question in self.also_asking],
                    [f"{gate.ref}@{gate.revision}" for gate in self.answers],
                    [notice["id"] for notice in self.notices],
                ]
            )
        )[:16]


def fold(trace: tuple[Step, ...]) -> str:
    """The name of the one rule that decided."""
    return next(step.rule for step in trace if step.result == "decided")
