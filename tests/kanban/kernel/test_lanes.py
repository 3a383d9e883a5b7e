"""The five lanes: every todo has one, for board, API and projections alike."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from kanban.kernel import completion, goal, review, todo
from kanban.kernel.execution import execution
from kanban.kernel.lanes import gate_lane, lane_of, wait_group
from tests.kanban.kernel.build import AGENT, NOTE, OWNER, World


def lane(world: World, ref: str) -> str:
    state = world.settled
    found = lane_of(state, state.todos[ref])
    return f"{found}/{wait_group(state, state.todos[ref])}" if found == "waiting" else found


def test_where_a_todo_stands() -> None:
    world = World()
    ready, mine = world.add("Ready"), world.add("Mine")
    world.claim(mine)
    assert (lane(world, ready), lane(world, mine)) == ("ready", "working")
    assert lane(world, world.add("Yours", kind="user_action")) == "needs_you"
    assert lane(world, world.monitor()) == "waiting/watching"
    assert lane(world, world.add("After", depends_on=[ready])) == "waiting/blocked"
    later = {"type": "time", "at": world.now + timedelta(hours=1)}
    assert lane(world, world.add("Later", resume_when=later)) == "waiting/scheduled"
    world.do(OWNER, todo.block_todo, ready, blocked_on={"person": "the owner"}, reason="Ask.")
    assert lane(world, ready) == "needs_you"
    world.do(OWNER, todo.drop_todo, ready, reason="No.")
    assert lane(world, ready) == "done"


def test_what_a_question_holds_up_waits_and_the_question_needs_you() -> None:
    world = World()
    ref = world.add()
    asked = world.ask(blocks={"todos": [ref]})
    assert (lane(world, ref), gate_lane(world.gate(asked))) == ("waiting/gated", "needs_you")
    world.answer(asked, outcome="rejected")
    assert (lane(world, ref), gate_lane(world.gate(asked))) == ("waiting/gated", "done")
    # An owned todo shows that somebody is on it, whatever holds it up.
    other = world.add("Other")
    world.claim(other)
    world.ask(blocks={"todos": [other]})
    assert lane(world, other) == "working"


def test_review_is_work_while_somebody_else_can_do_it() -> None:
    world = World()
    ref = world.add()
    owned = world.claim(ref)
    by = execution("agent")
    world.do(AGENT, review.submit_todo, ref, evidence=[NOTE], by=by, epoch=owned.epoch)
    assert lane(world, ref) == "working"
    world.do(OWNER, goal.change_member, "peer", {"work_mode": "paused"})
    assert lane(world, ref) == "needs_you"
    given: Any = {"evidence": [], "continuation": None, "override_note": "Fine."}
    world.do(OWNER, completion.complete_todo, ref, **given)
    assert lane(world, ref) == "done"
