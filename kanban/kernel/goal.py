"""A goal's life: creation, objective, criteria, members, quota policy, pause and end."""

from __future__ import annotations

from dataclasses import fields
from typing import Any
from zoneinfo import available_timezones

from kanban.kernel import scopes, text
from kanban.kernel.actor import require_administrator, require_person
from kanban.kernel.claim import NO_CLAIM, Rows, end_turn
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, Invalid, invalid, missing
from kanban.kernel.limits import FIGURE_MAX, SLOTS_MAX
from kanban.kernel.schedule import DAYS, clock
from kanban.kernel.state import Member, Policy

WORK_MODES = ("active", "monitor_only", "paused")
CLOSED_GOALS = ("achieved", "abandoned")
_POLICY_FIELDS = frozenset(field.name for field in fields(Policy)) - {"agent"}
DELEGABLE = ("complete", "release", "reassign", "supersede", "update")


def create_goal(draft: Draft, given: dict[str, Any]) -> None:
    """The first event of a goal: title, objective, criteria (at least one) and scope."""
    objective = text.body(given.get("objective", ""), "objective").strip()
    title = text.title(given.get("title", ""))
    wanted = [text.title(item, "acceptance", limit=2_000) for item in given.get("acceptance") or ()]
    criteria = wanted or [(objective or title)[:2_000]]
    rows: Rows = {
        ("goal", ""): {
            "title": title,
            "objective": objective or title,
            "non_goals": text.body(given.get("non_goals", ""), "non_goals"),
            "write_scope": scopes.parse(given.get("write_scope") or ()),
            "project": given.get("project") or "",
            "sample": bool(given.get("sample", False)),
            "created_at": draft.now,
            "created_by": str(draft.actor),
        },
        ("policy", ""): {},
    }
    for number, words in enumerate(criteria, start=1):
        rows["criterion", f"A{number}"] = {"text": words, "created_at": draft.now}
    draft.record("goal.created", draft.state.goal.slug, rows)


def update_goal(draft: Draft, given: dict[str, Any]) -> None:
    """People change title, objective, scope and non-goals; objective or scope bump `revision`."""
    require_person(draft.actor, "Changing a goal")
    _require_open(draft)
    goal = draft.state.goal
    fields: dict[str, Any] = {}
    if "title" in given:
        fields["title"] = text.title(given["title"])
    if "objective" in given:
        fields["objective"] = text.title(given["objective"], "objective", limit=text.BODY_LIMIT)
    if "non_goals" in given:
        fields["non_goals"] = text.body(given["non_goals"], "non_goals")
    if "write_scope" in given:
        fields["write_scope"] = scopes.parse(given["write_scope"])
    changed = {name: value for name, value in fields.items() if getattr(goal, name) != value}
    if {"objective", "write_scope"} & changed.keys():
        changed["revision"] = goal.revision + 1
    if changed:
        draft.record_one("goal.updated", ("goal", ""), **changed)


def add_criterion(draft: Draft, words: str) -> str:
    require_person(draft.actor, "Adding a criterion")
    _require_open(draft)
    ref = draft.next_ref("criterion")
    draft.record_one(
        "criterion.added",
        ("criterion", ref),
        text=text.title(words, "text", limit=2_000),
        created_at=draft.now,
    )
    return ref


def update_criterion(draft: Draft, ref: str, given: dict[str, Any]) -> None:
    """A person rewords a criterion (new revision), sets its state with a note, or removes it."""
    require_person(draft.actor, "Changing a criterion")
    _require_open(draft)
    criterion = draft.state.criteria.get(ref)
    if criterion is None:
        raise missing("criterion", ref)
    fields: dict[str, Any] = {}
    if "text" in given and (words := text.title(given["text"], limit=2_000)) != criterion.text:
        # What a person said of the old words does not speak for the new ones.
        unset = {"set_state": "", "set_by": "", "set_note": ""}
        fields |= {"text": words, "revision": criterion.revision + 1, **unset}
    if "state" in given:
        if given["state"] not in ("met", "unmet", ""):
            raise invalid("state is met, unmet, or empty for what evidence says.", fields=["state"])
        note = text.note(given.get("note") or "", "note")
        if given["state"] and not note:
            raise invalid("Say why, in a note.", fields=["note"])
        fields |= {"set_state": given["state"], "set_by": str(draft.actor), "set_note": note}
    if given.get("removed"):
        standing = [c for c in draft.state.criteria.values() if not c.removed and c.ref != ref]
        if not standing:
            raise invalid("A goal keeps at least one criterion.", fields=["removed"])
        fields["removed"] = True
    if fields:
        draft.record_one("criterion.updated", ("criterion", ref), **fields)


