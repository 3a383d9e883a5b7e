"""Nothing that an agent may do makes work pass that a person has not let pass."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from kanban.kernel import claim, completion, gate, goal, review, todo
from kanban.kernel.actor import Actor
from kanban.kernel.codec import write_time
from kanban.kernel.errors import LoopxError
from kanban.kernel.execution import execution
from tests.kanban.kernel.build import AGENT, NOTE, NOTHING_MORE, OWNER, PEER, World, refused

SOON = timedelta(seconds=30)
DELEGATED = ("complete", "release", "reassign", "supersede", "update")


def held_open() -> World:
    """T1 waits for an open question."""
    world = World()
    world.ask(PEER, blocks={"todos": [world.add()]})
    return world


def held_sent_back() -> World:
    world = held_open()
    world.send_back("G1")
    return world


def held_rejected() -> World:
    world = held_open()
    world.answer("G1", outcome="rejected")
    return world


def held_running() -> World:
    """T1 was rejected while a turn of the agent ran on it."""
    world = World()
    ref = world.add()
    world.begin()
    world.ask(PEER, blocks={"todos": [ref]})
    world.answer("G1", outcome="rejected")
    return world


def held_person() -> World:
    world = World()
    ref = world.add()
    world.do(OWNER, todo.block_todo, ref, blocked_on={"person": "the owner"}, reason="Mine.")
    return world


def held_scope() -> World:
    world = World()
    world.add(decision_scopes=["publish:x"])
    return world


def held_in_review() -> World:
    """T1 was handed in, then a question was put about it."""
    world = World()
    ref = world.add()
    owned = world.claim(ref, PEER)
    by = execution("peer")
    world.do(PEER, review.submit_todo, ref, evidence=[NOTE], by=by, epoch=owned.epoch)
    world.ask(PEER, blocks={"todos": [ref]})
    return world


def attempts(world: World, who: Actor) -> list[Callable[[], Any]]:
    """What an agent might send about T1 and its question."""
    by, epoch = execution(who.name), world.state.todos["T1"].epoch
    hand: dict[str, Any] = {"by": by, "epoch": epoch}
    later = {"type": "time", "at": world.now + SOON}
    day = world.now + timedelta(hours=25)
    choice: dict[str, Any] = {"outcome": "chosen", "option": "yes", "revision": 1}
    done: dict[str, Any] = {"evidence": [NOTE], "continuation": NOTHING_MORE}
    do = world.do
    return [
        lambda: do(who, gate.answer_gate, "G1", **choice),
        lambda: do(who, gate.revise_gate, "G1", {"blocks": {}}),
        lambda: do(who, gate.revise_gate, "G1", {"decision_scope": ""}),
        lambda: do(who, gate.withdraw_gate, "G1", reason="No longer needed."),
        lambda: world.ask(
            who,
            kind="direction",
            default_option="yes",
            expire_at=day,
            follows="G1",
            blocks={"todos": ["T1"]},
        ),
        lambda: do(who, todo.unblock_todo, "T1"),
        lambda: do(who, todo.defer_todo, "T1", resume_when=later, reason="Later.", **hand),
        lambda: do(
            who, todo.block_todo, "T1", blocked_on={"until": later}, reason="Later.", **hand
        ),
        lambda: do(who, todo.update_todo, "T1", {"decision_scopes": []}, by, epoch),
        lambda: do(who, todo.update_todo, "T1", {"resume_when": later}, by, epoch),
        lambda: do(who, todo.update_todo, "T1", {"kind": "monitor"}, by, epoch),
        lambda: do(
            who, todo.supersede_todo, "T1", successors=[world.add("Same", actor=who)], **hand
        ),
        lambda: do(who, todo.drop_todo, "T1", reason="Out of the way.", **hand),
        lambda: do(who, todo.reopen_todo, "T1", reason="Again."),
        lambda: do(who, todo.resume_todo, "T1"),
        lambda: do(who, claim.release_todo, "T1", by, epoch, reason="Free."),
        lambda: do(who, claim.reassign_todo, "T1", who.name, reason="Mine.", **hand),
        lambda: world.claim("T1", who),
        lambda: world.claim("T1", who, lease_seconds=60),
        lambda: do(who, completion.complete_todo, "T1", **done, **hand),
        lambda: do(who, review.submit_todo, "T1", evidence=[NOTE], **hand),
        lambda: do(who, review.accept_todo, "T1"),
        lambda: do(who, goal.change_member, who.name, {"delegated": DELEGATED}),
    ]


WORLDS = [held_open, held_sent_back, held_rejected, held_running, held_person, held_scope]


@pytest.mark.parametrize("delegated", [False, True], ids=["plain", "delegated"])
@pytest.mark.parametrize("make", [*WORLDS, held_in_review])
def test_no_single_act_and_not_all_of_them(make: Callable[[], World], delegated: bool) -> None:
    world = make()
    if delegated:
        for name in ("agent", "peer"):
            world.do(OWNER, goal.change_member, name, {"delegated": DELEGATED})
    for _round in range(2):
        for who in (AGENT, PEER):
            for number in range(len(attempts(world, who))):
                with suppress(LoopxError):
                    attempts(world, who)[number]()
                assert_held(world)
        for turn in [t for t in world.settled.turns.values() if t.status == "live"]:
            later = {"type": "time", "at": world.now + SOON}
            for result in ("completed", "blocked"):
                with suppress(LoopxError):
                    world.finish(turn, result, block={"until": later})
                assert_held(world)
        world.pass_time(days=2)
        assert_held(world)


def assert_held(world: World) -> None:
    """T1 is neither done nor to be had, whoever asks, and whatever is said to be shown."""
    held = world.todo("T1")
    assert held.status != "done", held
    for heir in held.superseded_by:
        # Replacing is allowed where what must be decided passes on.
        assert held.decision_scopes
        assert {*held.decision_scopes} <= {*world.todo(heir).decision_scopes}
        assert world.todo(heir).status in ("open", "dropped")
    for who in (AGENT, PEER):
        decision = world.decide(who, todo="T1")
        asked = decision.verdict
        assert asked.selected != "T1" or asked.reason == "resume_turn", decision
        assert not (asked.outcome == "deliver" and asked.selected == "T1"), decision


def test_a_persons_task_is_not_done_by_agents() -> None:
    world = World()
    ref = world.add("Sign the contract", kind="user_action")
    after = world.add("Then ship", depends_on=[ref])
    by = execution("agent")
    with refused("human_required"):
        world.claim(ref)
    with refused("human_required"):
        world.do(
            AGENT,
            completion.complete_todo,
            ref,
            evidence=[NOTE],
            continuation=NOTHING_MORE,
            by=by,
            epoch=0,
        )
    with refused("not_owner"):
        heir = world.add("Pretend", actor=AGENT)
        world.do(AGENT, todo.supersede_todo, ref, successors=[heir])
    with refused("not_owner"):
        world.do(AGENT, todo.drop_todo, ref, reason="No.")
    for change in ({"kind": "advancement"}, {"waits_for": "agent"}):
        with refused("unknown_field" if "kind" in change else "human_required"):
            world.do(OWNER, todo.update_todo, ref, {"waits_for": "the owner"}, None, None)
            world.do(AGENT, todo.update_todo, ref, change, by, None)
    with refused("not_runnable"):
        world.claim(after)
    world.do(OWNER, completion.complete_todo, ref, evidence=[], continuation=None)
    assert world.claim(after).owner == "agent"


def test_what_a_person_put_aside_is_not_taken_up_by_agents() -> None:
    world = World()
    ref = world.add(resume_when={"type": "manual"})
    with refused("not_owner"):
        world.do(AGENT, todo.resume_todo, ref)
    later = write_time(world.now + timedelta(hours=1))
    other = world.add("Other")
    until = {"until": {"type": "time", "at": later}}
    world.do(OWNER, todo.block_todo, other, blocked_on=until, reason="After lunch.")
    with refused("not_owner"):
        world.do(AGENT, todo.unblock_todo, other)


def test_judgment_is_not_for_agents() -> None:
    world = World()
    acts: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
        (goal.update_goal, ({"write_scope": ["**"]},), {}),
        (goal.close_goal, (), {"outcome": "achieved", "reason": "Done."}),
        (goal.add_criterion, ("Anything",), {}),
        (goal.update_criterion, ("A1", {"state": "met", "note": "Yes."}), {}),
        (goal.stop_goal, (), {"reason": "Enough."}),
        (goal.pause_goal, (), {}),
        (goal.set_policy, ("", {"share": 1.0}), {}),
        (goal.remove_member, ("peer",), {}),
        (goal.change_member, ("peer", {"work_mode": "paused"}), {}),
        (goal.change_member, ("agent", {"work_mode": "active"}), {}),
    ]
    for rule, args, more in acts:
        with refused("human_required"):
            world.do(AGENT, rule, *args, **more)
    # The owner's key file administers, and judges nothing.
    for rule, args, more in acts[:4]:
        with refused("human_required"):
            world.do(Actor("person", "owner", "local"), rule, *args, **more)


def test_the_author_of_work_never_becomes_its_reviewer() -> None:
    world = World(members=["agent", "peer", "third"])
    ref = world.add()
    owned = world.claim(ref)
    by = execution("agent")
    world.do(AGENT, review.submit_todo, ref, evidence=[NOTE], by=by, epoch=owned.epoch)
    with refused("not_owner"):
        world.do(AGENT, review.accept_todo, ref)
    with refused("not_runnable"):
        world.do(AGENT, claim.release_todo, ref, by, owned.epoch)
    world.do(OWNER, goal.change_member, "agent", {"delegated": ("reassign", "release")})
    with refused("not_runnable"):
        hand: Any = {"by": by, "epoch": owned.epoch}
        world.do(AGENT, claim.reassign_todo, ref, "peer", reason="Take it.", **hand)
    world.do(OWNER, goal.change_member, "agent", {"work_mode": "paused"})
    assert world.todo(ref).owner == "agent"
    world.do(OWNER, goal.change_member, "agent", {"work_mode": "active"})
    assert world.reason(AGENT, todo=ref) == "wait peer_owns_work"
    world.do(PEER, review.accept_todo, ref)
    assert world.todo(ref).status == "done"


def test_a_reviewers_turn_does_not_outlive_the_review() -> None:
    world = World(members=["agent", "peer"])
    verdicts: list[Callable[..., Any]] = [review.accept_todo, review.return_todo]
    for verdict in verdicts:
        ref = world.add()
        owned = world.claim(ref)
        by = execution("agent")
        world.do(AGENT, review.submit_todo, ref, evidence=[NOTE], by=by, epoch=owned.epoch)
        reviewing = world.begin(PEER, todo=ref)
        assert reviewing.reason == "review_ready"
        more: Any = {"reason": "Not yet."} if verdict is review.return_todo else {}
        world.do(OWNER, verdict, ref, **more)
        assert world.turn(reviewing.id).status == "revoked"
        with refused("lease_lost"):
            world.finish(reviewing, "completed")
        expected = ("open", "agent") if more else ("done", "")
        assert (world.todo(ref).status, world.todo(ref).owner) == expected


def asked_by_a_person(**given: Any) -> World:
    """T1 waits for a person's own question, which another person sent back."""
    world = World()
    world.ask(OWNER, kind="publish", blocks={"todos": [world.add()]}, **given)
    world.send_back("G1")
    return world


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "direction", "default_option": "yes", "expire_at": timedelta(hours=25)},
        {"kind": "direction"},
        {"decision_scope": "publish:x"},
        {"on_reject": "drop"},
        {"expire_at": timedelta(hours=1)},
        {"blocks": {"todos": []}},
    ],
)
def test_rewording_changes_the_words_and_nothing_that_is_judged(given: dict[str, Any]) -> None:
    world = asked_by_a_person()
    change = {
        name: world.now + value if isinstance(value, timedelta) else value
        for name, value in given.items()
    }
    for who in (AGENT, PEER):
        with refused("human_required"):
            world.do(who, gate.revise_gate, "G1", change)
    world.do(AGENT, gate.revise_gate, "G1", {"question": "Shall we publish version 3 now?"})
    world.pass_time(hours=26)
    assert world.reason() == "ask gate_open"


