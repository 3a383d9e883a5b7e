"""`decide`: the rules over a settled state. The same state gives the same decision, always."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.kernel.case import Case
from kanban.kernel.codec import write_time
from kanban.kernel.decision import Ask, Decision, Question, Step, Verdict
from kanban.kernel.errors import NotAllowed
from kanban.kernel.frontier import member_of, unsettled
from kanban.kernel.gaps import ended_turns
from kanban.kernel.gate import answers_for
from kanban.kernel.rules import RULES
from kanban.kernel.schedule import next_check, next_instant
from kanban.kernel.state import State


def decide(state: State, ask: Ask, now: datetime) -> Decision:
    """Runs the rules in order; the first that does not pass decides."""
    agent = ask.by.agent
    if member_of(state, agent) is None:
        raise NotAllowed(
            "not_member",
            f"{agent} is not registered on {state.goal.slug}.",
            "A person adds it to the goal.",
        )
    case = Case(state, ask, now)
    verdict, trace = _run(case)
    wake_at = verdict.wake_at
    if wake_at is None and verdict.outcome in ("wait", "ask"):
        wake_at = next_instant(state, now)
    return Decision(
        goal=state.goal.slug,
        agent=agent,
        version=state.goal.version,
        verdict=verdict,
        trace=trace,
        wake_at=wake_at,
        next_check_seconds=next_check(state, ended_turns(state, agent), now, wake_at),
        also_asking=_also_asking(case, verdict),
        answers=tuple(answers_for(state, agent)),
        notices=tuple(_notices(case)),
    )


def _run(case: Case) -> tuple[Verdict, tuple[Step, ...]]:
    steps: list[Step] = []
    verdict: Verdict | None = None
    for number, (name, rule) in enumerate(RULES, start=1):
        if verdict is not None:
            steps.append(Step(number, name, "not reached", {}))
            continue
        case.facts = {}
        verdict = rule(case)
        steps.append(Step(number, name, "decided" if verdict else "passed", case.facts))
    if verdict is None:
        raise AssertionError("the last rule always decides")
    return verdict, tuple(steps)


def _also_asking(case: Case, verdict: Verdict) -> tuple[Question, ...]:
    """Questions that cover only part of the work, unless they are what was decided on."""
    asked = {question.ref for question in verdict.questions}
    return tuple(case.question(gate) for gate in unsettled(case.state) if gate.ref not in asked)


def _notices(case: Case) -> list[dict[str, Any]]:
    """That the last turn of this execution was taken away, until it begins another one."""
    own = [
        turn
        for turn in case.state.turns.values()
        if (turn.agent, turn.execution) == (case.agent, case.ask.by.mark) and turn.began_at
    ]
    last = max(own, key=lambda turn: (turn.began_at, turn.id), default=None)
    if last is None or last.status not in ("revoked", "expired") or last.ended_at is None:
        return []
    return [
        {
            "id": last.id,
            "kind": f"turn_{last.status}",
            "todo": last.todo,
            "why": last.end_reason,
            "at": write_time(last.ended_at),
        }
    ]
