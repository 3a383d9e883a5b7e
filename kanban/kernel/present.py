"""Objects of the kernel as plain JSON, in the contract's names; pure and shared by all faces."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.kernel import quota
from kanban.kernel.codec import write_time
from kanban.kernel.conditions import open_dependencies
from kanban.kernel.decision import Decision, Question, Step
from kanban.kernel.evidence import criterion_state, is_fresh
from kanban.kernel.frontier import covering_gates, is_stale
from kanban.kernel.gate import held_up, tag
from kanban.kernel.lanes import gate_lane, lane_of
from kanban.kernel.state import Criterion, Evidence, Gate, Member, Policy, State, Todo, Turn

JSON = dict[str, Any]
A_PERSON = "a person"  # whom a task for people waits for when nobody is named


def moment(value: datetime | None) -> str | None:
    return write_time(value) if value else None


def goal_json(state: State) -> JSON:
    goal = state.goal
    return {
        "slug": goal.slug,
        "title": goal.title,
        "objective": goal.objective,
        "non_goals": goal.non_goals,
        "write_scope": list(goal.write_scope),
        "project": goal.project or None,
        "status": goal.status,
        "revision": goal.revision,
        "version": goal.version,
        "acceptance": [
            criterion_json(state, criterion)
            for criterion in state.criteria.values()
            if not criterion.removed
        ],
        "agents": [member_json(member) for member in state.members.values() if member.active],
        "created_at": moment(goal.created_at),
        "updated_at": moment(goal.updated_at),
        "closed_at": moment(goal.closed_at),
        "closing_note": goal.closing_note or None,
        "sample": goal.sample,
    }


def criterion_json(state: State, criterion: Criterion) -> JSON:
    return {
        "ref": criterion.ref,
        "text": criterion.text,
        "state": criterion_state(state, criterion),
        "revision": criterion.revision,
        "version": criterion.version,
        "set_by": criterion.set_by or None,
        "set_note": criterion.set_note or None,
    }


def member_json(member: Member) -> JSON:
    return {
        "agent": member.agent,
        "host_kind": member.host_kind,
        "role": member.role or None,
        "capabilities": list(member.capabilities),
        "work_mode": member.work_mode,
        "limited_until": "unknown" if member.limit_unknown else moment(member.limited_until),
        "delegated": list(member.delegated),
    }


def todo_json(state: State, todo: Todo, now: datetime) -> JSON:
    return {
        "ref": todo.ref,
        "kind": todo.kind,
        "title": todo.title,
        "body": todo.body,
        "priority": f"P{todo.priority}",
        "status": todo.status,
        "lane": lane_of(state, todo),
        "version": todo.version,
        "owner": _owner(todo, now),
        "waits_for": waits_for(state, todo),
        "required_capabilities": list(todo.required_capabilities),
        "required_write_scopes": list(todo.required_write_scopes),
        "decision_scopes": list(todo.decision_scopes),
        "depends_on": list(todo.depends_on),
        "bound_agent": todo.bound_agent or None,
        "excluded_agents": list(todo.excluded_agents),
        "resume_when": todo.resume_when,
        "blocked_on": todo.blocked_on,
        "status_reason": todo.status_reason or None,
        "due": todo.due.isoformat() if todo.due else None,
        "acceptance_check": todo.acceptance_check or None,
        "keep_true": todo.keep_true,
        "monitor": _monitor(todo),
        "successors": list(todo.successors),
        "superseded_by": list(todo.superseded_by),
        "outcome": todo.outcome or None,
        "rationale": todo.rationale or None,
        "override_note": todo.override_note or None,
        "evidence": [e.ref for e in state.evidence.values() if todo.ref in e.supports],
        "created_at": moment(todo.created_at),
        "created_by": todo.created_by,
        "closed_at": moment(todo.closed_at),
    }


def _owner(todo: Todo, now: datetime) -> JSON | None:
    if not todo.owner:
        return None
    return {
        "agent": todo.owner,
        "epoch": todo.epoch,
        "form": todo.claim_form,
        "since": moment(todo.claimed_at),
        "lease_until": moment(todo.lease_until),
        "stale": is_stale(todo, now),
    }


def _monitor(todo: Todo) -> JSON | None:
    if todo.kind != "monitor":
        return None
    return {
        "target": todo.target,
        "cadence_seconds": todo.cadence_seconds,
        "next_due_at": moment(todo.next_due_at),
        "expires_at": moment(todo.expires_at),
        "unchanged_streak": todo.unchanged_streak,
    }


def waits_for(state: State, todo: Todo) -> list[str]:
    """What stands between an open todo and its start: references, or a person's name."""
    if todo.status in ("done", "superseded", "dropped"):
        return []
    found = [gate.ref for gate in covering_gates(state, todo)] + open_dependencies(state, todo)
    named = todo.blocked_on or {}
    found += [named[key] for key in ("gate", "person") if key in named]
    if todo.kind == "user_action":
        found.append(todo.waits_for or A_PERSON)
    condition = todo.resume_when if todo.status == "deferred" else named.get("until")
    if condition:
        found.append(condition.get("ref") or condition.get("at") or condition["type"])
    return list(dict.fromkeys(found))


