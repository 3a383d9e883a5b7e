"""The re-entry packet: what an agent must know to go on, in at most 4 KiB."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from kanban.kernel.brief import fit
from kanban.kernel.decision import Decision
from kanban.kernel.evidence import is_fresh
from kanban.kernel.present import answer_json, criterion_json, moment
from kanban.kernel.state import Evidence, Gate, State, Todo, Turn

LIMIT = 4096
EVIDENCE = 8

JSON = dict[str, Any]


def packet(state: State, decision: Decision, turn: Turn | None, now: datetime) -> JSON:
    """`turn` is the one that was just begun or is being resumed, None before it begins."""
    turn = turn or decision.verdict.turn
    todo = state.todos.get(turn.todo if turn else decision.verdict.selected)
    body = {
        "goal": _goal(state),
        "agent": decision.agent,
        "decision": _decision(decision),
        "turn": _turn(turn),
        "todo": _todo(state, todo) if todo else None,
        "gap": _gap(decision),
        "answers": [_answer(gate) for gate in decision.answers],
        "boundary": _boundary(state, decision.agent, todo),
        "evidence": [_evidence(item) for item in _relevant(state, todo)],
        "notices": [dict(notice) for notice in decision.notices],
        "next": list(_next(decision, turn, todo)),
    }
    return fit(body, LIMIT)


def _goal(state: State) -> JSON:
    goal = state.goal
    shown = [criterion for criterion in state.criteria.values() if not criterion.removed]
    return {
        "slug": goal.slug,
        "title": goal.title,
        "objective": goal.objective,
        "status": goal.status,
        "revision": goal.revision,
        "acceptance": [
            {name: value for name, value in criterion_json(state, c).items() if name in _CRITERION}
            for c in shown
        ],
    }


_CRITERION = ("ref", "text", "state")


def _decision(decision: Decision) -> JSON:
    verdict = decision.verdict
    return {
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "explanation": verdict.explanation,
        "stop": verdict.stop,
        "questions": [
            {"ref": question.ref, "tag": question.tag, "question": question.text}
            for question in verdict.questions
        ],
        "next_check_seconds": decision.next_check_seconds,
        "digest": decision.digest,
    }


def _turn(turn: Turn | None) -> JSON | None:
    if turn is None:
        return None
    return {
        "id": turn.id,
        "epoch": turn.epoch,
        "lease_until": moment(turn.lease_until),
        "ends_by": moment(turn.ends_by),
    }


def _todo(state: State, todo: Todo) -> JSON:
    body = {
        "ref": todo.ref,
        "title": todo.title,
        "kind": todo.kind,
        "priority": f"P{todo.priority}",
        "status": todo.status,
        "body": todo.body,
        "acceptance_check": todo.acceptance_check,
        "target": todo.target,
        "status_reason": todo.status_reason,
        "depends_on": [
            {"ref": ref, "title": state.todos[ref].title, "status": state.todos[ref].status}
            for ref in todo.depends_on
        ],
        "decision_scopes": list(todo.decision_scopes),
    }
    return {name: value for name, value in body.items() if value not in ("", [])}


def _gap(decision: Decision) -> JSON | None:
    gap = decision.verdict.gap
    return {"code": gap.code, "subject": gap.subject, "fact": gap.fact} if gap else None


def _answer(gate: Gate) -> JSON:
    said = {name: value for name, value in (answer_json(gate) or {}).items() if value}
    return {"ref": gate.ref, "question": gate.question, **said}


def _boundary(state: State, agent: str, todo: Todo | None) -> JSON:
    goal = state.goal
    scope = (todo.required_write_scopes if todo else ()) or goal.write_scope
    return {
        "write_scope": list(scope),
        "non_goals": [line.strip() for line in goal.non_goals.splitlines() if line.strip()],
        "note": _advice(state, agent, scope),
    }


def _advice(state: State, agent: str, scope: tuple[str, ...]) -> str:
    where = "Write only inside the write scope." if scope else "No files are yours to change here."
    peers = sorted(
        f"{turn.agent} on {turn.todo or turn.gap.partition(':')[0]}"
        for turn in state.turns.values()
        if turn.status == "live" and turn.agent != agent
    )
    if peers:
        return f"{where} Use a working copy of your own; at work now: {', '.join(peers)}."
    return f"{where} Use a working copy of your own."


def _relevant(state: State, todo: Todo | None) -> list[Evidence]:
    """Of the todo and what it depends on, or of the criteria; the newest first."""
    about = {todo.ref, *todo.depends_on} if todo else {*state.criteria}
    items = [item for item in state.evidence.values() if about & {*item.supports}]
    return sorted(items, key=lambda item: int(item.ref[1:]), reverse=True)[:EVIDENCE]


def _evidence(item: Evidence) -> JSON:
    return {
        "ref": item.ref,
        "verdict": item.verdict,
        "summary": item.summary,
        "supports": list(item.supports),
        "fresh": is_fresh(item),
    }


def _next(decision: Decision, turn: Turn | None, todo: Todo | None) -> Iterator[str]:
    verdict = decision.verdict
    if turn is not None:
        yield from _finishing(turn, todo)
    elif decision.may_begin:
        yield "loopx turn begin" + (f" --todo {verdict.selected}" if verdict.selected else "")
    elif verdict.outcome == "quiet" and verdict.stop:
        return
    else:
        for question in verdict.questions[:3]:
            noun = "gate" if question.gate else "todo"
            yield f"loopx {noun} show {question.ref}"
        yield f"loopx wait --after {decision.digest}"


def _finishing(turn: Turn, todo: Todo | None) -> Iterator[str]:
    fence = f"{turn.id} --epoch {turn.epoch}"
    finish = f"loopx turn finish {fence} --result"
    yield f"loopx turn renew {fence}"
    if todo is None:
        yield from _repairs(turn)
        yield f"{finish} progress --summary 'WHAT CHANGED'"
        yield f"{finish} no_change --summary 'WHY NOTHING CHANGED'"
        return
    if todo.status == "review":
        yield f"{finish} completed --summary 'WHAT WAS REVIEWED'"
        yield f"loopx todo return {todo.ref} --reason 'WHAT IS MISSING'"
        return
    if todo.kind == "monitor":
        yield f"{finish} no_change --summary 'NOTHING NEW'"
        yield f"{finish} progress --summary 'WHAT CHANGED' --evidence 'url supports: WHAT IT SHOWS'"
        return
    if todo.acceptance_check:
        yield f"loopx turn finish {fence} --body RESULT.json"
    else:
        done = f"{finish} completed --evidence 'test supports: WHAT IT SHOWS'"
        yield f"{done} --successor 'WHAT COMES NEXT'"
        yield f"{done} --nothing-more 'WHY NOTHING FOLLOWS'"
    yield f"{finish} progress --summary 'WHAT IS DONE' --evidence 'note supports: WHAT IT SHOWS'"
    yield f"loopx gate ask 'QUESTION' --todo {todo.ref} --option KEY=LABEL --option KEY=LABEL"


def _repairs(turn: Turn) -> Iterator[str]:
    code, _, rest = turn.gap.partition(":")
    subject = rest.partition(":")[0]
    if code == "acceptance_gap":
        yield "loopx todo add 'WORK THAT MEETS THE CRITERION'"
    elif code == "decision_gap":
        yield (
            f"loopx gate ask 'QUESTION' --todo {subject} --decision-scope SCOPE "
            "--option KEY=LABEL --option KEY=LABEL"
        )
    elif code == "needs_info":
        yield f"loopx gate revise {subject} --question 'THE QUESTION WITH WHAT WAS MISSING'"
