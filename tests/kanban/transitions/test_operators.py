"""Each transition once through the store: its receipt shows the object as the rows now are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kanban.kernel.errors import NotAllowed
from kanban.models import Agent, Gate, Goal, Member, SignInLink, Todo, Token
from kanban.queries.snapshot import load
from kanban.transitions import claims, evidence, gates, goals, members, people, quota, todos, turns
from kanban.transitions.receipt import Receipt
from tests.kanban.kernel.build import refused
from tests.kanban.store.ledger import (
    AGENT,
    GOAL,
    NOTHING_MORE,
    NOW,
    OWNER,
    PEER,
    PROOF,
    ask,
    assert_sound,
    begin,
    finish,
    later,
    make_goal,
)

pytestmark = pytest.mark.django_db(transaction=True)


def shown(receipt: Receipt) -> tuple[str, str | None]:
    """The status and owner that a receipt tells, which the row must share."""
    body = receipt.body
    owner = body["owner"]["agent"] if body["owner"] else None
    row = Todo.objects.get(ref=body["ref"])
    assert (row.status, row.owner) == (body["status"], owner or "")
    assert receipt.version == Goal.objects.get().version
    return body["status"], owner


def test_the_life_of_a_todo() -> None:
    make_goal(3)
    on: dict[str, Any] = {"now": NOW}
    hand: dict[str, Any] = on | {"execution_key": "k"}
    manual: Any = {"type": "manual"}
    claimed = claims.claim_todo(AGENT, GOAL, "T1", **hand)
    assert shown(claimed) == ("open", "agent")
    hand["epoch"] = claimed.body["owner"]["epoch"]
    todos.update_todo(AGENT, GOAL, "T1", {"title": "Better"}, **hand)
    assert Todo.objects.get(ref="T1").title == "Better"
    deferred = todos.defer_todo(AGENT, GOAL, "T1", resume_when=manual, **hand)
    assert shown(deferred) == ("deferred", "agent")
    assert shown(todos.resume_todo(AGENT, GOAL, "T1", **on)) == ("open", "agent")
    until: Any = {"until": manual}
    blocked = todos.block_todo(AGENT, GOAL, "T1", blocked_on=until, reason="Wait.", **hand)
    assert shown(blocked) == ("blocked", "agent")
    assert shown(todos.unblock_todo(AGENT, GOAL, "T1", **on)) == ("open", "agent")
    submitted = todos.submit_todo(AGENT, GOAL, "T1", evidence=[PROOF], **hand)
    assert shown(submitted) == ("review", "agent")
    returned = todos.return_todo(PEER, GOAL, "T1", reason="Not yet.", **on)
    assert shown(returned) == ("open", "agent")
    todos.submit_todo(AGENT, GOAL, "T1", evidence=["E1"], **hand)
    assert shown(todos.accept_todo(PEER, GOAL, "T1", **on)) == ("done", None)
    reopened = todos.reopen_todo(OWNER, GOAL, "T1", reason="It broke.", **on)
    assert shown(reopened) == ("open", None)
    assert shown(todos.move_todo(OWNER, GOAL, "T1", after="T3", **on)) == ("open", None)
    best = claims.claim_next(AGENT, GOAL, **on)
    assert best.body["todo"]["ref"] == "T2"
    given: Any = {
        "agent": "peer",
        "reason": "Please.",
        "epoch": best.body["todo"]["owner"]["epoch"],
    }
    assert shown(claims.reassign_todo(AGENT, GOAL, "T2", **given, **on)) == ("open", "peer")
    epoch = Todo.objects.get(ref="T2").epoch
    assert shown(claims.release_todo(PEER, GOAL, "T2", epoch=epoch, **on)) == ("open", None)
    heirs: Any = [{"ref": "T3"}, {"title": "New"}]
    replaced = todos.supersede_todo(OWNER, GOAL, "T2", successors=heirs, **on)
    assert shown(replaced) == ("superseded", None)
    assert replaced.body["superseded_by"] == ["T3", "T4"]
    done = todos.complete_todo(
        OWNER, GOAL, "T3", evidence=[], continuation=None, override_note="By hand.", **on
    )
    assert shown(done) == ("done", None)
    assert shown(todos.drop_todo(OWNER, GOAL, "T4", reason="Moot.", **on)) == ("dropped", None)
    assert claims.claim_next(AGENT, GOAL, **on).body["todo"]["ref"] == "T1"
    assert not claims.claim_next(AGENT, GOAL, **on).body["claimed"]
    assert_sound()


def test_a_check_is_passed_on_when_completing() -> None:
    make_goal(0)
    todos.add_todos(OWNER, GOAL, [{"title": "Checked", "acceptance_check": "make test"}], now=NOW)
    claims.claim_todo(AGENT, GOAL, "T1", now=NOW)
    given: dict[str, Any] = {
        "evidence": [PROOF],
        "continuation": NOTHING_MORE,
        "epoch": 1,
        "now": NOW,
    }
    with refused("check_required"):
        todos.complete_todo(AGENT, GOAL, "T1", **given)
    passed = todos.complete_todo(AGENT, GOAL, "T1", check={"exit_code": 0}, **given)
    assert shown(passed) == ("done", None)


def test_the_life_of_a_gate() -> None:
    make_goal(1)
    on: dict[str, Any] = {"now": NOW}
    asked = ask(blocks={"todos": ["T1"]})
    assert asked.body["holds_up"] == ["T1"]
    given: dict[str, Any] = {"outcome": "chosen", "option": "yes", "revision": 1} | on
    answered = gates.answer_gate(OWNER, GOAL, "G1", **given)
    assert answered.body["answer"]["provisional"]
    assert gates.undo_answer(OWNER, GOAL, "G1", **on).body["answer"] is None
    sent_back = {"outcome": "needs_info", "text": "Which?", "option": "", "undo_seconds": 0}
    assert gates.answer_gate(OWNER, GOAL, "G1", **given | sent_back).body["status"] == "sent_back"
    words = {"question": "Shall we publish version 3 now?"}
    assert gates.revise_gate(AGENT, GOAL, "G1", words, **on).body["revision"] == 2
    gates.answer_gate(OWNER, GOAL, "G1", **given | {"revision": 2})
    assert gates.send_now(OWNER, GOAL, "G1", **on).body["status"] == "chosen"
    received = gates.receive_answer(AGENT, GOAL, "G1", agent="agent", **on)
    assert received.body["received_by"] == ["agent"]
    ask(follows="G1")
    assert (
        gates.withdraw_gate(AGENT, GOAL, "G2", reason="Moot.", **on).body["status"] == "withdrawn"
    )
    assert Gate.objects.count() == 2
    assert_sound()


def test_the_life_of_a_goal() -> None:
    make_goal(0)
    on: dict[str, Any] = {"now": NOW}
    seen = Goal.objects.get().version
    change = {"objective": "Reach Mars", "write_scope": ["src"], "title": "Ares"}
    changed = goals.update_goal(OWNER, GOAL, change, expect_version=seen, **on)
    assert changed.body["revision"] == 2
    with refused("stale_version"):
        goals.update_goal(OWNER, GOAL, change, expect_version=seen, **on)
    goals.add_criterion(OWNER, GOAL, "It is small", **on)
    met = goals.update_criterion(OWNER, GOAL, "A2", {"state": "met", "note": "Seen."}, **on)
    assert [item["state"] for item in met.body["acceptance"]] == ["unmet", "met"]
    assert goals.pause_goal(OWNER, GOAL, **on).body["status"] == "paused"
    assert goals.resume_goal(OWNER, GOAL, **on).body["status"] == "active"
    assert goals.resume_goal(OWNER, GOAL, **on).events == ()
    closed = goals.close_goal(OWNER, GOAL, outcome="abandoned", reason="No use.", **on)
    assert closed.body["status"] == "abandoned"
    with refused("goal_not_active"):
        goals.pause_goal(OWNER, GOAL, **on)
    assert_sound()


def test_a_turn_is_renewed_and_its_evidence_taken_out() -> None:
    make_goal(1)
    begun = begin()
    given: dict[str, Any] = {"agent": "agent", "epoch": 1, "lease_seconds": 3600, "now": NOW}
    renewed = turns.renew_turn(AGENT, GOAL, begun.body["id"], **given)
    assert renewed.body["lease_until"] > begun.body["lease_until"]
    with refused("lease_lost"):
        turns.renew_turn(AGENT, GOAL, begun.body["id"], **given | {"epoch": 2})
    finish(begun)
    out = evidence.invalidate_evidence(PEER, GOAL, "E1", reason="It was cached.", now=NOW)
    assert out.body["invalidated"]["by"] == "agent:peer"
    again = evidence.invalidate_evidence(PEER, GOAL, "E1", reason="Really.", now=NOW)
    assert again.events == ()
    assert_sound()


def test_the_life_of_an_agent() -> None:
    make_goal(1)
    claims.claim_todo(AGENT, GOAL, "T1", now=NOW)
    with refused("exists"):
        members.create_agent(OWNER, "agent", now=NOW)
    for bad in ("", "Two Words", "x" * 65):
        with refused("invalid"):
            members.create_agent(OWNER, bad, now=NOW)
    with refused("invalid"):
        members.create_agent(OWNER, "third", host_kind="toaster", now=NOW)
    with refused("human_required"):
        members.create_agent(AGENT, "third", now=NOW)
    members.create_agent(OWNER, "third", capabilities=["gpu"], now=NOW)
    members.register_member(OWNER, GOAL, "third", now=NOW)
    assert load(GOAL).state.members["third"].capabilities == ("gpu",)
    members.change_agent(AGENT, "agent", {"work_mode": "paused"}, now=NOW)
    assert Agent.objects.get(name="agent").work_mode == "paused"
    assert not Todo.objects.get().owner
    with refused("human_required"):
        members.change_agent(AGENT, "agent", {"work_mode": "active"}, now=NOW)
    members.remove_member(OWNER, GOAL, "third", now=NOW)
    assert not Member.objects.get(agent="third").active
    with refused("human_required"):
        members.register_member(AGENT, GOAL, "third", now=NOW)
    with refused("not_found"):
        members.register_member(OWNER, GOAL, "nobody", now=NOW)
    assert_sound()


def test_tokens_are_shown_once_and_kept_as_a_hash() -> None:
    make_goal(0)
    token = members.mint_token(OWNER, "agent", now=NOW)
    assert token.startswith("lxa_")
    assert len(token) >= 47
    kept = Token.objects.get()
    assert token not in str(Token.objects.values().get())
    assert kept.hash == members.token_hash(token)
    with refused("human_required"):
        members.mint_token(AGENT, "agent", now=NOW)
    members.revoke_token(OWNER, "agent", kept.pk, now=NOW)
    assert Token.objects.get().revoked_at == NOW
    with refused("not_found"):
        members.revoke_token(OWNER, "peer", kept.pk, now=NOW)


def test_a_sign_in_link_works_once_for_ten_minutes() -> None:
    link = people.mint_sign_in_link(NOW)
    assert link not in str(SignInLink.objects.values().get())
    owner = people.redeem_sign_in(link, NOW + timedelta(minutes=9))
    assert owner.is_superuser
    late = people.mint_sign_in_link(NOW)
    for token, now in ((link, NOW), (late, later(minutes=10)), ("guess", NOW)):
        with pytest.raises(NotAllowed):
            people.redeem_sign_in(token, now)


def test_a_policy_changes_the_figures_at_once() -> None:
    make_goal(1)
    answer = quota.set_policy(OWNER, GOAL, {"slots": 3}, now=NOW, reason="Slower.")
    assert (answer.body["allowed"], answer.body["free"]) == (3, 3)
    both: Any = {"": {"slots": 5}, "agent": {"share": 0.0}}
    figures = quota.set_policies(OWNER, GOAL, both, now=NOW).body
    assert figures["allowed"] == 5
    assert figures["agents"]["agent"]["allowed"] == 0
    with refused("not_now"):
        begin()
    assert_sound()