def gate_json(state: State, gate: Gate, now: datetime) -> JSON:
    return {
        "ref": gate.ref,
        "tag": tag(gate, now),
        "question": gate.question,
        "label": gate.label or None,
        "why": gate.why or None,
        "kind": gate.kind,
        "decision_scope": gate.decision_scope or None,
        "options": [dict(option) for option in gate.options],
        "suggested_option": gate.suggested_option or None,
        "free_text": gate.free_text,
        "blocks": {
            "goal": gate.blocks_goal,
            "agent": gate.blocks_agent or None,
            "todos": list(gate.blocks_todos),
        },
        "fallback": gate.fallback or None,
        "remind_after_seconds": gate.remind_after_seconds,
        "expire_at": moment(gate.expire_at),
        "default_option": gate.default_option or None,
        "on_reject": gate.on_reject,
        "follows": gate.follows or None,
        "evidence": list(gate.evidence),
        "asked_by": gate.asked_by,
        "status": gate.status,
        "lane": gate_lane(gate),
        "revision": gate.revision,
        "version": gate.version,
        "holds_up": held_up(state, gate),
        "answer": answer_json(gate),
        "received_by": list(gate.received_by),
        "created_at": moment(gate.created_at),
        "ended_at": moment(gate.ended_at),
        "end_reason": gate.end_reason or None,
    }


def answer_json(gate: Gate) -> JSON | None:
    if not gate.outcome:
        return None
    return {
        "outcome": gate.outcome,
        "option": gate.option or None,
        "label": answer_label(gate) or None,
        "text": gate.answer_text or None,
        "answered_by": gate.answered_by,
        "answered_at": moment(gate.answered_at),
        "effective_at": moment(gate.effective_at),
        "provisional": gate.status == "provisional",
    }


def answer_label(gate: Gate) -> str:
    """What was chosen, in the question's own words; empty for a no or a question back."""
    return option_label(gate, gate.option) if gate.option else ""


def option_label(gate: Gate, key: str) -> str:
    return next((str(option["label"]) for option in gate.options if option["key"] == key), key)


def evidence_json(evidence: Evidence) -> JSON:
    return {
        "ref": evidence.ref,
        "kind": evidence.kind,
        "verdict": evidence.verdict,
        "summary": evidence.summary,
        "reference": evidence.reference or None,
        "data": dict(evidence.data),
        "supports": list(evidence.supports),
        "todo": evidence.todo or None,
        "turn": evidence.turn or None,
        "by": evidence.by,
        "fresh": is_fresh(evidence),
        "received_at": moment(evidence.received_at),
        "observed_at": moment(evidence.observed_at),
        "expires_at": moment(evidence.valid_until),
        "revision": evidence.goal_revision,
        "invalidated": {
            "at": moment(evidence.invalidated_at),
            "by": evidence.invalidated_by,
            "reason": evidence.invalidated_reason,
            "replaced_by": evidence.replaced_by or None,
        }
        if evidence.invalidated_at
        else None,
    }


