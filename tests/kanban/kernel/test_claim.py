"""Ownership: fences, leases that run out, soft claims that go stale, scopes that clash."""

from __future__ import annotations

import pytest

from kanban.kernel import claim, completion, goal, review, todo, turn
from kanban.kernel.actor import Actor
from kanban.kernel.execution import Execution, execution
from tests.kanban.kernel.build import (
    AGENT,
    NOTE,
    NOTHING_MORE,
    OUTSIDER,
    OWNER,
    PEER,
    World,
    refused,
)


def complete(
    world: World, ref: str, epoch: int | None, *, who: Actor = AGENT, key: str = ""
) -> None:
    world.do(
        who,
        completion.complete_todo,
        ref,
        evidence=[NOTE],
        continuation=NOTHING_MORE,
        by=execution(who.name, key),
        epoch=epoch,
    )


def test_an_owner_writes_back_under_key_and_epoch() -> None:
    world = World()
    ref = world.add()
    owned = world.claim(ref, key="k")
    with refused("invalid"):
        complete(world, ref, None, key="k")
    with refused("other_execution"):
        complete(world, ref, owned.epoch, key="another process")
    with refused("lease_lost"):
        complete(world, ref, owned.epoch - 1, key="k")
    complete(world, ref, owned.epoch, key="k")
    assert world.todo(ref).status == "done"
    assert not world.todo(ref).owner


def test_a_peer_is_refused_and_told_whose_it_is() -> None:
    world = World()
    ref = world.add()
    world.claim(ref, lease_seconds=60)
    with refused("already_claimed") as caught:
        world.claim(ref, PEER)
    assert caught.value.extra["owner"] == "agent"
    with refused("not_owner"):
        complete(world, ref, 1, who=PEER)


def test_what_nobody_holds_any_more_has_expired() -> None:
    world = World()
    ref = world.add()
    epoch = world.claim(ref, lease_seconds=60).epoch
    world.do(OWNER, claim.release_todo, ref, None, None)
    with refused("lease_expired"):
        complete(world, ref, epoch)
    with refused("lease_expired"):
        world.do(
            AGENT, review.submit_todo, ref, evidence=[NOTE], by=execution("agent"), epoch=epoch
        )
    with refused("not_runnable"):
        complete(world, ref, None)


def test_a_late_finish_after_expiry_and_after_a_takeover() -> None:
    world = World()
    ref = world.add()
    late = world.begin(lease_seconds=60)
    world.pass_time(seconds=60)
    assert world.turn(late.id).status == "expired"
    with refused("lease_expired"):
        world.finish(late, "completed")
    world.pass_time(hours=2)
    taken = world.begin(PEER)
    assert (taken.todo, taken.epoch) == (ref, late.epoch + 1)
    with refused("lease_lost"):
        world.finish(late, "completed")
    assert world.finish(taken, "completed").result == "completed"


def test_begin_again_after_expiry_and_finish_with_the_same_evidence() -> None:
    world = World()
    world.add()
    late = world.begin(lease_seconds=60)
    world.pass_time(minutes=5)
    again = world.begin()
    assert again.todo == late.todo
    assert again.epoch == late.epoch + 1
    world.finish(again, "completed")


def test_another_process_of_the_same_agent_is_told_apart() -> None:
    world = World()
    world.add()
    begun = world.begin(key="one")
    with refused("other_execution"):
        world.do(
            AGENT,
            turn.finish_turn,
            begun.id,
            execution("agent", "two"),
            {"result": "no_change", "summary": "Nothing."},
            epoch=begun.epoch,
        )
    with refused("not_found"):
        world.do(
            PEER,
            turn.finish_turn,
            begun.id,
            execution("peer", "one"),
            {"result": "no_change", "summary": "Nothing."},
            epoch=begun.epoch,
        )
    assert world.reason(key="two") == "wait peer_owns_work"


