"""The one way to write: whole or not at all, once per key, against the version that was seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from kanban.kernel.actor import person
from kanban.kernel.decision import Ask
from kanban.kernel.errors import LoopxError
from kanban.kernel.execution import execution
from kanban.models import Event, Goal, StoredReceipt, Todo
from kanban.queries.snapshot import load, settled
from kanban.transitions import claims, evidence, gates, goals, members, perform, quota, todos, turns
from tests.kanban.deciding import should_run
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


def counts() -> tuple[int, int]:
    return Event.objects.count(), StoredReceipt.objects.count()


def test_a_whole_loop_leaves_a_sound_ledger() -> None:
    make_goal(2)
    begun = begin()
    assert begun.body["todo"] == "T1"
    asked = ask(blocks={"todos": ["T2"]}).body["ref"]
    ended = finish(begun)
    assert ended.body["decision"]["outcome"] == "ask"
    assert ended.body["quota"]["spent"] == 1
    gates.answer_gate(OWNER, GOAL, asked, outcome="chosen", option="yes", revision=1, now=NOW)
    done = finish(begin(PEER, now=later(seconds=30)), PEER, now=later(minutes=1))
    assert done.body["decision"]["reason"] == "person_needed"
    gates.answer_gate(
        OWNER,
        GOAL,
        "G2",
        outcome="chosen",
        option="close",
        revision=1,
        undo_seconds=0,
        now=later(minutes=2),
    )
    assert Goal.objects.get().status == "achieved"
    assert_sound()


def test_reading_writes_nothing() -> None:
    make_goal()
    begin()
    before = counts(), Todo.objects.values().get()
    should_run(GOAL, Ask(execution("peer")), later(hours=5))
    assert settled(GOAL, later(hours=5)).turns
    assert before == (counts(), Todo.objects.values().get())
    perform.settle_goal(GOAL, now=later(hours=5))
    assert Event.objects.order_by("-version").values_list("kind", flat=True)[0] == "turn.expired"
    events = Event.objects.count()
    perform.settle_goal(GOAL, now=later(hours=5))
    assert Event.objects.count() == events
    assert_sound()


def test_what_fails_half_way_leaves_nothing() -> None:
    make_goal()
    begun = begin()
    before = counts(), load(GOAL, whole=True)
    follow = {"type": "successors", "todos": [{"title": "Good"}, {"title": ""}]}
    with refused("invalid"):
        finish(begun, continuation=follow)
    with refused("invalid"):
        todos.add_todos(OWNER, GOAL, [{"title": "Good"}, {"title": " "}], now=NOW)
    with pytest.raises(RuntimeError):
        perform.perform(OWNER, GOAL, perform.Call("test"), _break, now=NOW)
    assert before == (counts(), load(GOAL, whole=True))
    assert_sound()


def _break(draft: Any) -> dict[str, Any]:
    draft.record_one("goal.updated", ("goal", ""), title="Changed")
    raise RuntimeError("half way")


def test_a_goal_that_cannot_be_created_leaves_no_row() -> None:
    with refused("invalid"):
        goals.create_goal(OWNER, {"title": " "}, now=NOW)
    assert not Goal.objects.exists()


def test_time_never_runs_back_in_the_log() -> None:
    make_goal()
    begin(now=later(minutes=1))
    todos.add_todos(OWNER, GOAL, [{"title": "Late"}], now=later(hours=-9))
    times = list(Event.objects.order_by("version").values_list("at", flat=True))
    assert times == sorted(times)
    assert_sound()


Write = Callable[[str | None], Any]

# Each with a request of its own, so that a repeat would do something were it carried out.
WRITES: dict[str, Write] = {
    "goal": lambda key: goals.create_goal(OWNER, {"title": "Second"}, now=NOW, key=key),
    "criterion": lambda key: goals.add_criterion(OWNER, GOAL, "Small", now=NOW, key=key),
    "pause": lambda key: goals.pause_goal(OWNER, GOAL, now=NOW, key=key),
    "add": lambda key: todos.add_todos(OWNER, GOAL, [{"title": "More"}], now=NOW, key=key),
    "claim": lambda key: claims.claim_todo(
        AGENT, GOAL, "T1", lease_seconds=60, execution_key="k", now=NOW, key=key
    ),
    "claim next": lambda key: claims.claim_next(AGENT, GOAL, lease_seconds=60, now=NOW, key=key),
    "drop": lambda key: todos.drop_todo(OWNER, GOAL, "T1", reason="No.", now=NOW, key=key),
    "complete": lambda key: todos.complete_todo(
        OWNER, GOAL, "T1", evidence=[PROOF], continuation=NOTHING_MORE, now=NOW, key=key
    ),
    "ask": lambda key: gates.ask_gate(
        AGENT, GOAL, {"question": "Publish version 2?", "free_text": True}, now=NOW, key=key
    ),
    "evidence": lambda key: evidence.add_evidence(AGENT, GOAL, PROOF, now=NOW, key=key),
    "policy": lambda key: quota.set_policy(OWNER, GOAL, {"slots": 5}, now=NOW, key=key),
    "begin": lambda key: perform_begin(key),
}


def perform_begin(key: str | None) -> Any:
    return turns.begin_turn(AGENT, GOAL, Ask(execution("agent", "k")), now=NOW, key=key)


@pytest.mark.parametrize("name", WRITES)
def test_a_repeat_under_the_same_key_answers_the_same_and_writes_nothing(name: str) -> None:
    make_goal()
    first = WRITES[name]("once")
    assert not first.replayed
    assert first.events
    before = counts()
    again = WRITES[name]("once")
    assert again.replayed
    assert (again.body, again.version, again.events) == (first.body, first.version, first.events)
    assert counts() == before
    assert_sound()


def test_another_request_under_the_same_key_is_refused() -> None:
    make_goal()
    todos.add_todos(OWNER, GOAL, [{"title": "One"}], now=NOW, key="k")
    with refused("idempotency_mismatch"):
        todos.add_todos(OWNER, GOAL, [{"title": "Two"}], now=NOW, key="k")
    # A key belongs to its caller and its route.
    todos.add_todos(AGENT, GOAL, [{"title": "Two"}], now=NOW, key="k")
    goals.add_criterion(OWNER, GOAL, "Two", now=NOW, key="k")
    assert Todo.objects.count() == 3


def test_refusals_are_not_kept() -> None:
    make_goal()
    claims.claim_todo(PEER, GOAL, "T1", lease_seconds=60, now=NOW)
    with refused("already_claimed"):
        claims.claim_todo(AGENT, GOAL, "T1", now=NOW, key="k")
    claims.release_todo(PEER, GOAL, "T1", epoch=1, now=NOW)
    assert not claims.claim_todo(AGENT, GOAL, "T1", now=NOW, key="k").replayed


def test_a_repeat_in_parallel_writes_once() -> None:
    make_goal()
    answers: list[Any] = []
    start = threading.Barrier(16)

    def send() -> None:
        start.wait()
        try:
            answers.append(WRITES["add"]("once"))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16
    assert [answer.replayed for answer in answers].count(False) == 1
    assert len({str(answer.body) for answer in answers}) == 1
    assert Todo.objects.count() == 2
    assert_sound()


def test_if_match_is_compared_before_settling() -> None:
    make_goal(2)
    seen = Todo.objects.get(ref="T1").version
    todos.add_todos(OWNER, GOAL, [{"title": "Elsewhere"}], now=NOW)
    todos.move_todo(OWNER, GOAL, "T1", priority="P0", now=NOW, expect_version=seen)
    with refused("stale_version") as caught:
        todos.move_todo(OWNER, GOAL, "T1", priority="P1", now=NOW, expect_version=seen)
    assert caught.value.extra["current_version"] == Todo.objects.get(ref="T1").version
    with refused("not_found"):
        todos.move_todo(OWNER, GOAL, "T9", priority="P1", now=NOW, expect_version=seen)
    asked = ask().body
    given = {"question": "Publish version 3 instead?"}
    gates.revise_gate(AGENT, GOAL, "G1", given, now=NOW, expect_version=asked["version"])
    with refused("stale_version"):
        gates.revise_gate(AGENT, GOAL, "G1", given, now=NOW, expect_version=asked["version"])


def test_viewers_change_nothing() -> None:
    make_goal()
    viewer = person("guest", "viewer")
    with refused("human_required"):
        todos.add_todos(viewer, GOAL, [{"title": "Mine"}], now=NOW)
    with refused("human_required"):
        todos.drop_todo(viewer, GOAL, "T1", reason="No.", now=NOW)
    with refused("human_required"):
        goals.create_goal(viewer, {"title": "Mine"}, now=NOW)


def test_a_goal_that_is_not_there_is_said_to_be_so() -> None:
    with refused("not_found"):
        todos.add_todos(OWNER, "nowhere", [{"title": "Lost"}], now=NOW)


def test_slugs_are_free_or_refused() -> None:
    first = goals.create_goal(OWNER, {"title": "The same"}, now=NOW)
    second = goals.create_goal(OWNER, {"title": "The same"}, now=NOW)
    assert (first.goal, second.goal) == ("the-same", "the-same-2")
    with refused("exists"):
        goals.create_goal(OWNER, {"title": "X", "slug": "the-same"}, now=NOW)
    with refused("invalid"):
        goals.create_goal(OWNER, {"title": "X", "slug": "Not A Slug"}, now=NOW)
    assert goals.create_goal(OWNER, {"title": "登月"}, now=NOW).goal


def test_a_provider_limit_holds_on_every_goal_of_the_agent() -> None:
    make_goal()
    other = goals.create_goal(OWNER, {"title": "Other", "agents": ["agent"]}, now=NOW).goal
    closed = goals.create_goal(OWNER, {"title": "Closed", "agents": ["agent"]}, now=NOW).goal
    goals.stop_goal(OWNER, closed, reason="Enough.", now=NOW)
    until = later(hours=1)
    finish(begin(), result="failed", limited_until=until)
    for goal in (GOAL, other):
        decision = should_run(goal, Ask(execution("agent")), NOW)
        assert (decision.reason, decision.wake_at) == ("agent_limited", until)
    members.change_agent(AGENT, "agent", {"limited_until": None}, now=NOW)
    for goal in (GOAL, other, closed):
        assert_sound(goal)
    assert should_run(GOAL, Ask(execution("agent")), NOW).outcome == "deliver"


@pytest.mark.parametrize("what", ["should_run", "begin", "finish"])
def test_the_number_of_queries_does_not_grow_with_the_goal(what: str) -> None:
    make_goal(10)
    few = queries(what, "one")
    todos.add_todos(OWNER, GOAL, [{"title": f"More {n}"} for n in range(190)], now=NOW)
    for _turn in range(3):
        finish(begin(PEER), PEER)
    assert queries(what, "two") == few


def queries(what: str, key: str) -> int:
    begun = begin(key=f"{key} first") if what == "finish" else None
    with CaptureQueriesContext(connection) as captured:
        if begun:
            finish(begun, key=f"{key} first")
        elif what == "begin":
            begin(key=key)
        else:
            should_run(GOAL, Ask(execution("agent", key)), NOW)
    return len(captured)


def test_errors_of_the_kernel_are_the_only_ones_that_come_out() -> None:
    make_goal()
    for given in ({"titel": "x"}, {"title": "x", "due": 3}, {"title": "x", "priority": "high"}):
        with pytest.raises(LoopxError):
            todos.add_todos(OWNER, GOAL, [given], now=NOW)