def pause_goal(draft: Draft, *, reason: str = "") -> None:
    require_administrator(draft.actor, "Pausing a goal")
    _require_open(draft)
    _set_status(draft, "paused", "goal.paused", reason)


def resume_goal(draft: Draft) -> None:
    require_administrator(draft.actor, "Resuming a goal")
    _require_open(draft)
    _set_status(draft, "active", "goal.resumed", "")


def stop_goal(draft: Draft, *, reason: str) -> None:
    """Ends every loop and all work under way; a person may resume the goal later."""
    require_administrator(draft.actor, "Stopping a goal")
    _require_open(draft)
    _set_status(draft, "stopped", "goal.stopped", reason, ends=True)


def close_goal(draft: Draft, *, outcome: str, reason: str) -> None:
    """A person ends the goal as achieved or abandoned; closing is final."""
    require_person(draft.actor, "Closing a goal")
    _require_open(draft)
    if outcome not in ("achieved", "abandoned"):
        raise invalid("outcome is achieved or abandoned.", fields=["outcome"])
    _set_status(draft, outcome, "goal.closed", text.title(reason, "reason", limit=4_000), ends=True)


def register_member(draft: Draft, agent: Member) -> None:
    """Registers an agent, or brings its copy in this goal up to date.

    An agent registers only itself, and only where the goal allows it.
    """
    own = draft.actor.is_agent and draft.actor.name == agent.agent
    if not (own and draft.state.goal.self_registration):
        require_administrator(draft.actor, "Registering an agent")
    enrol(draft, agent)


def enrol(draft: Draft, agent: Member) -> None:
    present = draft.state.members.get(agent.agent)
    fields = {
        "active": True,
        "host_kind": agent.host_kind,
        "role": agent.role,
        "capabilities": agent.capabilities,
        "work_mode": agent.work_mode,
    }
    if present and all(getattr(present, name) == value for name, value in fields.items()):
        return
    joined = {} if present else {"joined_at": draft.now}
    draft.record_one("member.registered", ("member", agent.agent), **fields, **joined)


def remove_member(draft: Draft, agent: str) -> None:
    require_administrator(draft.actor, "Removing an agent")
    if agent not in draft.state.members:
        raise missing("agent", agent)
    rows = _release_all(draft, agent)
    rows["member", agent] = {"active": False}
    draft.record("member.removed", agent, rows)


def change_member(draft: Draft, agent: str, given: dict[str, Any]) -> None:
    """Work mode, limit and delegation of a member; pausing releases its soft claims."""
    if draft.state.goal.status in CLOSED_GOALS:
        return
    if agent not in draft.state.members:
        raise missing("agent", agent)
    own = draft.actor.is_agent and draft.actor.name == agent
    mode = given.get("work_mode")
    if not (own and (mode in (None, "paused")) and "delegated" not in given):
        require_administrator(draft.actor, "Changing an agent")
    if mode is not None and mode not in WORK_MODES:
        raise invalid(f"work_mode {mode!r} is none of {', '.join(WORK_MODES)}.")
    if not {*given.get("delegated", ())} <= {*DELEGABLE}:
        raise invalid(f"delegated may hold {', '.join(DELEGABLE)}.", fields=["delegated"])
    present = draft.state.members[agent]
    changed = {name: value for name, value in given.items() if getattr(present, name) != value}
    if not changed:
        return
    rows = _release_all(draft, agent, soft_only=True) if mode == "paused" else {}
    rows["member", agent] = changed
    draft.record("member.changed", agent, rows)


