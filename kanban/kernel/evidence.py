"""Evidence: what it supports, how long it counts, and what a criterion's state follows from."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from kanban.kernel import text
from kanban.kernel.codec import canonical, digest
from kanban.kernel.draft import Draft
from kanban.kernel.errors import invalid, missing
from kanban.kernel.limits import EVIDENCE_VALID, SPAN_MAX_SECONDS
from kanban.kernel.state import Criterion, Evidence, State

KINDS = tuple(EVIDENCE_VALID)
VERDICTS = ("supports", "contradicts", "inconclusive")
CriterionState = Literal["met", "stale", "unmet"]


def is_fresh(evidence: Evidence) -> bool:
    """Counts now: neither expired nor invalidated (the state is settled)."""
    return not evidence.expired and evidence.invalidated_at is None


def criterion_state(state: State, criterion: Criterion) -> CriterionState:
    """A person's word first; then fresh evidence taken under the criterion's present revision."""
    if criterion.set_state:
        return "met" if criterion.set_state == "met" else "unmet"
    taken = [
        item
        for item in state.evidence.values()
        if criterion.ref in item.supports
        and item.criterion_revisions.get(criterion.ref) == criterion.revision
    ]
    fresh = {item.verdict for item in taken if is_fresh(item)}
    if "supports" in fresh and "contradicts" not in fresh:
        return "met"
    return "stale" if any(item.verdict == "supports" for item in taken) else "unmet"


def unmet_criteria(state: State) -> list[Criterion]:
    return [
        criterion
        for criterion in state.criteria.values()
        if not criterion.removed and criterion_state(state, criterion) != "met"
    ]


def add_evidence(draft: Draft, given: dict[str, Any], *, todo: str = "", turn: str = "") -> str:
    """Records one piece of evidence and returns its reference.

    `given` holds the contract's fields: kind verdict summary ref data observed_at valid_seconds
    supports. What it is attached to (`todo`, `turn`) is always among what it supports.
    """
    kind, verdict = given.get("kind", "note"), given.get("verdict", "supports")
    if kind not in KINDS:
        raise invalid(f"evidence kind {kind!r} is none of {', '.join(KINDS)}.", fields=["kind"])
    if verdict not in VERDICTS:
        raise invalid(f"verdict {verdict!r} is none of {', '.join(VERDICTS)}.", fields=["verdict"])
    supports = tuple(dict.fromkeys([*given.get("supports", ()), *([todo] if todo else ())]))
    criteria = {ref: _criterion(draft.state, ref).revision for ref in supports if ref[:1] == "A"}
    for ref in supports:
        if ref not in criteria:
            require_ref(draft.state, ref)
    fields = {
        "kind": kind,
        "verdict": verdict,
        "summary": text.clean(given.get("summary", ""), "summary", limit=text.NOTE_LIMIT).strip(),
        "reference": text.title(given["ref"], "ref", limit=2_000) if given.get("ref") else "",
        "data": given.get("data") or {},
        "supports": supports,
    }
    if not fields["summary"]:
        raise invalid(
            "evidence has no summary.", "Say in a line what it shows.", fields=["summary"]
        )
    if len(canonical(fields["data"]).encode()) > text.BODY_LIMIT:
        raise invalid("evidence data is over 64 KiB.", "Refer to a file instead.", fields=["data"])
    ref = draft.next_ref("evidence")
    draft.record_one(
        "evidence.added",
        ("evidence", ref),
        **fields,
        todo=todo,
        turn=turn,
        by=str(draft.actor),
        received_at=draft.now,
        observed_at=given.get("observed_at") or draft.now,
        valid_until=_valid_until(kind, given.get("valid_seconds"), draft.now),
        goal_revision=draft.state.goal.revision,
        criterion_revisions=criteria,
        content_hash=digest(canonical(fields | {"supports": list(supports)})),
    )
    return ref


def take_evidence(draft: Draft, item: dict[str, Any] | str, *, todo: str, turn: str = "") -> str:
    """New evidence for a todo, or by its reference some that is recorded already."""
    if not isinstance(item, str):
        return add_evidence(draft, item, todo=todo, turn=turn)
    recorded = draft.state.evidence.get(item)
    if recorded is None:
        raise missing("evidence", item)
    if todo and todo not in recorded.supports:
        supports = (*recorded.supports, todo)
        draft.record_one("evidence.cited", ("evidence", item), supports=supports)
    return item


def invalidate_evidence(draft: Draft, ref: str, *, reason: str, replaced_by: str = "") -> None:
    """Takes evidence out of account for good; it stays in the log with the reason.

    Evidence that is invalid already stays as it is.
    """
    if ref not in draft.state.evidence:
        raise missing("evidence", ref)
    if replaced_by and replaced_by not in draft.state.evidence:
        raise missing("evidence", replaced_by)
    if draft.state.evidence[ref].invalidated_at is not None:
        return
    draft.record_one(
        "evidence.invalidated",
        ("evidence", ref),
        invalidated_at=draft.now,
        invalidated_by=str(draft.actor),
        invalidated_reason=text.title(reason, "reason", limit=text.NOTE_LIMIT),
        replaced_by=replaced_by,
    )


def require_ref(state: State, ref: str) -> None:
    """`ref` names a todo, gate, evidence or criterion of this goal."""
    tables = {"T": state.todos, "G": state.gates, "E": state.evidence, "A": state.criteria}
    if ref not in tables.get(ref[:1], {}):
        raise invalid(
            f"{ref!r} is not a number in this goal.", "Check the reference.", fields=[ref]
        )


def _criterion(state: State, ref: str) -> Criterion:
    criterion = state.criteria.get(ref)
    if criterion is None or criterion.removed:
        raise invalid(f"There is no criterion {ref!r}.", "See the goal's acceptance list.")
    return criterion


def _valid_until(kind: str, seconds: int | None, now: datetime) -> datetime | None:
    if seconds is not None and not 0 < seconds <= SPAN_MAX_SECONDS:
        raise invalid("valid_seconds lies between 1 and ten years.", fields=["valid_seconds"])
    span = timedelta(seconds=seconds) if seconds is not None else EVIDENCE_VALID[kind]
    return now + span if span else None
