"""One goal's state as plain data: a frozen row per object, and the fold of changes over it.

The fields of a row are the columns of its table. A field marked TEXT holds words of people or
agents: the event log keeps it apart from the hashed data, so that it can be erased.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final

TEXT: Final = {"text": True}
JSON = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    slug: str
    title: str = field(default="", metadata=TEXT)
    objective: str = field(default="", metadata=TEXT)
    non_goals: str = field(default="", metadata=TEXT)
    write_scope: tuple[str, ...] = ()
    project: str = ""
    follows: str = ""
    status: str = "active"
    revision: int = 1
    sample: bool = False
    self_registration: bool = False
    closing_note: str = field(default="", metadata=TEXT)
    created_at: datetime | None = None
    created_by: str = ""
    closed_at: datetime | None = None
    # Kept by `apply` alone, so replay finds the same values.
    version: int = 0
    updated_at: datetime | None = None
    changed_at: datetime | None = None
    last_criterion: int = 0
    last_todo: int = 0
    last_gate: int = 0
    last_evidence: int = 0
    last_entry: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    ref: str
    text: str = field(default="", metadata=TEXT)
    revision: int = 1
    removed: bool = False
    set_state: str = ""  # a person's word over the evidence: "met", "unmet" or ""
    set_by: str = ""
    set_note: str = field(default="", metadata=TEXT)
    created_at: datetime | None = None
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    agent: str
    active: bool = True
    host_kind: str = "other"
    role: str = ""
    capabilities: tuple[str, ...] = ()
    work_mode: str = "active"
    limited_until: datetime | None = None
    limit_unknown: bool = False
    delegated: tuple[str, ...] = ()
    joined_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Todo:
    ref: str
    kind: str = "advancement"
    title: str = field(default="", metadata=TEXT)
    body: str = field(default="", metadata=TEXT)
    priority: int = 2
    rank: str = ""
    status: str = "open"
    required_capabilities: tuple[str, ...] = ()
    required_write_scopes: tuple[str, ...] = ()
    decision_scopes: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    excluded_agents: tuple[str, ...] = ()
    bound_agent: str = ""
    waits_for: str = ""
    resume_when: JSON | None = None
    blocked_on: JSON | None = None
    status_reason: str = field(default="", metadata=TEXT)
    due: date | None = None
    acceptance_check: str = field(default="", metadata=TEXT)
    keep_true: bool = False
    target: str = field(default="", metadata=TEXT)
    cadence_seconds: int | None = None
    next_due_at: datetime | None = None
    expires_at: datetime | None = None
    result_hash: str = ""
    unchanged_streak: int = 0
    successors: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    outcome: str = ""
    rationale: str = field(default="", metadata=TEXT)
    override_note: str = field(default="", metadata=TEXT)
    created_at: datetime | None = None
    created_by: str = ""
    closed_at: datetime | None = None
    # The claim: the one ownership record.
    owner: str = ""
    execution: str = ""
    epoch: int = 0
    claim_form: str = ""  # "", "soft" or "lease"
    claimed_at: datetime | None = None
    lease_until: datetime | None = None
    claim_scopes: tuple[str, ...] = ()
    owner_wrote_at: datetime | None = None
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    ref: str
    question: str = field(default="", metadata=TEXT)
    label: str = field(default="", metadata=TEXT)
    why: str = field(default="", metadata=TEXT)
    kind: str = "other"
    decision_scope: str = ""
    options: tuple[JSON, ...] = field(default=(), metadata=TEXT)
    suggested_option: str = ""
    free_text: bool = False
    blocks_goal: bool = False
    blocks_agent: str = ""
    blocks_todos: tuple[str, ...] = ()
    fallback: str = field(default="", metadata=TEXT)
    remind_after_seconds: int = 86400
    expire_at: datetime | None = None
    default_option: str = ""
    on_reject: str = "block"
    follows: str = ""
    evidence: tuple[str, ...] = ()
    asked_by: str = ""
    purpose: str = ""  # the system's own questions: "closure", or the key of a gap
    revision: int = 1
    status: str = "open"
    outcome: str = ""
    option: str = ""
    answer_text: str = field(default="", metadata=TEXT)
    answered_by: str = ""
    answered_at: datetime | None = None
    effective_at: datetime | None = None
    received_by: tuple[str, ...] = ()
    created_at: datetime | None = None
    revised_at: datetime | None = None
    ended_at: datetime | None = None
    end_reason: str = field(default="", metadata=TEXT)
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    id: str
    agent: str = ""
    execution: str = ""
    todo: str = ""
    gap: str = ""
    epoch: int = 0
    slots: int = 1
    status: str = "live"  # live, finished, expired, revoked
    began_at: datetime | None = None
    lease_until: datetime | None = None
    ends_by: datetime | None = None
    reason: str = ""
    trace: tuple[JSON, ...] = ()
    goal_revision: int = 1
    criterion_revisions: JSON = field(default_factory=dict)
    result: str = ""
    outcome: str = ""
    summary: str = field(default="", metadata=TEXT)
    evidence: tuple[str, ...] = ()
    continuation: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    ended_at: datetime | None = None
    end_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    ref: str
    kind: str = "note"
    verdict: str = "supports"
    summary: str = field(default="", metadata=TEXT)
    reference: str = field(default="", metadata=TEXT)
    data: JSON = field(default_factory=dict, metadata=TEXT)
    supports: tuple[str, ...] = ()
    todo: str = ""
    turn: str = ""
    by: str = ""
    received_at: datetime | None = None
    observed_at: datetime | None = None
    valid_until: datetime | None = None
    expired: bool = False
    goal_revision: int = 1
    criterion_revisions: JSON = field(default_factory=dict)
    content_hash: str = ""
    invalidated_at: datetime | None = None
    invalidated_by: str = ""
    invalidated_reason: str = field(default="", metadata=TEXT)
    replaced_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One booking of quota; it counts in the rolling window from the moment `at`."""

    ref: str
    agent: str = ""
    turn: str = ""
    todo: str = ""
    status: str = "reserved"  # reserved, spent, released, void
    slots: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    outcome: str = ""
    at: datetime | None = None
    settled_at: datetime | None = None
    note: str = field(default="", metadata=TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Quota of the goal (`agent` empty) or of one agent in it; both apply."""

    agent: str = ""
    share: float = 1.0
    window_hours: int = 24
    slot_minutes: int = 15
    slots: int | None = None
    token_budget: int | None = None
    cost_budget_micros: int | None = None
    active_hours: JSON | None = None
    time_zone: str = "UTC"
    burst_slots: int = 0
    burst_until: datetime | None = None


Row = Goal | Criterion | Member | Todo | Gate | Turn | Evidence | Entry | Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One goal, whole: every table of the goal by key."""

    goal: Goal
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    members: Mapping[str, Member] = field(default_factory=dict)
    todos: Mapping[str, Todo] = field(default_factory=dict)
    gates: Mapping[str, Gate] = field(default_factory=dict)
    turns: Mapping[str, Turn] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)
    policies: Mapping[str, Policy] = field(default_factory=dict)
    findings: tuple[str, ...] = ()  # what the ledger check found; never folded from events

    @classmethod
    def empty(cls, slug: str) -> State:
        return cls(goal=Goal(slug=slug))