def test_an_agent_may_give_its_own_question_more_time_but_not_less() -> None:
    world = World()
    world.ask(expire_at=world.now + timedelta(hours=2))
    with refused("human_required"):
        world.do(AGENT, gate.revise_gate, "G1", {"expire_at": world.now + timedelta(hours=1)})
    with refused("human_required"):
        world.do(AGENT, gate.revise_gate, "G1", {"expire_at": None})
    world.do(AGENT, gate.revise_gate, "G1", {"expire_at": world.now + timedelta(hours=3)})


def test_a_question_asked_before_a_rejection_does_not_undo_it() -> None:
    world = World()
    ref = world.add()
    asked, other = world.ask(blocks={"todos": [ref]}), world.ask(blocks={"todos": [ref]})
    world.pass_time(minutes=1)
    world.answer(asked, outcome="rejected")
    world.answer(other)
    assert world.todo(ref).blocked_on == {"gate": asked}
    assert world.reason() == "ask person_needed"
    world.pass_time(minutes=1)
    world.answer(world.ask(blocks={"todos": [ref]}, follows=asked))
    assert world.reason() == "deliver work_ready"


def test_a_choice_is_spent_by_the_work_it_let_pass() -> None:
    world = World()
    ref = world.add(decision_scopes=["publish:x"])
    asked = world.ask(decision_scope="publish:x", kind="publish", blocks={"todos": [ref]})
    world.answer(asked)
    world.work(evidence=[NOTE])
    world.do(OWNER, goal.change_member, "agent", {"delegated": DELEGATED})
    world.do(AGENT, todo.reopen_todo, ref, reason="Once more.")
    assert world.gate(asked).status == "chosen"
    assert world.reason() == "self_repair decision_gap"
    with refused("not_runnable"):
        world.claim(ref)


