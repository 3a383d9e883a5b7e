"""Evidence, criteria, and the system's own questions: closing a goal, asking for direction."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kanban.kernel import completion, evidence, gate, goal
from kanban.kernel.evidence import criterion_state
from kanban.kernel.frontier import unsettled
from kanban.kernel.settle import settle
from tests.kanban.kernel.build import AGENT, NOTE, OWNER, PEER, PROOF, World, refused


def standing(world: World, ref: str = "A1") -> str:
    state = world.settled
    return criterion_state(state, state.criteria[ref])


def test_a_criterion_is_met_by_fresh_support_that_nothing_contradicts() -> None:
    world = World()
    assert standing(world) == "unmet"
    ref = world.prove()
    assert standing(world) == "met"
    against = world.prove(verdict="contradicts")
    assert standing(world) == "stale"
    world.do(AGENT, evidence.invalidate_evidence, against, reason="Wrong machine.")
    assert standing(world) == "met"
    world.do(PEER, evidence.invalidate_evidence, ref, reason="It was cached.", replaced_by=against)
    assert standing(world) == "stale"
    assert world.state.evidence[ref].invalidated_by == "agent:peer"


def test_inconclusive_evidence_neither_meets_nor_contradicts() -> None:
    world = World()
    world.prove(verdict="inconclusive")
    assert standing(world) == "unmet"
    world.prove()
    assert standing(world) == "met"


def test_evidence_expires_at_its_instant() -> None:
    world = World()
    ref = world.prove(valid_seconds=3600)
    assert world.settled.evidence[ref].valid_until == world.now + timedelta(hours=1)
    world.pass_time(seconds=3599)
    assert standing(world) == "met"
    world.pass_time(seconds=1)
    assert standing(world) == "stale"


@pytest.mark.parametrize(
    ("kind", "days"), [("test", 7), ("metric", 30), ("note", 30), ("diff", None)]
)
def test_each_kind_has_a_default_of_its_own(kind: str, days: int | None) -> None:
    world = World()
    ref = world.prove(kind=kind)
    made = world.settled.evidence[ref]
    assert made.valid_until == (world.now + timedelta(days=days) if days else None)


def test_a_reworded_criterion_needs_new_evidence_and_others_keep_theirs() -> None:
    world = World(acceptance=["Fast", "Small"])
    world.prove(supports=["A1", "A2"])
    world.do(OWNER, goal.update_criterion, "A1", {"text": "Very fast"})
    assert (standing(world, "A1"), standing(world, "A2")) == ("unmet", "met")
    world.do(OWNER, goal.update_criterion, "A1", {"state": "met", "note": "I saw it."})
    assert standing(world, "A1") == "met"
    world.do(OWNER, goal.update_criterion, "A1", {"text": "Even faster"})
    assert standing(world, "A1") == "unmet"


def test_a_persons_word_stands_over_the_evidence() -> None:
    world = World()
    world.prove()
    with refused("invalid"):
        world.do(OWNER, goal.update_criterion, "A1", {"state": "unmet"})
    world.do(OWNER, goal.update_criterion, "A1", {"state": "unmet", "note": "Not on my machine."})
    assert standing(world) == "unmet"
    world.do(OWNER, goal.update_criterion, "A1", {"state": ""})
    assert standing(world) == "met"


def test_a_goal_keeps_at_least_one_criterion() -> None:
    world = World(acceptance=["Fast", "Small"])
    world.do(OWNER, goal.update_criterion, "A1", {"removed": True})
    with refused("invalid"):
        world.do(OWNER, goal.update_criterion, "A2", {"removed": True})
    with refused("invalid"):
        world.prove(supports=["A1"])
    with refused("not_found"):
        world.do(OWNER, goal.update_criterion, "A9", {"removed": True})


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "rumour"},
        {"verdict": "perhaps"},
        {"summary": " "},
        {"supports": ["T9"]},
        {"supports": ["nothing"]},
        {"valid_seconds": 0},
        {"data": {"big": "x" * 70_000}},
    ],
)
def test_evidence_that_says_nothing_is_refused(given: dict[str, object]) -> None:
    world = World()
    with refused("invalid"):
        world.prove(**given)


def test_closing_is_asked_when_nothing_is_left_and_the_answer_closes() -> None:
    world = World()
    world.add()
    world.work()
    asked = world.gate("G1")
    assert (asked.purpose, asked.kind, asked.asked_by) == ("closure", "closure", "system")
    world.answer("G1", "close", undo_seconds=20)
    world.pass_time(seconds=19)
    assert world.settled.goal.status == "active"
    world.pass_time(seconds=1)
    assert world.settled.goal.status == "achieved"
    assert world.reason() == "quiet goal_closed"
    world.do(AGENT, evidence.add_evidence, PROOF)
    with refused("goal_not_active"):
        world.add()
    with refused("goal_not_active"):
        world.do(OWNER, goal.resume_goal)


def test_closing_is_not_asked_while_anything_is_open() -> None:
    world = World()
    first, _second = world.add("A"), world.add("B")
    world.work()
    assert not world.state.gates
    begun = world.begin()
    world.do(PEER, evidence.add_evidence, NOTE | {"supports": [first]})
    asked = world.ask(PEER)
    world.finish(begun, "completed")
    assert set(world.settled.gates) == {asked}
    world.answer(asked)
    assert world.gate("G2").purpose == "closure"


def test_new_work_withdraws_the_closing_question_and_it_comes_back() -> None:
    world = World()
    world.add()
    world.work()
    ref = world.add("One more")
    assert world.gate("G1").status == "withdrawn"
    world.work()
    assert world.todo(ref).status == "done"
    assert (world.gate("G2").purpose, world.gate("G2").status) == ("closure", "open")


def test_stale_evidence_withdraws_the_closing_question() -> None:
    world = World()
    world.add()
    world.work(evidence=[PROOF | {"valid_seconds": 600}])
    world.answer("G1", "close", undo_seconds=20)
    world.pass_time(seconds=20)
    assert world.settled.goal.status == "achieved"
    world = World()
    world.add()
    world.work(evidence=[PROOF | {"valid_seconds": 600}])
    world.pass_time(seconds=600)
    assert world.gate("G1").status == "withdrawn"
    assert world.reason() == "self_repair acceptance_gap"


def test_declining_with_a_text_makes_it_a_criterion() -> None:
    for outcome, option in (("chosen", "continue"), ("rejected", ""), ("rejected", "close")):
        world = World()
        world.add()
        world.work()
        with refused("invalid"):
            world.answer("G1", option, outcome=outcome)
        world.answer("G1", option, outcome=outcome, words="It must also be documented.")
        assert world.settled.criteria["A2"].text == "It must also be documented."
        assert world.reason() == "self_repair acceptance_gap"


def test_a_provisional_closing_does_not_undo_a_stop() -> None:
    world = World()
    world.add()
    world.work()
    world.answer("G1", "close", undo_seconds=20)
    world.do(OWNER, goal.stop_goal, reason="Wait.")
    world.pass_time(minutes=1)
    assert world.settled.goal.status == "stopped"


def test_nobody_withdraws_the_systems_question_by_hand() -> None:
    world = World()
    world.add()
    world.work()
    with refused("invalid"):
        world.do(OWNER, gate.withdraw_gate, "G1", reason="Go away.")
    with refused("not_owner"):
        world.do(AGENT, gate.withdraw_gate, "G1", reason="Go away.")


def fail(world: World, times: int) -> None:
    for _turn in range(times):
        world.pass_time(minutes=1)
        world.work("failed")


def test_two_vain_repairs_ask_for_direction_and_a_word_is_a_fresh_start() -> None:
    world = World()
    world.add()
    fail(world, 3)
    assert world.reason() == "self_repair stalled"
    assert world.reason(PEER) != "self_repair stalled"
    world.work("no_change")
    assert not world.state.gates
    world.work("no_change")
    asked = world.gate("G1")
    assert (asked.kind, asked.blocks_agent, asked.asked_by) == ("direction", "agent", "system")
    assert world.reason() == "ask gate_open"
    world.pass_time(minutes=1)
    world.answer("G1", "again")
    assert world.reason() == "deliver work_ready"
    fail(world, 2)
    assert world.reason() == "deliver work_ready"
    fail(world, 1)
    assert world.reason() == "self_repair stalled"


def test_a_gap_that_was_put_to_a_person_is_not_repaired_meanwhile() -> None:
    world = World()
    world.add(decision_scopes=["publish:x"])
    for who in (AGENT, PEER):
        assert world.begin(who).gap.startswith("decision_gap:T1:")
        live = next(turn for turn in world.state.turns.values() if turn.status == "live")
        world.finish(live, "no_change")
    assert world.gate("G1").blocks_todos == ("T1",)
    for who in (AGENT, PEER):
        assert world.reason(who) == "ask person_needed"
    world.pass_time(minutes=1)
    world.answer("G1", "again")
    assert world.reason() == "self_repair decision_gap"


def test_a_question_that_nobody_can_reword_is_put_to_the_person_again() -> None:
    world = World()
    asked = world.ask(blocks={"todos": [world.add()]})
    world.send_back(asked)
    for _turn in range(2):
        world.work("no_change")
    assert world.gate("G2").purpose.startswith(f"needs_info:{asked}:")
    assert world.gate("G2").blocks_todos == ("T1",)
    assert world.reason() == "ask gate_open"


def test_a_repair_is_one_agents_at_a_time_and_its_delta_ends_it() -> None:
    world = World()
    repair = world.begin()
    assert repair.gap.startswith("acceptance_gap:apollo:")
    assert world.reason(PEER) == "wait peer_repairs"
    world.finish(repair, "progress", todos=[{"title": "Build it"}], evidence=[])
    assert world.reason(PEER) == "deliver work_ready"


def test_a_repair_turn_whose_gap_has_gone_is_forgotten_at_the_next_begin() -> None:
    world = World()
    repair = world.begin()
    world.add()
    assert world.reason() == "deliver work_ready"
    begun = world.begin()
    assert begun.todo == "T1"
    assert world.turn(repair.id).status == "revoked"


def test_an_earlier_question_sent_back_does_not_orphan_the_repair_of_a_later_one() -> None:
    world = World()
    first = world.ask(blocks={"todos": [world.add("A")]})
    second = world.ask(blocks={"todos": [world.add("B")]})
    world.send_back(second)
    repair = world.begin()
    world.send_back(first)
    assert world.reason() == "deliver resume_turn"
    assert world.begin().id == repair.id
    assert world.begin(PEER).gap.startswith(f"needs_info:{first}:")


def test_a_withdrawal_bears_its_instant_whoever_looks_and_when() -> None:
    world = World()
    world.add()
    world.work(evidence=[PROOF | {"valid_seconds": 600}])
    world.pass_time(seconds=600)
    at_once = world.gate("G1")
    world.pass_time(seconds=3600)
    assert world.gate("G1") == at_once


def test_a_goal_that_can_be_closed_asks_nothing_else() -> None:
    world = World()
    world.add()
    fail(world, 3)
    world.finish(world.begin(), "failed", summary="In vain")
    world.begin()
    closing: dict[str, Any] = {
        "evidence": [PROOF],
        "continuation": {"type": "none", "rationale": "Done"},
    }
    world.do(OWNER, completion.complete_todo, "T1", override_note="I did.", **closing)
    assert unsettled(world.settled) == []
    # The second repair ends in vain at the instant at which nothing is left to do.
    world.pass_time(hours=3)
    assert [g.purpose for g in unsettled(world.settled)] == ["closure"]
    assert settle(world.settled, world.moment) == (world.settled, [])