@dataclass(frozen=True, slots=True)
class Table:
    """Where an object's rows live in `State`, what makes them, which field is their key."""

    name: str
    row: type[Any]
    key: str
    counter: str = ""  # the goal's field that holds the last number given out

    @property
    def versioned(self) -> bool:
        return "version" in self.row.__dataclass_fields__


TABLES: dict[str, Table] = {
    "criterion": Table("criteria", Criterion, "ref", "last_criterion"),
    "member": Table("members", Member, "agent"),
    "todo": Table("todos", Todo, "ref", "last_todo"),
    "gate": Table("gates", Gate, "ref", "last_gate"),
    "turn": Table("turns", Turn, "id"),
    "evidence": Table("evidence", Evidence, "ref", "last_evidence"),
    "entry": Table("entries", Entry, "ref", "last_entry"),
    "policy": Table("policies", Policy, "agent"),
}

# Events that cannot change a decision: they do not make a goal "changed".
QUIET_KINDS: frozenset[str] = frozenset(
    {"turn.renewed", "gate.received", "lease.renewed", "monitor.polled"}
)

RowKey = tuple[str, str]  # ("todo", "T12"); the goal itself is ("goal", "")


@dataclass(frozen=True, slots=True)
class Change:
    """One fact of the log: what happened, to whom, and the fields it left changed."""

    kind: str
    subject: str
    actor: str
    at: datetime
    rows: Mapping[RowKey, Mapping[str, Any]]


def apply(state: State, change: Change) -> State:
    """The state after `change`: the one fold behind settling, writing and replay."""
    version = state.goal.version + 1
    goal: dict[str, Any] = {"version": version, "updated_at": change.at}
    if change.kind not in QUIET_KINDS:
        goal["changed_at"] = change.at
    tables: dict[str, Any] = {}
    for (name, key), fields in change.rows.items():
        if name == "goal":
            goal.update(fields)
            continue
        table = TABLES[name]
        rows = tables.setdefault(table.name, dict(getattr(state, table.name)))
        stamp = {"version": version} if table.versioned else {}
        if key in rows:
            rows[key] = replace(rows[key], **fields, **stamp)
        else:
            rows[key] = table.row(**{table.key: key}, **fields, **stamp)
            if table.counter:
                number = int(key[1:])
                goal[table.counter] = max(number, goal.get(table.counter, 0))
    return replace(state, goal=replace(state.goal, **goal), **tables)
