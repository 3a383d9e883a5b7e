"""The eleven rules, in their order. Each looks at facts and either passes or decides."""

from __future__ import annotations

from collections.abc import Callable

from kanban.kernel import quota
from kanban.kernel.case import Case
from kanban.kernel.decision import Verdict
from kanban.kernel.frontier import (
    can_review,
    covers,
    is_due,
)
from kanban.kernel.gaps import Gap, asked_about, own_repairs, repairer, work_gaps
from kanban.kernel.limits import CANDIDATES, QUIET_POLLS
from kanban.kernel.schedule import opens_at, outside_hours
from kanban.kernel.state import Gate, Turn
from kanban.kernel.waiting import others_move

Rule = Callable[[Case], Verdict | None]


def goal_is_active(case: Case) -> Verdict | None:
    status = case.state.goal.status
    case.facts["status"] = status
    if status == "active":
        return None
    reason = {"paused": "goal_paused", "stopped": "goal_stopped"}.get(status, "goal_closed")
    return Verdict(
        outcome="quiet",
        reason=reason,
        explanation=f"The goal is {status}"
        + ("; a person resumes it." if status in ("paused", "stopped") else "."),
        stop=status != "paused",
    )


def agent_may_act(case: Case) -> Verdict | None:
    member = case.member
    case.facts |= {"work_mode": member.work_mode, "limited_until": member.limited_until}
    if member.work_mode == "paused":
        return Verdict(
            outcome="quiet",
            reason="agent_paused",
            explanation=f"{case.agent} is paused; a person unpauses it.",
        )
    if member.limit_unknown or (member.limited_until and member.limited_until > case.now):
        return Verdict(
            outcome="quiet",
            reason="agent_limited",
            explanation=f"{case.agent} reported a limit of its provider.",
            wake_at=member.limited_until,
        )
    if policy := outside_hours(case.state, case.agent, case.now):
        return Verdict(
            outcome="quiet",
            reason="outside_active_hours",
            explanation=f"It is outside the active hours ({policy.time_zone}).",
            wake_at=opens_at(policy, case.now),
        )
    return None


def state_is_sound(case: Case) -> Verdict | None:
    case.facts["findings"] = list(case.state.findings)
    if not case.state.findings:
        return None
    return Verdict(
        outcome="wait",
        reason="health_blocked",
        explanation=f"The records are not sound: {case.state.findings[0]}. A person runs "
        "`loopx doctor --deep`.",
        notify=True,
    )


def human_judgment(case: Case) -> Verdict | None:
    gates = _direct_gates(case)
    if not gates and case.possible:
        held = [
            [gate for gate in case.holders(todo) if gate in case.blocking] for todo in case.possible
        ]
        if all(held):
            gates = list({gate.ref: gate for group in held for gate in group}.values())
    case.facts["questions"] = [gate.ref for gate in gates]
    case.facts["could_do"] = [todo.ref for todo in case.possible][:CANDIDATES]
    if not gates:
        return None
    questions = tuple(case.question(gate) for gate in gates)
    shown = case.shown(questions)
    effects = [gate.effective_at for gate in gates if gate.effective_at]
    return Verdict(
        outcome="wait" if shown else "ask",
        reason="awaiting_answer" if shown else "gate_open",
        explanation=f"{gates[0].ref} is a person's to decide: {gates[0].question}",
        questions=questions,
        wake_at=min(effects, default=None),
        notify=not shown,
    )


def _direct_gates(case: Case) -> list[Gate]:
    turn = case.live_turn
    todo = case.state.todos.get(turn.todo) if turn else None
    return [
        gate
        for gate in case.blocking
        if gate.blocks_goal
        or gate.blocks_agent == case.agent
        or (todo is not None and covers(gate, todo, case.agent))
    ]


def unfinished_turn(case: Case) -> Verdict | None:
    turn = case.live_turn
    case.facts["turn"] = turn.id if turn else None
    if turn is None or not turn_holds(case, turn):
        return None
    what = turn.todo or turn.gap.partition(":")[0]
    return Verdict(
        outcome="deliver",
        reason="resume_turn",
        explanation=f"Your turn on {what} is still running; go on with it.",
        selected=turn.todo,
        turn=turn,
        wake_at=turn.lease_until,
    )


def turn_holds(case: Case, turn: Turn) -> bool:
    """Whether what the turn was begun for is still there to be done by it."""
    if turn.gap:
        owed = own_repairs(case.state, case.agent, case.sent_back)
        return any(gap.key == turn.gap for gap in [*work_gaps(case.state), *owed])
    todo = case.state.todos[turn.todo]
    if todo.status == "review":
        return can_review(todo, case.ask.by, case.state)
    return todo.epoch == turn.epoch and todo.claim_form == "lease" and not case.lacking(todo)