def set_policy(draft: Draft, agent: str, given: dict[str, Any], *, reason: str = "") -> None:
    """Quota of the goal (`agent` empty) or of one agent in it; lowering takes nothing back."""
    require_administrator(draft.actor, "Changing quota")
    if agent and agent not in draft.state.members:
        raise missing("agent", agent)
    before = draft.state.policies.get(agent, Policy(agent=agent))
    check_policy(given)
    changed = {name: value for name, value in given.items() if getattr(before, name) != value}
    if changed or agent not in draft.state.policies:
        draft.record_one("quota.policy_set", ("policy", agent), **changed)


def check_policy(given: dict[str, Any]) -> None:
    """Refuses figures, zones and hours that cannot be meant."""
    if unknown := given.keys() - _POLICY_FIELDS:
        names = ", ".join(sorted(unknown))
        raise Invalid("unknown_field", f"A policy has no {names}.", fields=sorted(unknown))
    if not 0 <= given.get("share", 1) <= 1:
        raise invalid("share lies between 0 and 1.", fields=["share"])
    for name in ("window_hours", "slot_minutes"):
        if name in given and not 1 <= given[name] <= 24 * 366:
            raise invalid(f"{name} must be at least 1.", fields=[name])
    for name in ("slots", "token_budget", "cost_budget_micros", "burst_slots"):
        most = SLOTS_MAX if name in ("slots", "burst_slots") else FIGURE_MAX
        if given.get(name) is not None and not 0 <= given[name] <= most:
            raise invalid(f"{name} lies between 0 and {most}.", fields=[name])
    if "time_zone" in given and given["time_zone"] not in available_timezones():
        raise invalid(
            f"{given['time_zone']!r} is no time zone.",
            "Such as Asia/Shanghai.",
            fields=["time_zone"],
        )
    check_hours(given.get("active_hours"))


def check_hours(hours: dict[str, Any] | None) -> None:
    """Refuses hours that `schedule` could not read."""
    try:
        for day, spans in (hours or {}).items():
            if day not in DAYS or any(clock(start) >= clock(end) for start, end in spans):
                raise ValueError(day)
    except (AttributeError, TypeError, ValueError):
        raise invalid(
            "active_hours cannot be read.",
            'Days mon to sun, each with spans: {"mon": [["09:00", "18:00"]]}.',
            fields=["active_hours"],
        ) from None


def _require_open(draft: Draft) -> None:
    if draft.state.goal.status in CLOSED_GOALS:
        raise Conflict(
            "goal_not_active",
            f"The goal is {draft.state.goal.status}; that is final.",
            "Start a new goal that follows it.",
        )


def _set_status(draft: Draft, status: str, kind: str, note: str, *, ends: bool = False) -> None:
    if draft.state.goal.status == status:
        return
    rows: Rows = {("goal", ""): {"status": status, "closing_note": note}}
    if status in CLOSED_GOALS:
        rows["goal", ""]["closed_at"] = draft.now
    if ends:
        for turn in draft.state.turns.values():
            if turn.status == "live":
                rows |= end_turn(draft, turn, "revoked", f"the goal is {status}")
        for todo in draft.state.todos.values():
            if todo.owner and todo.status not in ("done", "superseded", "dropped"):
                rows["todo", todo.ref] = dict(NO_CLAIM)
    draft.record(kind, draft.state.goal.slug, rows)


def _release_all(draft: Draft, agent: str, *, soft_only: bool = False) -> Rows:
    """Frees what an agent holds; leases run out by themselves when it is only paused."""
    rows: Rows = {}
    for todo in draft.state.todos.values():
        held = todo.claim_form == "soft" or not soft_only
        # The owner of work in review is its author: whoever reviews it must not become that.
        if todo.owner == agent and held and todo.status != "review":
            rows["todo", todo.ref] = dict(NO_CLAIM)
    if not soft_only:
        for turn in draft.state.turns.values():
            if turn.status == "live" and turn.agent == agent:
                rows |= end_turn(draft, turn, "revoked", f"{agent} left the goal")
    return rows
