"""A card says in one sentence who acts next, and in words how fresh its proof is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kanban.kernel.present import gate_json, waits_for
from kanban.kernel.state import Criterion, Evidence, Gate, Goal, Member, State, Todo, Turn
from kanban.queries.board import Filter, board_of
from kanban.queries.card import CHIPS, card_of
from kanban.queries.drawer import gate_drawer
from kanban.queries.inbox import inbox_of, needs_count
from kanban.queries.projected import projected_cards
from kanban.queries.question import gate_card

NOW = datetime(2026, 6, 9, 10, 16, tzinfo=UTC)
GATE = Gate(
    ref="G1",
    question="Rent the GPUs or stay?",
    label="the GPUs",
    options=({"key": "rent", "label": "Rent"}, {"key": "stay", "label": "Stay"}),
    suggested_option="stay",
    blocks_todos=("T1",),
    asked_by="agent:proposer",
    created_at=NOW - timedelta(hours=2),
    revised_at=NOW - timedelta(hours=2),
)


def state(*todos: Todo, gates: tuple[Gate, ...] = (), **more: Any) -> State:
    goal = Goal(slug="apollo", title="Apollo", updated_at=NOW, changed_at=NOW, version=1)
    members = {"executor": Member(agent="executor"), "evaluator": Member(agent="evaluator")}
    filled = {
        "members": members,
        "criteria": {"A1": Criterion(ref="A1", text="recall of 0.78")},
        "todos": {todo.ref: todo for todo in todos},
        "gates": {gate.ref: gate for gate in gates},
    }
    return State(goal=goal, **{**filled, **more})


def todo(ref: str = "T1", **fields: Any) -> Todo:
    return Todo(ref=ref, title=f"Title of {ref}", created_at=NOW - timedelta(days=1), **fields)


LEASED = {"owner": "executor", "claim_form": "lease", "lease_until": NOW + timedelta(minutes=11)}
SOFT = {"owner": "executor", "claim_form": "soft", "owner_wrote_at": NOW - timedelta(minutes=5)}
SILENT = SOFT | {"owner_wrote_at": NOW - timedelta(hours=3)}
LATER = {"type": "time", "at": "2026-06-09T22:00:00.000000Z"}

CASES: list[tuple[dict[str, Any], str, str]] = [
    ({}, "ready", "ready"),
    ({"bound_agent": "executor"}, "ready", "ready_bound"),
    ({"required_capabilities": ("browser",)}, "ready", "nobody_able"),
    (LEASED, "working", "working"),
    (SOFT, "working", "holds"),
    (SILENT, "working", "silent"),
    ({"status": "review", "owner": "executor"}, "working", "review"),
    ({"kind": "user_action"}, "needs_you", "you_act"),
    ({"status": "blocked", "blocked_on": {"person": "owner"}}, "needs_you", "you_unblock"),
    ({"status": "deferred", "resume_when": LATER}, "waiting", "starts"),
    ({"depends_on": ("T2",)}, "waiting", "waits_card"),
    ({"status": "blocked", "blocked_on": {"until": LATER}}, "waiting", "starts"),
    ({"status": "done", "closed_at": NOW}, "done", "done"),
    ({"status": "dropped", "closed_at": NOW}, "done", "dropped"),
]


@pytest.mark.parametrize(("fields", "lane", "code"), CASES, ids=lambda case: str(case)[:40])
def test_who_acts_next(fields: dict[str, Any], lane: str, code: str) -> None:
    here = state(todo(**fields), todo("T2"))
    card = card_of(here, here.todos["T1"], NOW)
    assert (card.lane, card.next.code) == (lane, code)


def test_it_waits_for_an_answer() -> None:
    here = state(todo(), gates=(GATE,))
    card = card_of(here, here.todos["T1"], NOW)
    assert (card.lane, card.group) == ("waiting", "gated")
    assert (card.next.code, card.next.text) == ("waits_gate", "the GPUs")


def test_a_refused_question_leaves_it_to_a_person() -> None:
    gone = replace(GATE, status="rejected", ended_at=NOW)
    here = state(todo(status="blocked", blocked_on={"gate": "G1"}), gates=(gone,))
    assert card_of(here, here.todos["T1"], NOW).next.code == "refused"


def evidence(ref: str = "E1", **fields: Any) -> Evidence:
    return Evidence(ref=ref, summary="recall = 0.762", todo="T1", received_at=NOW, **fields)


@pytest.mark.parametrize(
    ("items", "chip"),
    [
        ((evidence(),), "proofs"),
        ((evidence(), evidence("E2", verdict="contradicts")), "contradicted"),
        ((evidence(expired=True),), "proof_expired"),
        ((evidence(invalidated_at=NOW),), "proof_void"),
    ],
)
def test_freshness_in_words(items: tuple[Evidence, ...], chip: str) -> None:
    here = state(todo(), evidence={item.ref: item for item in items})
    assert [found.code for found in card_of(here, here.todos["T1"], NOW).chips] == [chip]


def test_never_more_than_three_chips() -> None:
    crowded = todo(priority=0, due=NOW.date(), required_capabilities=("browser",))
    here = state(crowded, evidence={"E1": evidence(expired=True)})
    assert len(card_of(here, crowded, NOW).chips) == CHIPS


def test_a_question_says_what_it_holds_up() -> None:
    here = state(todo(), todo("T2"), gates=(GATE,))
    card = gate_card(here, GATE, NOW)
    assert (card.holds_up, card.blocking) == (1, True)
    assert [option.suggested for option in card.options] == [False, True]
    free = replace(GATE, blocks_todos=())
    assert gate_card(here, free, NOW).holds_up == 0
    assert gate_card(here, free, NOW).blocking is False


@pytest.mark.parametrize(
    "asked",
    [
        GATE,
        replace(GATE, blocks_todos=(), blocks_goal=True),
        replace(GATE, blocks_todos=(), blocks_agent="executor"),
        replace(GATE, status="chosen"),
    ],
)
def test_board_and_api_count_the_same_cards_as_held_up(asked: Gate) -> None:
    here = state(todo(), todo("T2", owner="executor", claim_form="soft"), gates=(asked,))
    told = gate_json(here, asked, NOW)["holds_up"]
    assert gate_card(here, asked, NOW).holds_up == len(told)
    assert told == [ref for ref, card in here.todos.items() if "G1" in waits_for(here, card)]


def test_a_projection_says_what_a_card_waits_for_as_the_api_does() -> None:
    deferred = todo("T2", status="deferred", resume_when={"type": "todo_done", "ref": "T1"})
    here = state(todo(), deferred, todo("T3", kind="user_action"), gates=(GATE,))
    told = {card.ref: card.waits_for for card in projected_cards(here, NOW, {})}
    assert (told["T1"], told["T2"], told["T3"]) == (("G1",), ("T1",), ("a person",))


def test_one_answer_has_one_label() -> None:
    answered = replace(GATE, status="chosen", outcome="chosen", option="rent", answer_text="8 GPUs")
    here = state(todo(), gates=(answered,))
    (card,) = [card for card in projected_cards(here, NOW, {}) if card.ref == "G1"]
    assert card.answer == "Rent: 8 GPUs"
    assert (gate_json(here, answered, NOW)["answer"] or {})["label"] == "Rent"
    assert gate_drawer(here, "G1", (), NOW).answer == "Rent"


def test_the_cost_of_waiting_is_idle_agents_times_time() -> None:
    here = state(todo(), gates=(GATE,))
    inbox = inbox_of([here], NOW)
    assert inbox.asks[0].idle == ("executor", "evaluator")
    assert inbox.asks[0].cost_minutes == 2 * 120
    busy = state(todo(), todo("T2"), gates=(GATE,))
    assert inbox_of([busy], NOW).asks[0].cost_minutes == 0


def test_one_number_counts_what_needs_a_person() -> None:
    task = todo("T2", kind="user_action")
    here = state(todo(), task, gates=(GATE,))
    assert needs_count(here) == 2
    answered = state(todo(), task, gates=(replace(GATE, status="provisional"),))
    assert needs_count(answered) == 1
    over = replace(here, goal=replace(here.goal, status="paused"))
    assert needs_count(over) == 0


def test_done_hides_what_is_older_than_two_weeks() -> None:
    old = todo("T1", status="done", closed_at=NOW - timedelta(days=15))
    new = todo("T2", status="done", closed_at=NOW - timedelta(days=13))
    lane = board_of(state(old, new), NOW).lanes[4]
    assert ([card.ref for card in lane.groups[0].cards], lane.older) == (["T2"], 1)
    everything = board_of(state(old, new), NOW, Filter(older=True)).lanes[4]
    assert everything.count == 2


def test_working_over_its_limit_is_said_not_forbidden() -> None:
    turns = {
        str(n): Turn(id=str(n), agent="executor", todo=f"T{n}", status="finished")
        for n in range(1, 6)
    }
    here = state(*(todo(f"T{n}", **SOFT) for n in range(1, 6)), turns=turns)
    lane = board_of(here, NOW).lanes[2]
    assert (lane.count, lane.limit, lane.over) == (5, 4, True)


@pytest.mark.parametrize(
    ("wanted", "refs"),
    [
        (Filter(q="title t2"), ["T2"]),
        (Filter(urgent=True), ["T1"]),
        (Filter(agent="executor"), ["T3"]),
        (Filter(stale=True), ["T3"]),
        (Filter(q="zzz"), []),
    ],
)
def test_filters(wanted: Filter, refs: list[str]) -> None:
    here = state(todo("T1", priority=0), todo("T2"), todo("T3", **SILENT))
    shown = [
        card.ref
        for lane in board_of(here, NOW, wanted).lanes
        for group in lane.groups
        for card in group.cards
    ]
    assert shown == refs