def turn_json(turn: Turn) -> JSON:
    return {
        "id": turn.id,
        "agent": turn.agent,
        "todo": turn.todo or None,
        "gap": turn.gap or None,
        "epoch": turn.epoch,
        "slots": turn.slots,
        "status": turn.status,
        "began_at": moment(turn.began_at),
        "lease_until": moment(turn.lease_until),
        "ends_by": moment(turn.ends_by),
        "reason": turn.reason,
        "result": turn.result or None,
        "outcome": turn.outcome or None,
        "summary": turn.summary or None,
        "evidence": list(turn.evidence),
        "ended_at": moment(turn.ended_at),
        "end_reason": turn.end_reason or None,
        "usage": {
            "tokens_in": turn.tokens_in,
            "tokens_out": turn.tokens_out,
            "cost_usd": turn.cost_micros / 1_000_000,
        },
    }


def decision_json(decision: Decision, *, trace: bool = False) -> JSON:
    verdict = decision.verdict
    body = {
        "goal": decision.goal,
        "agent": decision.agent,
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "explanation": verdict.explanation,
        "stop": verdict.stop,
        "selected": verdict.selected or None,
        "candidates": list(verdict.candidates),
        "questions": [question_json(question) for question in verdict.questions],
        "also_asking": [
            {"ref": question.ref, "tag": question.tag} for question in decision.also_asking
        ],
        "answers": [{"ref": gate.ref, **(answer_json(gate) or {})} for gate in decision.answers],
        "notices": list(decision.notices),
        "turn": verdict.turn.id if verdict.turn else None,
        "gap": {"code": verdict.gap.code, "subject": verdict.gap.subject, "key": verdict.gap.key}
        if verdict.gap
        else None,
        "next_check_seconds": decision.next_check_seconds,
        "wake_at": moment(decision.wake_at),
        "notify": verdict.notify,
        "spend": {"allowed": decision.may_begin, "when": _spend_when(verdict.reason)},
        "digest": decision.digest,
        "version": decision.version,
    }
    return body | {"trace": [step_json(step) for step in decision.trace]} if trace else body


def _spend_when(reason: str) -> str:
    return "material_change" if reason == "monitor_due" else "delivered"


def question_json(question: Question) -> JSON:
    gate = question.gate
    return {
        "ref": question.ref,
        "tag": question.tag,
        "question": question.text,
        "options": [{"key": option["key"], "label": option["label"]} for option in gate.options]
        if gate
        else [],
    }


def step_json(step: Step) -> JSON:
    facts = {
        name: moment(value) if isinstance(value, datetime) else value
        for name, value in step.facts.items()
    }
    return {"rule": step.rule, "number": step.number, "result": step.result, "facts": facts}


def policy_json(policy: Policy) -> JSON:
    cost = policy.cost_budget_micros
    return {
        "share": policy.share,
        "window_hours": policy.window_hours,
        "slot_minutes": policy.slot_minutes,
        "slots": policy.slots,
        "token_budget": policy.token_budget,
        "cost_budget_usd": cost / 1_000_000 if cost is not None else None,
        "active_hours": policy.active_hours,
        "time_zone": policy.time_zone,
        "burst": {"slots": policy.burst_slots, "until": moment(policy.burst_until)}
        if policy.burst_until
        else None,
    }


def quota_json(state: State, now: datetime) -> JSON:
    policy = state.policies.get("", Policy())
    agents = {name: _usage_json(state, own, now) for name, own in state.policies.items() if name}
    lack = quota.shortage(state, "", 1, now)
    return {
        "goal": state.goal.slug,
        **_usage_json(state, policy, now),
        "agents": agents,
        "recovers_at": moment(lack.recovers_at) if lack else None,
        "reason": lack.reason if lack else None,
    }


def _usage_json(state: State, policy: Policy, now: datetime) -> JSON:
    use = quota.usage(state, policy, now)
    return {
        "policy": policy_json(policy),
        "allowed": use.allowed,
        "spent": use.spent,
        "reserved": use.reserved,
        "free": use.free,
        "tokens": use.tokens,
        "cost_usd": use.cost_micros / 1_000_000,
    }
