"""Why an agent is not running: its decision's trace, the rule that decided first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask, Decision
from kanban.kernel.execution import Execution, execution
from kanban.kernel.state import State


@dataclass(frozen=True, slots=True)
class Rung:
    number: int
    name: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    ref: str
    question: str


@dataclass(frozen=True, slots=True)
class Fact:
    code: str
    text: str = ""
    ref: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AgentLine:
    agent: str
    outcome: str
    reason: str

    @property
    def running(self) -> bool:
        return self.reason == "resume_turn"

    @property
    def free(self) -> bool:
        return self.outcome in ("deliver", "self_repair")


@dataclass(frozen=True, slots=True)
class Why:
    agents: tuple[AgentLine, ...]
    agent: str = ""
    outcome: str = ""
    reason: str = ""
    decided: Rung | None = None
    passed: tuple[Rung, ...] = ()
    later: tuple[Rung, ...] = ()
    questions: tuple[Question, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def mark(self) -> str:
        return {"ask": "needs_you", "deliver": "working", "self_repair": "working"}.get(
            self.outcome, "needs_you" if self.reason == "awaiting_answer" else "waiting"
        )

    @property
    def action_ref(self) -> str:
        """The question that would set the agent free, if it is one."""
        return self.questions[0].ref if self.questions else ""


def why_of(state: State, now: datetime, wanted: str = "") -> Why:
    names = [name for name, member in state.members.items() if member.active]
    decisions = {name: decide(state, _asker(state, name), now) for name in names}
    lines = tuple(AgentLine(name, d.outcome, d.reason) for name, d in decisions.items())
    ordered = tuple(sorted(lines, key=lambda line: (line.running, line.free, line.agent)))
    if not ordered:
        return Why(())
    agent = wanted if wanted in decisions else ordered[0].agent
    return _explained(ordered, agent, decisions[agent])


def _asker(state: State, agent: str) -> Ask:
    """The agent as its live turn's process asks, else as any process of it would."""
    for turn in state.turns.values():
        if turn.status == "live" and turn.agent == agent:
            return Ask(Execution(agent, turn.execution))
    return Ask(execution(agent))


def _explained(lines: tuple[AgentLine, ...], agent: str, decision: Decision) -> Why:
    steps: dict[str, list[Rung]] = {"decided": [], "passed": [], "not reached": []}
    for step in decision.trace:
        steps[step.result].append(Rung(step.number, step.rule, step.facts))
    verdict = decision.verdict
    questions = tuple(Question(q.ref, q.text) for q in verdict.questions)
    return Why(
        agents=lines,
        agent=agent,
        outcome=decision.outcome,
        reason=decision.reason,
        decided=steps["decided"][0],
        passed=tuple(steps["passed"]),
        later=tuple(steps["not reached"]),
        questions=questions,
        facts=_facts(decision),
    )


def _facts(decision: Decision) -> tuple[Fact, ...]:
    verdict = decision.verdict
    found: list[Fact] = []
    if verdict.selected:
        found.append(Fact("selected", verdict.selected, ref=verdict.selected))
    if verdict.turn and verdict.turn.todo:
        found.append(Fact("turn", verdict.turn.todo, ref=verdict.turn.todo))
    if verdict.gap:
        found.append(Fact("gap", verdict.gap.fact))
    if decision.wake_at:
        found.append(Fact("wake_at", at=decision.wake_at))
    return tuple(found)
