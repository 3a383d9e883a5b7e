"""Turns and todos: results, continuations, conditions, cycles, superseding, review."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kanban.kernel import completion, goal, review, todo
from kanban.kernel.execution import execution
from kanban.kernel.turn import NotNow
from tests.kanban.kernel.build import (
    AGENT,
    NOTE,
    NOTHING_MORE,
    OWNER,
    PEER,
    PROOF,
    YES_NO,
    World,
    refused,
)

VAGUE = {"question": "Waiting for owner", "free_text": True}


def test_begin_is_whole_or_nothing_and_says_what_is_up_instead() -> None:
    world = World()
    ref = world.add()
    begun = world.begin()
    assert (begun.todo, begun.epoch, begun.reason) == (ref, 1, "work_ready")
    assert world.begin().id == begun.id
    before = world.state
    with pytest.raises(NotNow) as caught:
        world.begin(PEER)
    assert caught.value.decision.reason == "peer_owns_work"
    assert world.state == before


def test_an_explicit_todo_is_begun_or_refused_for_its_own_reason() -> None:
    world = World()
    first, second = world.add("A"), world.add("B")
    assert world.begin(todo=second).todo == second
    with refused("already_claimed"):
        world.begin(PEER, todo=second)
    world.do(OWNER, todo.drop_todo, first, reason="No.")
    with refused("todo_closed"):
        world.begin(PEER, todo=first)
    with refused("not_runnable"):
        world.begin(PEER, todo=world.add(depends_on=[second]))
    with refused("not_runnable"):
        watch = world.monitor(next_due_at=world.now + timedelta(hours=1))
        world.begin(PEER, todo=watch)
    with refused("not_found"):
        world.begin(PEER, todo="T99")
    with refused("invalid"):
        world.begin(PEER, slots=0)


@pytest.mark.parametrize(
    ("result", "status", "form", "booked"),
    [
        ("completed", "done", "", "spent"),
        ("progress", "open", "soft", "spent"),
        ("no_change", "open", "soft", "released"),
        ("failed", "open", "soft", "released"),
        ("blocked", "blocked", "soft", "released"),
        ("asked", "open", "soft", "released"),
    ],
)
def test_what_each_result_leaves(result: str, status: str, form: str, booked: str) -> None:
    world = World()
    ref = world.add()
    needs: dict[str, dict[str, Any]] = {
        "blocked": {"block": {"person": "the owner"}},
        "asked": {
            "gates": [
                {
                    "question": "Which of the two licences?",
                    "options": YES_NO,
                    "blocks": {"todos": [ref]},
                }
            ]
        },
    }
    ended = world.finish(world.begin(), result, **needs.get(result, {}))
    left = world.todo(ref)
    assert (ended.status, ended.result) == ("finished", result)
    assert (left.status, left.claim_form) == (status, form)
    assert [entry.status for entry in world.state.entries.values()] == [booked]
    assert world.reason() != "deliver resume_turn"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"result": "great"}, "invalid"),
        ({"result": "progress", "summary": "", "evidence": [NOTE]}, "invalid"),
        ({"result": "progress", "evidence": []}, "evidence_required"),
        ({"result": "no_change", "summary": ""}, "invalid"),
        ({"result": "blocked"}, "invalid"),
        ({"result": "blocked", "block": {"gate": "G9"}}, "not_found"),
        ({"result": "blocked", "block": {"person": "a", "gate": "G1"}}, "invalid"),
        ({"result": "asked"}, "vague_question"),
        (
            {"result": "asked", "gates": [{"question": "Waiting", "free_text": True}]},
            "vague_question",
        ),
        ({"result": "completed", "evidence": []}, "evidence_required"),
        ({"result": "completed", "continuation": None}, "continuation_required"),
        ({"result": "completed", "outcome": "splendid"}, "invalid"),
        ({"result": "completed", "usage": {"tokens_in": -1}}, "invalid"),
    ],
)
def test_a_finish_that_lacks_something_changes_nothing(body: dict[str, Any], code: str) -> None:
    world = World()
    world.add()
    begun = world.begin()
    before = world.state
    with refused(code):
        world.finish(begun, **body)
    assert world.state == before


def test_a_finish_cannot_be_repeated() -> None:
    world = World()
    world.add()
    begun = world.begin()
    world.finish(begun, "progress")
    with refused("lease_lost"):
        world.finish(begun, "progress")


def test_a_running_turn_may_end_while_the_goal_rests() -> None:
    world = World()
    world.add()
    begun = world.begin()
    world.do(OWNER, goal.pause_goal)
    follow = {"type": "successors", "todos": [{"title": "Go on"}]}
    world.finish(begun, "completed", continuation=follow)
    assert world.todo("T2").status == "open"
    with refused("goal_not_active"):
        world.add("Something else")


def test_a_turn_finishes_under_the_revisions_it_began_with() -> None:
    world = World()
    world.add()
    begun = world.begin()
    world.do(OWNER, goal.update_goal, {"objective": "Reach Mars"})
    assert world.state.goal.revision == 2
    assert world.finish(begun, "completed").goal_revision == 1


def complete(world: World, continuation: dict[str, Any] | None) -> None:
    world.finish(world.begin(), "completed", continuation=continuation)


def test_continuing_with_successors_new_and_known() -> None:
    world = World()
    world.add()
    known = world.add("Known", bound_agent="peer")
    complete(
        world, {"type": "successors", "todos": [{"title": "New"}, {"ref": known}, {"ref": known}]}
    )
    assert world.todo("T1").successors == ("T3", known)
    assert world.todo("T3").title == "New"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"type": "successors", "todos": []}, "continuation_required"),
        ({"type": "successors", "todos": [{"ref": "T1"}]}, "cycle"),
        ({"type": "successors", "todos": [{"ref": "T2"}]}, "todo_closed"),
        ({"type": "successors", "todos": [{"ref": "T9"}]}, "not_found"),
        ({"type": "handoff", "next_step": "Go on"}, "invalid"),
        ({"type": "handoff", "to": {"agent": "nobody"}, "next_step": "Go on"}, "invalid"),
        ({"type": "handoff", "to": {"anyone": True}, "next_step": ""}, "invalid"),
        (
            {"type": "gate", "gate": {"question": "Waiting for owner", "free_text": True}},
            "vague_question",
        ),
        ({"type": "monitor", "monitor": {"title": "Watch it"}}, "invalid"),
        ({"type": "none", "rationale": " "}, "invalid"),
        ({"type": "later"}, "invalid"),
        ({}, "invalid"),
        (None, "continuation_required"),
    ],
)
def test_work_never_just_stops(given: dict[str, Any] | None, code: str) -> None:
    world = World()
    world.add()
    closed = world.add("Closed")
    world.do(OWNER, todo.drop_todo, closed, reason="No.")
    begun = world.begin()
    with refused(code):
        world.finish(begun, "completed", continuation=given)
    assert world.todo("T1").status == "open"


def test_handing_over_to_an_agent_a_capability_or_anyone() -> None:
    for to, field, value in (
        ({"agent": "peer"}, "bound_agent", "peer"),
        ({"capability": "gpu"}, "required_capabilities", ("gpu",)),
        ({"anyone": True}, "bound_agent", ""),
    ):
        world = World()
        world.add()
        note = {"summary": "It compiles.", "next_step": "Measure it", "questions": ["How fast?"]}
        complete(world, {"type": "handoff", "to": to} | note)
        heir = world.todo("T2")
        assert world.todo("T1").successors == ("T2",)
        assert (heir.title, getattr(heir, field)) == ("Measure it", value)
        assert "It compiles." in heir.body
        assert "How fast?" in heir.body


def test_continuing_with_a_question_or_a_monitor() -> None:
    world = World()
    world.add()
    complete(world, {"type": "gate", "gate": {"question": "Ship version 2?", "options": YES_NO}})
    assert world.gate("G1").asked_by == "agent:agent"
    assert world.reason() == "ask person_needed"
    world = World()
    world.add()
    watch = {"target": "errors", "cadence_seconds": 600}
    complete(world, {"type": "monitor", "monitor": {"title": "Watch errors", "monitor": watch}})
    assert world.todo("T2").kind == "monitor"
    assert world.todo("T1").successors == ("T2",)


def test_a_person_may_complete_with_a_note_and_nothing_else() -> None:
    world = World()
    ref = world.add()
    with refused("evidence_required"):
        world.do(OWNER, completion.complete_todo, ref, evidence=[], continuation=None)
    note: Any = {"evidence": [], "continuation": None, "override_note": "I did it by hand."}
    world.do(OWNER, completion.complete_todo, ref, **note)
    assert world.todo(ref).override_note == "I did it by hand."


def test_a_check_must_have_exited_with_zero() -> None:
    world = World()
    world.add(acceptance_check="make test")
    begun = world.begin()
    for check in (None, {"exit_code": 1}, {"exit_code": "0"}):
        with refused("check_required"):
            world.finish(begun, "completed", check=check)
    with refused("human_required"):
        world.do(AGENT, todo.update_todo, "T1", {"acceptance_check": "true"}, *hand(world))
    world.finish(begun, "completed", check={"exit_code": 0})


def hand(world: World) -> tuple[Any, int]:
    return execution("agent"), world.todo("T1").epoch


def test_a_deferred_todo_opens_by_itself() -> None:
    world = World()
    first = world.add("First", bound_agent="peer")
    soon = {"type": "time", "at": world.now + timedelta(hours=1)}
    timed = world.add(resume_when=soon)
    after = world.add(resume_when={"type": "todo_done", "ref": first})
    proven = world.add(resume_when={"type": "evidence", "ref": "A1"})
    manual = world.add(resume_when={"type": "manual"})
    world.pass_time(hours=1)
    assert world.todo(timed).status == "open"
    world.work(who=PEER)
    assert world.todo(after).status == "open"
    assert world.todo(proven).status == "open"
    assert world.todo(manual).status == "deferred"
    world.pass_time(days=7)
    assert world.todo(manual).status == "open"


def test_a_deferral_keeps_the_soft_claim_and_its_owner_ends_it() -> None:
    world = World()
    ref = world.add()
    owned = world.claim(ref)
    by = execution("agent")
    world.do(AGENT, todo.defer_todo, ref, resume_when={"type": "manual"}, by=by, epoch=owned.epoch)
    assert (world.todo(ref).status, world.todo(ref).owner) == ("deferred", "agent")
    with refused("not_owner"):
        world.do(PEER, todo.resume_todo, ref)
    world.do(AGENT, todo.resume_todo, ref)
    assert world.todo(ref).status == "open"


def test_a_choice_ends_a_deferral_and_its_refusal_makes_it_a_persons() -> None:
    for outcome, expected in (("chosen", "deliver work_ready"), ("rejected", "ask person_needed")):
        world = World()
        asked = world.ask()
        world.add(resume_when={"type": "gate_answered", "ref": asked})
        world.answer(asked, outcome=outcome)
        assert world.reason() == expected


def test_a_cycle_is_refused_and_spelled_out() -> None:
    world = World()
    a, b, c = (world.add(name) for name in "ABC")
    world.do(OWNER, todo.update_todo, b, {"depends_on": [a]}, None, None)
    world.do(OWNER, todo.update_todo, c, {"depends_on": [b]}, None, None)
    with refused("cycle") as caught:
        world.do(OWNER, todo.update_todo, a, {"depends_on": [c]}, None, None)
    assert caught.value.extra["cycle"] == [a, c, b, a]
    with refused("cycle"):
        world.do(OWNER, todo.update_todo, a, {"depends_on": [a]}, None, None)
    done = {"type": "todo_done", "ref": c}
    with refused("cycle"):
        world.do(OWNER, todo.defer_todo, a, resume_when=done)
    with refused("cycle"):
        world.do(OWNER, todo.block_todo, a, blocked_on={"until": done}, reason="Wait.")
    with refused("cycle"):
        world.do(OWNER, todo.supersede_todo, a, successors=[c])


def test_a_wait_that_blocks_counts_for_cycles_too() -> None:
    world = World()
    a, b = world.add("A"), world.add("B")
    until = {"until": {"type": "todo_done", "ref": b}}
    world.do(OWNER, todo.block_todo, a, blocked_on=until, reason="After B.")
    with refused("cycle"):
        world.do(OWNER, todo.update_todo, b, {"depends_on": [a]}, None, None)


def test_a_replacement_counts_for_cycles_too() -> None:
    world = World()
    old, new, after = (world.add(name) for name in ("Old", "New", "After"))
    world.do(OWNER, todo.update_todo, after, {"depends_on": [old]}, None, None)
    world.do(OWNER, todo.supersede_todo, old, successors=[new])
    with refused("cycle") as caught:
        world.do(OWNER, todo.update_todo, new, {"depends_on": [after]}, None, None)
    assert caught.value.extra["cycle"] == [new, after, old, new]


def test_superseding_passes_on_scopes_coverage_and_dependents() -> None:
    world = World()
    old = world.add(decision_scopes=["publish:x"])
    after = world.add("After", depends_on=[old])
    asked = world.ask(decision_scope="publish:x", kind="publish", blocks={"todos": [old]})
    one, two = world.add("One"), world.add("Two")
    world.do(OWNER, todo.supersede_todo, old, successors=[one, two, one])
    assert world.todo(old).superseded_by == (one, two)
    for heir in (one, two):
        assert world.todo(heir).decision_scopes == ("publish:x",)
    assert world.gate(asked).blocks_todos == (old, one, two)
    world.answer(asked)
    for _heir in (one, two):
        with refused("not_runnable"):
            world.claim(after)
        world.work()
    assert world.claim(after).owner == "agent"


def test_superseding_needs_heirs_or_a_reason_and_the_right() -> None:
    world = World()
    ref = world.add()
    with refused("continuation_required"):
        world.do(OWNER, todo.supersede_todo, ref, successors=[])
    with refused("not_owner"):
        world.do(AGENT, todo.supersede_todo, ref, successors=[], reason="Not needed.")
    epoch = world.claim(ref).epoch
    by = execution("agent")
    world.do(AGENT, todo.supersede_todo, ref, successors=[], reason="Moot.", by=by, epoch=epoch)
    assert world.todo(ref).status == "superseded"
    with refused("todo_closed"):
        world.do(OWNER, todo.drop_todo, ref, reason="No.")


def test_reopening_starts_afresh() -> None:
    world = World()
    ref = world.add()
    complete(world, {"type": "successors", "todos": [{"title": "Next"}]})
    with refused("human_required"):
        world.do(AGENT, todo.reopen_todo, ref, reason="Again.")
    world.do(OWNER, todo.reopen_todo, ref, reason="It broke.")
    again = world.todo(ref)
    assert (again.status, again.successors, again.outcome, again.closed_at) == (
        "open",
        (),
        "",
        None,
    )
    complete(world, NOTHING_MORE)
    with refused("not_runnable"):
        world.do(OWNER, todo.reopen_todo, "T2", reason="It is open.")


def test_review_by_turn_accepts_and_anything_else_leaves_it() -> None:
    world = World()
    ref = world.add()
    owned = world.claim(ref)
    by = execution("agent")
    with refused("evidence_required"):
        world.do(AGENT, review.submit_todo, ref, evidence=[], by=by, epoch=owned.epoch)
    world.do(AGENT, review.submit_todo, ref, evidence=[PROOF], by=by, epoch=owned.epoch)
    reviewing = world.begin(PEER)
    assert reviewing.todo == ref
    assert world.todo(ref).owner == "agent"
    world.finish(reviewing, "no_change")
    assert world.todo(ref).status == "review"
    world.finish(world.begin(PEER), "completed")
    assert world.todo(ref).status == "done"


def test_updates_are_one_event_and_agents_only_add_limits() -> None:
    world = World()
    ref = world.add(decision_scopes=["publish:x"], excluded_agents=["peer"])
    events = len(world.changes)
    change: dict[str, Any] = {"title": "Better", "decision_scopes": ["publish:x", "risk:y"]}
    world.do(AGENT, todo.update_todo, ref, change, execution("agent"), None)
    world.do(AGENT, todo.update_todo, ref, change, execution("agent"), None)
    assert len(world.changes) == events + 1
    lighter: dict[str, Any]
    for lighter in ({"decision_scopes": []}, {"excluded_agents": []}):
        with refused("human_required"):
            world.do(AGENT, todo.update_todo, ref, lighter, execution("agent"), None)
        world.do(OWNER, todo.update_todo, ref, lighter, None, None)
    with refused("unknown_field"):
        world.do(OWNER, todo.update_todo, ref, {"status": "done"}, None, None)


@pytest.mark.parametrize(
    "given",
    [
        {"title": " "},
        {"kind": "chore"},
        {"kind": "monitor"},
        {"kind": "monitor", "monitor": {"target": "x", "cadence_seconds": 59}},
        {"priority": "P4"},
        {"depends_on": ["T9"]},
        {"bound_agent": "nobody"},
        {"excluded_agents": ["nobody"]},
        {"decision_scopes": ["whatever"]},
        {"required_write_scopes": ["../up"]},
        {"required_write_scopes": ["/etc"]},
        {"resume_when": {"type": "moon"}},
        {"resume_when": {"type": "time", "at": "2026-03-02T10:00:00"}},
        {"resume_when": {"type": "todo_done", "ref": "G1"}},
        {"due": "tomorrow"},
    ],
)
def test_fields_that_cannot_be_meant_are_refused(given: dict[str, Any]) -> None:
    world = World()
    with refused("not_found" if "depends_on" in given else "invalid"):
        world.add(**given)
    assert not world.state.todos


def test_a_monitors_turn_is_its_poll() -> None:
    world = World()
    ref = world.monitor()
    world.work("no_change", poll={"result_hash": "a"})
    left = world.todo(ref)
    assert (left.unchanged_streak, left.owner, left.status) == (1, "", "open")
    assert left.next_due_at == world.now + timedelta(hours=1)
    world.pass_time(hours=1)
    world.work("no_change", poll={"result_hash": "b"})
    assert world.todo(ref).unchanged_streak == 0
    assert [entry.status for entry in world.state.entries.values()] == ["released", "released"]


def test_a_provider_limit_is_no_stall() -> None:
    world = World()
    world.add()
    for _turn in range(3):
        until = world.now + timedelta(minutes=5)
        world.finish(world.begin(), "failed", limited_until=until)
        assert world.reason() == "quiet agent_limited"
        assert world.decide().wake_at == until
        world.pass_time(minutes=5)
    assert world.reason() == "deliver work_ready"