def quota_has_room(case: Case) -> Verdict | None:
    lack = quota.shortage(case.state, case.agent, case.ask.slots, case.now)
    policies = quota.policies_for(case.state, case.agent)
    for policy in policies:
        use = quota.usage(case.state, policy, case.now)
        case.facts[policy.agent or "goal"] = {
            "allowed": use.allowed,
            "spent": use.spent,
            "reserved": use.reserved,
        }
    if lack is None:
        return None
    whose = lack.policy.agent or "the goal"
    words = {
        "quota_paused": f"The quota of {whose} is paused (share 0); a person raises it.",
        "quota_exhausted": f"{lack.usage.spent + lack.usage.reserved} of {lack.usage.allowed} "
        f"slots of {whose} are used.",
        "token_budget_exhausted": f"The token budget of {whose} is spent.",
        "cost_budget_exhausted": f"The money budget of {whose} is spent.",
    }
    return Verdict(
        outcome="quiet",
        reason=lack.reason,
        explanation=words[lack.reason],
        wake_at=lack.recovers_at,
    )


def repair_owed(case: Case) -> Verdict | None:
    owed = list(own_repairs(case.state, case.agent, case.sent_back))
    case.facts["owed"] = [gap.code for gap in owed]
    free = None if case.monitors_only else _free(case, owed)
    return _repair(case, free) if free else None


def due_monitor(case: Case) -> Verdict | None:
    due = [
        todo
        for todo in case.open_todos
        if is_due(todo, case.now) and not case.lacking(todo) and not case.holders(todo)
    ]
    case.facts["due"] = [todo.ref for todo in due]
    if not due or (_polled_enough(case) and case.workable and not case.monitors_only):
        return None
    return Verdict(
        outcome="deliver",
        reason="monitor_due",
        explanation=f"{due[0].ref} is due: look at {due[0].target}. Read only.",
        selected=due[0].ref,
        candidates=tuple(todo.ref for todo in due[1 : CANDIDATES + 1]),
    )


def _polled_enough(case: Case) -> bool:
    recent = sorted(
        (t for t in case.state.turns.values() if t.agent == case.agent and t.ended_at),
        key=lambda turn: (turn.ended_at, turn.id),
        reverse=True,
    )[:QUIET_POLLS]
    return len(recent) == QUIET_POLLS and all(
        turn.result == "no_change"
        and turn.todo in case.state.todos
        and case.state.todos[turn.todo].kind == "monitor"
        for turn in recent
    )


def frontier(case: Case) -> Verdict | None:
    work = [] if case.monitors_only else case.workable
    case.facts["runnable"] = [todo.ref for todo in work][:CANDIDATES]
    if not work:
        return None
    first = work[0]
    review = first.status == "review"
    return Verdict(
        outcome="deliver",
        reason="review_ready" if review else "work_ready",
        explanation=f"{first.ref} can be {'reviewed' if review else 'worked on'}: {first.title}",
        selected=first.ref,
        candidates=tuple(todo.ref for todo in work[1 : CANDIDATES + 1]),
    )


def gap_to_repair(case: Case) -> Verdict | None:
    gaps = [] if case.monitors_only or case.ask.todo else list(work_gaps(case.state))
    case.facts["gaps"] = [gap.code for gap in gaps]
    free = _free(case, gaps)
    return _repair(case, free) if free else None


def _free(case: Case, gaps: list[Gap]) -> Gap | None:
    """The first gap that nobody repairs and that has not been put to a person."""
    return next(
        (
            gap
            for gap in gaps
            if repairer(case.state, gap.key) is None and not asked_about(case.state, gap.key)
        ),
        None,
    )


def _repair(case: Case, gap: Gap) -> Verdict:
    return Verdict(
        outcome="self_repair",
        reason=gap.code,
        explanation=gap.fact[0].upper() + gap.fact[1:] + ".",
        gap=gap,
    )


def move_of_others(case: Case) -> Verdict:
    return others_move(case)


RULES: tuple[tuple[str, Rule], ...] = (
    ("goal_is_active", goal_is_active),
    ("agent_may_act", agent_may_act),
    ("state_is_sound", state_is_sound),
    ("human_judgment", human_judgment),
    ("unfinished_turn", unfinished_turn),
    ("quota_has_room", quota_has_room),
    ("repair_owed", repair_owed),
    ("due_monitor", due_monitor),
    ("frontier", frontier),
    ("gap_to_repair", gap_to_repair),
    ("move_of_others", move_of_others),
)
