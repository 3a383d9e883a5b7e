"""Gates: asking, rewording, answering with an undo window, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from kanban.kernel import gate, goal, todo
from kanban.kernel.actor import Actor, person
from kanban.kernel.codec import write_time
from kanban.kernel.replay import differences, replay
from tests.kanban.kernel.build import (
    AGENT,
    OUTSIDER,
    OWNER,
    PEER,
    YES_NO,
    World,
    events_of,
    refused,
)


def gated(world: World, **more: Any) -> tuple[str, str]:
    """A todo and the question that holds it up."""
    ref = world.add()
    return ref, world.ask(blocks={"todos": [ref]}, **more)


def test_an_answer_frees_when_its_window_ends() -> None:
    world = World()
    ref, asked = gated(world)
    world.answer(asked, undo_seconds=20)
    world.pass_time(seconds=19)
    assert world.gate(asked).status == "provisional"
    assert world.reason() == "ask gate_open"
    assert world.decide().wake_at == world.gate(asked).effective_at
    world.pass_time(seconds=1)
    assert world.gate(asked).status == "chosen"
    assert world.gate(asked).ended_at == world.gate(asked).effective_at
    assert world.reason() == "deliver work_ready"
    assert world.begin().todo == ref


def test_taking_an_answer_back_inside_its_window() -> None:
    world = World()
    _, asked = gated(world)
    world.answer(asked, undo_seconds=20)
    with refused("not_owner"):
        world.do(person("second"), gate.undo_answer, asked)
    world.do(OWNER, gate.undo_answer, asked)
    again = world.gate(asked)
    assert (again.status, again.outcome, again.answered_by) == ("open", "", "")
    world.answer(asked, "no", undo_seconds=20)
    world.pass_time(seconds=20)
    with refused("undo_over"):
        world.do(OWNER, gate.undo_answer, asked)


def test_sending_now_ends_ones_own_window() -> None:
    world = World()
    _, asked = gated(world)
    world.answer(asked, undo_seconds=120)
    with refused("not_owner"):
        world.do(person("second"), gate.send_now, asked)
    world.do(OWNER, gate.send_now, asked)
    assert world.gate(asked).status == "chosen"


def test_only_a_signed_in_person_answers() -> None:
    world = World()
    _, asked = gated(world)
    for actor in (AGENT, PEER, OUTSIDER, person("owner", "local"), person("guest", "viewer")):
        with refused("human_required"):
            world.do(actor, gate.answer_gate, asked, outcome="chosen", option="yes", revision=1)
        with refused("human_required"):
            world.do(actor, gate.undo_answer, asked)
    assert world.gate(asked).status == "open"


def test_a_second_answer_is_told_of_the_first() -> None:
    world = World()
    _, asked = gated(world)
    world.answer(asked, undo_seconds=20)
    before = world.state
    world.answer(asked, undo_seconds=20)
    assert world.state == before
    with refused("already_answered") as caught:
        world.answer(asked, "no")
    assert caught.value.extra["answered_by"] == "person:owner"
    with refused("already_answered"):
        world.do(
            person("second"), gate.answer_gate, asked, outcome="chosen", option="yes", revision=1
        )


def test_a_form_on_an_older_wording_is_refused_with_the_new_one() -> None:
    world = World()
    _, asked = gated(world)
    world.do(AGENT, gate.revise_gate, asked, {"question": "Shall we publish version 3 now?"})
    with refused("gate_changed") as caught:
        world.answer(asked, revision=1)
    assert caught.value.extra["question"] == "Shall we publish version 3 now?"
    world.answer(asked)


def test_the_asker_and_people_reword_and_nobody_else() -> None:
    world = World()
    _, asked = gated(world)
    new = {"question": "Shall we publish version 3 now?"}
    with refused("not_owner"):
        world.do(PEER, gate.revise_gate, asked, new)
    with refused("not_member"):
        world.do(OUTSIDER, gate.revise_gate, asked, new)
    world.do(OWNER, gate.revise_gate, asked, new)
    assert world.gate(asked).revision == 2
    world.answer(asked, undo_seconds=20)
    with refused("already_answered"):
        world.do(AGENT, gate.revise_gate, asked, new)


def test_a_question_sent_back_is_reworded_by_whom_it_holds_up_and_delivered_anew() -> None:
    world = World()
    _, asked = gated(world)
    world.send_back(asked, "Which version?")
    for who in (AGENT, PEER):
        assert world.reason(who) == "self_repair needs_info"
    repair = world.begin(PEER)
    assert repair.gap.startswith(f"needs_info:{asked}:")
    assert world.gate(asked).received_by == ("peer",)
    world.do(PEER, gate.revise_gate, asked, {"question": "Shall we publish version 2.1 now?"})
    assert world.gate(asked).received_by == ()
    world.finish(repair, "progress")
    assert world.gate(asked).status == "open"
    assert world.reason(PEER) == "ask gate_open"
    world.answer(asked)
    # Having read that it was sent back is not having read the answer.
    for who in (AGENT, PEER):
        assert [item.ref for item in world.decide(who).answers] == [asked]


def test_an_answer_is_delivered_once_to_each() -> None:
    world = World()
    _, asked = gated(world)
    world.answer(asked)
    begun = world.begin()
    assert world.gate(asked).received_by == ("agent",)
    assert world.decide().answers == ()
    world.do(AGENT, gate.receive_answer, asked, "agent")
    assert world.gate(asked).received_by == ("agent",)
    world.finish(begun, "completed")


@pytest.mark.parametrize("end", ["rejected", "expired", "withdrawn"])
def test_what_ends_without_a_choice_leaves_its_todos_blocked(end: str) -> None:
    world = World()
    expiry = {"expire_at": world.now + timedelta(hours=1)} if end == "expired" else {}
    ref, asked = gated(world, **expiry)
    if end == "rejected":
        world.answer(asked, "no", outcome="rejected")
    elif end == "withdrawn":
        world.do(AGENT, gate.withdraw_gate, asked, reason="No longer needed.")
    world.pass_time(hours=2)
    assert world.gate(asked).status == end
    assert (world.todo(ref).status, world.todo(ref).blocked_on) == ("blocked", {"gate": asked})
    with refused("human_required"):
        world.do(AGENT, todo.unblock_todo, ref)
    assert world.reason() == "ask person_needed"
    world.do(OWNER, todo.unblock_todo, ref)
    assert world.reason() == "deliver work_ready"


def test_a_persons_withdrawal_frees() -> None:
    world = World()
    _, asked = gated(world)
    world.do(OWNER, gate.withdraw_gate, asked, reason="I decided otherwise.")
    assert world.reason() == "deliver work_ready"


def test_a_new_questions_choice_unblocks_what_an_older_one_left() -> None:
    world = World()
    ref, asked = gated(world)
    world.answer(asked, outcome="rejected")
    follow = world.ask(blocks={"todos": [ref]}, follows=asked)
    assert world.reason() == "ask gate_open"
    world.answer(follow)
    assert world.todo(ref).status == "open"
    assert world.begin().todo == ref


def test_a_declared_default_does_not_mend_what_a_person_rejected() -> None:
    world = World()
    ref, asked = gated(world)
    world.answer(asked, outcome="rejected")
    day = world.now + timedelta(hours=25)
    world.ask(kind="direction", default_option="yes", expire_at=day, blocks={"todos": [ref]})
    world.pass_time(hours=30)
    assert world.gate("G2").status == "chosen"
    assert world.todo(ref).status == "blocked"
    assert world.reason() == "ask person_needed"


def test_on_reject_drop_drops_and_ends_the_turn() -> None:
    world = World()
    ref = world.add()
    begun = world.begin()
    asked = world.ask(blocks={"todos": [ref]}, on_reject="drop")
    world.answer(asked, outcome="rejected")
    dropped = world.todo(ref)
    assert (dropped.status, dropped.owner, dropped.claim_form) == ("dropped", "", "")
    assert world.turn(begun.id).status == "revoked"


def test_a_running_turn_may_finish_its_slice_but_not_complete() -> None:
    world = World()
    ref = world.add()
    begun = world.begin()
    asked = world.ask(PEER, blocks={"todos": [ref]})
    with refused("gate_open"):
        world.finish(begun, "completed")
    world.answer(asked, outcome="rejected")
    with refused("human_required"):
        world.finish(begun, "completed")
    world.finish(begun, "progress")
    assert world.todo(ref).status == "blocked"


def test_a_deadline_is_never_a_yes_unless_it_was_declared_for_low_stakes() -> None:
    world = World()
    day = world.now + timedelta(hours=24)
    ref, asked = gated(world, kind="direction", expire_at=day, default_option="yes")
    world.pass_time(hours=24)
    ended = world.gate(asked)
    assert (ended.status, ended.option, ended.answered_by) == ("chosen", "yes", "default")
    assert world.todo(ref).status == "open"


@pytest.mark.parametrize(
    ("given", "hours"),
    [
        ({"kind": "publish"}, 48),
        ({"kind": "risk"}, 48),
        ({"kind": "direction"}, 23),
        ({"kind": "resource", "decision_scope": "publish:x"}, 48),
    ],
)
def test_a_default_is_refused_for_high_stakes_or_short_notice(
    given: dict[str, Any], hours: int
) -> None:
    world = World()
    with refused("invalid"):
        world.ask(**given, default_option="yes", expire_at=world.now + timedelta(hours=hours))


def test_an_answer_cannot_expire_inside_its_window() -> None:
    world = World()
    _, asked = gated(world, expire_at=world.now + timedelta(seconds=10))
    world.answer(asked, undo_seconds=20)
    world.pass_time(seconds=15)
    assert world.gate(asked).status == "provisional"
    world.do(OWNER, gate.undo_answer, asked)
    assert world.gate(asked).status == "expired"


def test_reminders_make_new_tags() -> None:
    world = World()
    _, asked = gated(world, remind_after_seconds=3600)
    assert [question.tag for question in world.decide().verdict.questions] == [f"{asked}@1.1"]
    assert world.reason(shown=(f"{asked}@1.1",)) == "wait awaiting_answer"
    assert world.decide(shown=(f"{asked}@1.1",)).wake_at == world.now + timedelta(hours=1)
    digest = world.decide().digest
    world.pass_time(hours=1)
    assert world.reason(shown=(f"{asked}@1.1",)) == "ask gate_open"
    assert world.decide().digest != digest
    world.do(OWNER, gate.revise_gate, asked, {"question": "Shall we publish version 3 now?"})
    assert world.decide().verdict.questions[0].tag == f"{asked}@2.1"


def test_a_question_may_be_answered_while_the_goal_rests_but_not_after_its_end() -> None:
    world = World()
    _, asked = gated(world)
    world.do(OWNER, goal.pause_goal)
    with refused("goal_not_active"):
        world.ask()
    world.answer(asked)
    world.do(OWNER, goal.resume_goal)
    late = world.ask()
    world.answer(late, undo_seconds=20)
    world.do(OWNER, goal.stop_goal, reason="Enough.")
    rules: list[Callable[..., Any]] = [gate.undo_answer, gate.answer_gate]
    for rule in rules:
        with refused("goal_not_active"):
            more: Any = {"outcome": "chosen", "revision": 1} if rule is gate.answer_gate else {}
            world.do(OWNER, rule, late, **more)


def test_unknown_references_and_foreign_agents_are_refused() -> None:
    world = World()
    with refused("invalid"):
        world.ask(blocks={"todos": ["T9"]})
    with refused("invalid"):
        world.ask(blocks={"agent": "nobody"}, actor=OWNER)
    with refused("not_owner"):
        world.ask(blocks={"agent": "peer"})
    with refused("invalid"):
        world.ask(follows="G9")
    with refused("invalid"):
        world.ask(evidence=["E9"])
    with refused("invalid"):
        world.ask(decision_scope="anything")
    with refused("invalid"):
        world.ask(options=[YES_NO[0], YES_NO[0]])


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"outcome": "maybe"}, "invalid"),
        ({"outcome": "chosen", "option": "perhaps"}, "invalid"),
        ({"outcome": "chosen"}, "invalid"),
        ({"outcome": "chosen", "words": "Yes, but later."}, "invalid"),
        ({"outcome": "needs_info"}, "invalid"),
        ({"outcome": "chosen", "option": "yes", "undo_seconds": 121}, "invalid"),
    ],
)
def test_answers_that_say_nothing_are_refused(given: dict[str, Any], code: str) -> None:
    world = World()
    _, asked = gated(world)
    with refused(code):
        world.do(OWNER, gate.answer_gate, asked, revision=1, **given)


def test_free_text_is_an_answer_where_it_is_allowed() -> None:
    world = World()
    ref = world.add()
    asked = world.ask(options=[], free_text=True, blocks={"todos": [ref]})
    world.do(
        OWNER,
        gate.answer_gate,
        asked,
        outcome="chosen",
        words="Use blue.",
        revision=1,
        undo_seconds=0,
    )
    assert world.gate(asked).answer_text == "Use blue."
    assert world.reason() == "deliver work_ready"


def test_a_todo_waits_for_a_gate_that_it_names_itself() -> None:
    world = World()
    asked = world.ask(actor=OWNER)
    ref = world.add()
    world.do(OWNER, todo.block_todo, ref, blocked_on={"gate": asked}, reason="See there.")
    assert world.reason() == "ask gate_open"
    world.answer(asked)
    assert world.todo(ref).status == "open"
    with refused("gate_ended"):
        world.do(OWNER, todo.block_todo, ref, blocked_on={"gate": asked}, reason="Again.")


def test_a_decision_scope_is_granted_by_a_choice_that_names_the_todo() -> None:
    world = World()
    ref = world.add(decision_scopes=["publish:x"])
    elsewhere = world.add("Elsewhere", bound_agent="peer")
    assert world.reason() == "self_repair decision_gap"
    other = world.ask(decision_scope="publish:x", kind="publish", blocks={"todos": [elsewhere]})
    world.answer(other)
    assert world.reason() == "self_repair decision_gap"
    asked = world.ask(decision_scope="publish:x", kind="publish", blocks={"todos": [ref]})
    assert world.reason() == "ask gate_open"
    world.answer(asked)
    assert world.begin().todo == ref


def test_the_log_tells_the_same_story() -> None:
    world = World()
    for outcome in ("chosen", "rejected"):
        _, asked = gated(world)
        world.send_back(asked)
        world.do(AGENT, gate.revise_gate, asked, {"question": "Shall we publish version 4 now?"})
        world.answer(asked, outcome=outcome)
    assert differences(replay("apollo", events_of(world)), world.state) == []
    assert write_time(world.state.goal.updated_at or world.now).endswith("Z")


def test_agents_do_not_withdraw_what_others_asked() -> None:
    world = World()
    _, asked = gated(world)
    for actor, code in ((PEER, "not_owner"), (OUTSIDER, "not_member")):
        with refused(code):
            world.do(actor, gate.withdraw_gate, asked, reason="Go away.")
    key_file = Actor("person", "owner", "local")
    world.do(key_file, gate.withdraw_gate, asked, reason="From the terminal.")
    # The owner's key file is for administration: it ends the question without deciding it.
    assert world.reason() == "ask person_needed"