def test_a_lease_ends_at_its_instant_and_leaves_a_soft_claim() -> None:
    world = World()
    ref = world.add()
    world.claim(ref, lease_seconds=60)
    world.pass_time(seconds=59)
    assert world.todo(ref).claim_form == "lease"
    world.pass_time(seconds=1)
    left = world.todo(ref)
    assert (left.claim_form, left.owner, left.lease_until) == ("soft", "agent", None)
    # Reading settles for the reader only.
    assert world.state.todos[ref].claim_form == "lease"


def test_reservation_comes_back_when_a_turn_runs_out() -> None:
    world = World()
    world.add()
    begun = world.begin(lease_seconds=60)
    world.pass_time(minutes=2)
    [entry] = world.settled.entries.values()
    assert (entry.status, entry.slots, entry.turn) == ("released", 0, begun.id)


def test_a_turn_renews_never_past_its_end() -> None:
    world = World()
    ref = world.add()
    begun = world.begin(lease_seconds=3600)
    by = execution("agent")
    for _hour in range(3):
        world.pass_time(minutes=45)
        if world.turn(begun.id).status != "live":
            break
        world.do(AGENT, turn.renew_turn, begun.id, by, lease_seconds=3600)
        assert world.turn(begun.id).lease_until == world.todo(ref).lease_until
    assert world.turn(begun.id).ended_at == begun.ends_by
    with refused("lease_expired"):
        world.do(AGENT, turn.renew_turn, begun.id, by, lease_seconds=3600)


@pytest.mark.parametrize("seconds", [0, 29, 24 * 3600 + 1])
def test_a_lease_has_a_sensible_length(seconds: int) -> None:
    world = World()
    ref = world.add()
    with refused("invalid_ttl"):
        world.claim(ref, lease_seconds=seconds)
    with refused("invalid_ttl"):
        world.begin(lease_seconds=seconds)


def test_a_soft_claim_goes_stale_when_its_owner_is_silent() -> None:
    world = World()
    ref = world.add()
    epoch = world.claim(ref).epoch
    world.pass_time(hours=1, minutes=59)
    with refused("already_claimed"):
        world.claim(ref, PEER)
    world.pass_time(minutes=1)
    taken = world.claim(ref, PEER)
    assert (taken.owner, taken.epoch) == ("peer", epoch + 1)
    with refused("lease_lost"):
        complete(world, ref, epoch, who=Actor("agent", "peer"), key="")
    with refused("not_owner"):
        complete(world, ref, epoch)


def test_the_same_execution_may_claim_again() -> None:
    world = World()
    ref = world.add()
    first = world.claim(ref)
    assert world.claim(ref) == first
    leased = world.claim(ref, lease_seconds=60)
    assert leased.epoch == first.epoch + 1


def test_claiming_what_ones_own_turn_holds_does_not_orphan_the_turn() -> None:
    world = World()
    ref = world.add()
    begun = world.begin()
    assert world.claim(ref, lease_seconds=60).epoch == begun.epoch
    world.finish(begun, "completed")


def test_at_most_five_soft_claims() -> None:
    world = World()
    refs = [world.add(f"Thing {number}") for number in range(6)]
    for ref in refs[:5]:
        world.claim(ref)
    with refused("too_many_claims"):
        world.claim(refs[5])
    world.claim(refs[5], lease_seconds=60)