def test_replacing_lends_no_choice_and_skips_no_person() -> None:
    world = World()
    first, second = (world.add(name, decision_scopes=["publish:x"]) for name in ("A", "B"))
    asked = world.ask(decision_scope="publish:x", kind="publish", blocks={"todos": [first]})
    world.answer(asked)
    epoch = world.claim(first).epoch
    hand: dict[str, Any] = {"by": execution("agent"), "epoch": epoch, "reason": "Same."}
    with refused("gate_open"):
        world.do(AGENT, todo.supersede_todo, first, successors=[second], **hand)
    world.do(OWNER, todo.drop_todo, second, reason="No.")
    with refused("todo_closed"):
        world.do(AGENT, todo.supersede_todo, first, successors=[second], **hand)
    task = world.add("Sign the contract", kind="user_action")
    world.do(OWNER, goal.change_member, "agent", {"delegated": DELEGATED})
    heir = world.add("Pretend")
    with refused("human_required"):
        world.do(AGENT, todo.supersede_todo, task, successors=[heir], reason="Easier.")


def test_a_question_does_not_loosen_what_waits_for_a_person() -> None:
    world = held_person()
    asked = world.ask(blocks={"todos": ["T1"]})
    world.do(AGENT, gate.withdraw_gate, asked, reason="Moot.")
    assert world.todo("T1").blocked_on == {"person": "the owner"}
    world.pass_time(minutes=1)
    world.answer(world.ask(blocks={"todos": ["T1"]}))
    assert world.todo("T1").status == "blocked"


