"""The system's own questions: closing the goal, and gaps that two repairs did not mend."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.kernel.actor import SYSTEM
from kanban.kernel.draft import Draft
from kanban.kernel.evidence import unmet_criteria
from kanban.kernel.frontier import CLOSED, unsettled
from kanban.kernel.gaps import Gap, asked_about, needs_info, own_repairs, repairer, tries, work_gaps
from kanban.kernel.gate import end_gate
from kanban.kernel.limits import GAP_TRIES, REMIND_DEFAULT_SECONDS
from kanban.kernel.state import Gate, State


def system_questions(draft: Draft) -> None:
    """Opens and withdraws the system's questions as the state demands; stable when repeated.

    A goal that can be closed is asked about that alone: nobody need mend a stall any more.
    """
    if draft.state.goal.status != "active":
        return
    if is_closable(draft.state):
        if not asked_about(draft.state, "closure"):
            _open(draft, "closure", _closure(draft.state))
        return
    for gate in unsettled(draft.state):
        if gate.purpose == "closure":
            end_gate(
                draft,
                gate,
                "withdrawn",
                frees=True,
                reason="there is work again",
                actor=SYSTEM,
                at=_moment(draft),
            )
    for gap in _stuck_gaps(draft.state):
        _open(draft, gap.key, _direction(draft.state, gap))


def is_closable(state: State) -> bool:
    """Nothing is left: no open todo, no other question, no live turn, every criterion met."""
    done = [todo for todo in state.todos.values() if todo.status == "done"]
    return (
        bool(done)
        and all(todo.status in CLOSED for todo in state.todos.values())
        and all(gate.purpose == "closure" for gate in unsettled(state))
        and all(turn.status != "live" for turn in state.turns.values())
        and not unmet_criteria(state)
    )


def closure_answered(draft: Draft, gate: Gate, at: datetime) -> None:
    """The person's answer closes the goal, or its words become a criterion that is not met."""
    if gate.outcome == "needs_info" or draft.state.goal.status not in ("active", "paused"):
        return
    if gate.outcome == "chosen" and gate.option == "close":
        draft.record(
            "goal.closed",
            draft.state.goal.slug,
            {
                ("goal", ""): {
                    "status": "achieved",
                    "closed_at": at,
                    "closing_note": gate.answer_text,
                }
            },
            actor=SYSTEM,
            at=at,
        )
        return
    ref = draft.next_ref("criterion")
    draft.record(
        "criterion.added",
        ref,
        {("criterion", ref): {"text": gate.answer_text, "created_at": at}},
        actor=SYSTEM,
        at=at,
    )


def _stuck_gaps(state: State) -> list[Gap]:
    """Gaps that stand although two turns tried to repair them."""
    keys = {turn.gap for turn in state.turns.values() if turn.gap}
    if not keys:
        return []
    gaps = [
        *work_gaps(state),
        *(needs_info(gate) for gate in unsettled(state) if gate.status == "sent_back"),
        *(stall for agent in state.members for stall in own_repairs(state, agent, [])),
    ]
    return [
        gap
        for gap in gaps
        if gap.key in keys
        and tries(state, gap.key) >= GAP_TRIES
        and repairer(state, gap.key) is None
        and not asked_about(state, gap.key)
    ]


def _open(draft: Draft, purpose: str, fields: dict[str, Any]) -> None:
    ref, at = draft.next_ref("gate"), _moment(draft)
    draft.record(
        "gate.asked",
        ref,
        {
            ("gate", ref): {
                "asked_by": str(SYSTEM),
                "purpose": purpose,
                "remind_after_seconds": REMIND_DEFAULT_SECONDS,
                "created_at": at,
                "revised_at": at,
                **fields,
            }
        },
        actor=SYSTEM,
        at=at,
    )


def _moment(draft: Draft) -> datetime:
    """When the state became what it is: not when somebody happens to look."""
    return draft.state.goal.updated_at or draft.now


def _closure(state: State) -> dict[str, Any]:
    met = sum(not criterion.removed for criterion in state.criteria.values())
    return {
        "question": f"Everything planned is done and {met} of {met} criteria are met. "
        f"Close “{state.goal.title}” as achieved?",
        "label": "closing",
        "why": "Closing is final. Nothing is running and no other question is open.",
        "kind": "closure",
        "options": (
            {"key": "close", "label": "Close it", "consequence": "The goal ends as achieved."},
            {
                "key": "continue",
                "label": "Not yet",
                "consequence": "What you write becomes a criterion that is still to be met.",
            },
        ),
        "free_text": True,
    }


def _direction(state: State, gap: Gap) -> dict[str, Any]:
    covers: dict[str, Any] = {"blocks_goal": True}
    if gap.subject in state.todos:
        covers = {"blocks_todos": (gap.subject,)}
    elif gap.subject in state.members:
        covers = {"blocks_agent": gap.subject}
    elif held := state.gates.get(gap.subject):
        names = ("blocks_goal", "blocks_agent", "blocks_todos")
        covers = {name: getattr(held, name) for name in names}
    return {
        "question": f"Two turns did not help: {gap.fact}. How shall it go on?",
        "label": gap.code.replace("_", " "),
        "why": "Agents tried to repair this by themselves and nothing changed.",
        "kind": "direction",
        "options": (
            {"key": "again", "label": "Try again", "consequence": "Agents get two more turns."},
            {
                "key": "person",
                "label": "A person takes it",
                "consequence": "Change the work, the criteria or the agents on the board.",
            },
        ),
        "free_text": True,
        **covers,
    }