@pytest.mark.parametrize(
    ("mine", "theirs", "clash"),
    [
        ("src/app", "src/application", False),
        ("src", "src/app/x.py", True),
        ("src/app", "src/app", True),
        ("src/App", "src/app", False),
        ("src/**", "src/app/x.py", True),
        ("src/*/x.py", "src/app/y.py", False),
        ("src/*/x.py", "src/app/x.py", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/a.txt", False),
    ],
)
def test_write_scopes_meet_by_whole_segments(mine: str, theirs: str, clash: bool) -> None:
    world = World(write_scope=["**"])
    first = world.add(required_write_scopes=[theirs])
    second = world.add(required_write_scopes=[mine])
    world.begin(PEER, todo=first)
    if clash:
        with refused("scope_conflict"):
            world.begin(todo=second)
    else:
        assert world.begin(todo=second).todo == second


def test_a_lease_cannot_take_more_than_the_goal_lets_work_write() -> None:
    world = World(write_scope=["src"])
    ref = world.add()
    with refused("not_runnable"):
        world.claim(ref, lease_seconds=60, write_scopes=["infra"])
    world.claim(ref, lease_seconds=60, write_scopes=["src/app"])
    other = world.add(required_write_scopes=["src/app/x.py"])
    with refused("scope_conflict"):
        world.claim(other, PEER, lease_seconds=60)


def test_outsiders_do_nothing_and_nobody_acts_for_another() -> None:
    world = World()
    ref = world.add()
    with refused("not_member"):
        world.claim(ref, OUTSIDER)
    with refused("not_member"):
        world.begin(OUTSIDER)
    with refused("not_member"):
        world.decide(OUTSIDER)
    with refused("agent_mismatch"):
        world.do(AGENT, claim.claim_todo, ref, Execution("peer", ""))
    world.do(OWNER, goal.remove_member, "agent")
    with refused("not_member"):
        world.claim(ref)


def test_an_excluded_or_unbound_agent_is_refused() -> None:
    world = World()
    with refused("excluded"):
        world.claim(world.add(excluded_agents=["agent"]))
    with refused("not_runnable"):
        world.claim(world.add(bound_agent="peer"))


def test_reassigning_hands_the_todo_over_and_ends_the_turn() -> None:
    world = World()
    ref = world.add()
    begun = world.begin()
    with refused("not_owner"):
        world.do(PEER, claim.reassign_todo, ref, "peer", reason="I am faster.")
    world.do(OWNER, claim.reassign_todo, ref, "peer", reason="Please.")
    moved = world.todo(ref)
    assert (moved.owner, moved.claim_form, moved.epoch) == ("peer", "soft", begun.epoch + 1)
    assert world.turn(begun.id).status == "revoked"
    with refused("lease_lost"):
        world.finish(begun, "completed")
    [notice] = world.decide().notices
    assert notice["kind"] == "turn_revoked"
    complete(world, ref, moved.epoch, who=PEER, key="any process")


def test_delegated_authority_needs_a_reason() -> None:
    world = World()
    ref = world.add()
    world.claim(ref)
    world.do(OWNER, goal.change_member, "peer", {"delegated": ("release",)})
    with refused("not_owner"):
        world.do(PEER, claim.release_todo, ref, execution("peer"), None)
    world.do(PEER, claim.release_todo, ref, execution("peer"), None, reason="It hangs.")
    assert not world.todo(ref).owner


def test_pausing_an_agent_frees_its_soft_claims_and_removing_it_everything() -> None:
    world = World()
    soft, hard = world.add("A"), world.add("B")
    world.claim(soft)
    begun = world.begin(todo=hard)
    world.do(OWNER, goal.change_member, "agent", {"work_mode": "paused"})
    assert not world.todo(soft).owner
    assert world.todo(hard).owner == "agent"
    world.do(OWNER, goal.remove_member, "agent")
    assert not world.todo(hard).owner
    assert world.turn(begun.id).status == "revoked"
    assert [entry.status for entry in world.state.entries.values()] == ["released"]


def test_a_persons_hand_ends_the_turn_in_the_same_stroke() -> None:
    world = World()
    by = {"reason": "Enough."}
    for rule, more in (
        (todo.drop_todo, by),
        (todo.block_todo, by | {"blocked_on": {"person": "me"}}),
    ):
        ref = world.add()
        begun = world.begin(todo=ref)
        world.do(OWNER, rule, ref, **more)  # type: ignore[arg-type]
        assert world.turn(begun.id).status == "revoked"
        with refused("lease_lost"):
            world.finish(begun, "no_change")
