from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from loopx_web.client import packets, shapes, words
from loopx_web.client.commands import lark_kanban, quota, status

LATER = (datetime.now(UTC) + timedelta(days=2)).isoformat()
DECISION: dict[str, Any] = {
    "goal": "apollo",
    "agent": "executor",
    "outcome": "deliver",
    "reason": "work_ready",
    "explanation": "T4 is ready and nothing waits for a person.",
    "stop": False,
    "selected": "T4",
    "digest": "d",
    "next_check_seconds": 300,
}
TODO = {"ref": "T4", "title": "Tune k", "priority": "P1", "lane": "needs_you", "status": "open"}
GATE = {"ref": "G3", "question": "Publish 0.2?", "status": "open", "holds_up": ["T4"]}


def test_a_decision_says_first_what_to_obey() -> None:
    assert shapes.anything(DECISION).splitlines() == [
        "deliver · work_ready",
        "T4 is ready and nothing waits for a person.",
        "Next: loopx turn begin --todo T4",
    ]


def test_a_held_turn_is_gone_on_with() -> None:
    text = words.decision(DECISION | {"turn": "t-1", "reason": "resume_turn"})
    assert text.endswith("go on with the turn you hold (`loopx turn begin` gives it back).")


def test_an_ask_shows_question_options_and_where_to_answer() -> None:
    question = {
        "ref": "G3",
        "tag": "G3@2.1",
        "question": "Publish 0.2?",
        "options": [{"key": "yes", "label": "Publish it", "consequence": "everyone gets it"}],
    }
    text = words.decision(
        DECISION | {"outcome": "ask", "reason": "gate_open", "questions": [question]},
        "http://127.0.0.1:8765",
    )
    assert text.splitlines()[2:] == [
        "  G3@2.1  Publish 0.2?",
        "      yes = Publish it: everyone gets it",
        "      http://127.0.0.1:8765/goals/apollo/gates/G3",
        "Look again in 5 min.",
    ]


def test_stop_goes_before_quiet_and_promises_nothing() -> None:
    text = words.decision(DECISION | {"outcome": "quiet", "reason": "goal_closed", "stop": True})
    assert text.splitlines()[0] == "stop · goal_closed"
    assert "Look again" not in text


def test_answers_notices_gap_and_trace_have_their_lines() -> None:
    text = words.decision(
        DECISION
        | {
            "gap": {"code": "acceptance_gap", "subject": "apollo", "key": "x"},
            "answers": [{"ref": "G2", "label": "Keep it back", "answered_by": "owner"}],
            "notices": [{"id": "n1", "text": "Your lease on T2 ended."}],
            "also_asking": [{"ref": "G5", "tag": "G5@1.0"}],
            "trace": [
                {"number": 1, "rule": "goal", "result": "passed", "facts": {"status": "active"}}
            ],
        }
    )
    for line in (
        "  Gap: acceptance gap apollo",
        "  G2 was answered: Keep it back (owner)",
        "  Note: Your lease on T2 ended.",
        "  Also asking: G5",
        "   1  passed       goal  (status active)",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize(
    ("extra", "tail"),
    [
        ({}, "[needs you]"),
        (
            {"owner": {"agent": "executor", "lease_until": None, "stale": True}},
            "[needs you · executor, stale]",
        ),
        ({"waits_for": ["G3", "T2"]}, "[needs you · waits for G3, T2]"),
    ],
)
def test_a_todo_is_one_line(extra: dict[str, Any], tail: str) -> None:
    assert shapes.line_for(TODO | extra) == f"T4  P1 Tune k  {tail}"


def test_lists_cards_and_empty_answers() -> None:
    assert shapes.anything({"items": [TODO, GATE], "cursor": None}).splitlines() == [
        "T4  P1 Tune k  [needs you]",
        "G3  Publish 0.2?  [open; holds up T4]",
    ]
    assert shapes.anything({"items": []}) == "None."
    assert shapes.anything(GATE | {"why": "It is new."}).splitlines()[1:] == [
        "  holds up  T4",
        "  why       It is new.",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5 s"), (119, "119 s"), (300, "5 min"), (9000, "2.5 h")]
)
def test_durations(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


def test_a_moment_of_another_day_names_the_day() -> None:
    at = datetime.fromisoformat(LATER).astimezone()
    assert words.moment(LATER) == at.strftime("%Y-%m-%d %H:%M")
    assert words.moment(datetime.now(UTC).isoformat()) == f"{datetime.now():%H:%M}"
    assert words.moment("not a time") == "not a time"


def test_the_packet_is_a_brief_without_empty_parts() -> None:
    data = {
        "goal": {"slug": "apollo", "title": "Apollo", "objective": "Land", "status": "active"},
        "agent": "executor",
        "decision": DECISION,
        "turn": None,
        "todo": {"ref": "T4", "priority": "P1", "title": "Tune k"},
        "answers": [],
        "boundary": {"write_scope": ["src/**"], "note": "Write only inside the write scope."},
        "next": ["loopx turn begin --todo T4"],
    }
    assert packets.packet(data).splitlines() == [
        "Goal apollo: Apollo [active]",
        "Land",
        "Decision for executor: deliver · work_ready",
        "T4 is ready and nothing waits for a person.",
        "Todo T4 P1 Tune k",
        "Boundary: Write only inside the write scope.",
        "  write src/**",
        "Next:",
        "  loopx turn begin --todo T4",
    ]


def test_quota_figures_start_with_what_is_left() -> None:
    policy = {"share": 1.0, "window_hours": 24, "slot_minutes": 15, "slots": 5}
    data = {"allowed": 5, "spent": 2, "reserved": 1, "free": 2, "policy": policy, "agents": {}}
    assert quota.figures(data).splitlines() == [
        "2 of 5 slots left: 2 spent, 1 reserved.",
        "Window 24 h, slot 15 min; share 1.0, slots 5.",
    ]
    spent = quota.figures(data | {"reason": "quota_exhausted", "recovers_at": None})
    assert "No turn can begin: quota exhausted." in spent


def test_status_puts_questions_before_lanes() -> None:
    goal = {
        "slug": "apollo",
        "title": "Apollo",
        "status": "active",
        "objective": "Land",
        "acceptance": [{"ref": "A1", "text": "Landed", "state": "unmet"}],
    }
    text = status.overview({"goal": goal, "gates": [GATE], "todos": [TODO], "decision": DECISION})
    order = [text.index(word) for word in ("Apollo", "A1", "Questions", "Needs you", "deliver")]
    assert order == sorted(order)


def test_a_receipt_says_what_was_or_would_be_written() -> None:
    preview = {"counts": {"add": 12, "unchanged": 3}, "add": [{"key": f"T{n}"} for n in range(12)]}
    text = lark_kanban.said({"action": "preview", "status": "done", "report": preview})
    assert "12 add, 3 unchanged" in text and "… and 2 more" in text
    assert text.endswith("loopx lark-kanban sync --execute")
    failed = {
        "action": "sync",
        "status": "failed",
        "error": {"code": "off", "detail": "It is off."},
    }
    assert lark_kanban.said(failed) == "sync failed: It is off. (off)"
    assert "still queued" in lark_kanban.said({"action": "sync", "status": "queued"})