def test_a_resting_agent_claims_nothing() -> None:
    world = World()
    ref, watch = world.add(), world.monitor()
    for mode in ("paused", "monitor_only"):
        world.do(OWNER, goal.change_member, "agent", {"work_mode": mode})
        with refused("not_runnable"):
            world.claim(ref)
    assert world.claim(watch).owner == "agent"


def test_absurd_figures_are_refused_like_any_other() -> None:
    """Left in, some of them would break every later decision on the goal."""
    world = World()
    ref = world.add()
    for seconds in (2**53, -(2**53)):
        with refused("invalid_ttl"):
            world.claim(ref, lease_seconds=seconds)
        with refused("invalid"):
            world.prove(valid_seconds=seconds)
        with refused("invalid"):
            world.ask(remind_after_seconds=seconds)
        with refused("invalid"):
            world.monitor(cadence_seconds=seconds)
        with refused("invalid"):
            world.do(OWNER, goal.set_policy, "", {"slots": seconds})
    with refused("invalid"):
        world.add(resume_when={"type": "time", "at": "9999-12-31T23:59:59-12:00"})
    begun = world.begin()
    for usage in ({"tokens_in": 2**63}, {"cost_usd": float("inf")}, {"cost_usd": float("nan")}):
        with refused("invalid"):
            world.finish(begun, "completed", usage=usage)
