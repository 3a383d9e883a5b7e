"""Many at once, over threads and processes: exactly one wins, and nothing is half done."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from kanban.models import Entry, Gate, Goal, Todo, Turn
from kanban.transitions import claims, gates, goals, perform, quota
from tests.kanban.store.ledger import (
    AGENT,
    GOAL,
    NOW,
    OWNER,
    PEER,
    ask,
    assert_sound,
    begin,
    finish,
    later,
    make_goal,
)
from tests.reliability.contenders import outcome, race

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*works: Callable[[], Any]) -> list[str]:
    """Runs them in threads that start together."""
    start = threading.Barrier(len(works))
    outcomes = [""] * len(works)

    def run(number: int, work: Callable[[], Any]) -> None:
        start.wait()
        outcomes[number] = outcome(work)

    threads = [threading.Thread(target=run, args=item) for item in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def claims_of(todo: str, count: int) -> list[Callable[[], Any]]:
    def one(number: int) -> Callable[[], Any]:
        who = (AGENT, PEER)[number % 2]
        key = f"process {number}"
        return lambda: claims.claim_todo(
            who, GOAL, todo, lease_seconds=900, execution_key=key, now=NOW
        )

    return [one(number) for number in range(count)]


def test_of_sixteen_threads_one_claims_the_todo() -> None:
    make_goal()
    assert Counter(at_once(*claims_of("T1", 16))) == {"ok": 1, "already_claimed": 15}
    assert Todo.objects.get().epoch == 1
    assert_sound()


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 4])
def test_of_sixty_four_claimers_one_wins(processes: int) -> None:
    make_goal()
    outcomes = Counter(race("claim", processes=processes, threads=64 // processes))
    assert outcomes == {"ok": 1, "already_claimed": 63}
    assert_sound()


@pytest.mark.slow
def test_executions_over_processes_share_the_work_without_overlap() -> None:
    make_goal(10)
    outcomes = Counter(race("begin", processes=4, threads=6))
    assert outcomes == {"ok": 10, "not_now": 14}
    assert Counter(Turn.objects.values_list("todo", flat=True)).most_common(1)[0][1] == 1
    assert_sound()


@pytest.mark.slow
def test_the_last_slot_is_booked_once_over_processes() -> None:
    make_goal(10)
    quota.set_policy(OWNER, GOAL, {"slots": 3}, now=NOW)
    outcomes = Counter(race("begin", processes=4, threads=4))
    assert outcomes == {"ok": 3, "not_now": 13}
    assert sum(Entry.objects.values_list("slots", flat=True)) == 3
    assert_sound()


@pytest.mark.slow
def test_a_repeat_over_processes_writes_once() -> None:
    make_goal(0)
    assert Counter(race("add once", processes=4, threads=4)) == {"ok": 16}
    assert Todo.objects.count() == 1
    assert_sound()


def test_the_last_slot_is_booked_once() -> None:
    make_goal(4)
    quota.set_policy(OWNER, GOAL, {"slots": 1}, now=NOW)
    works = [lambda n=n: begin((AGENT, PEER)[n % 2], f"k{n}") for n in range(6)]
    assert Counter(at_once(*works)) == {"ok": 1, "not_now": 5}
    assert Entry.objects.count() == 1
    assert_sound()


def test_an_answer_and_an_expiry_do_not_both_happen() -> None:
    make_goal(0)
    deadline = later(hours=1)
    for number in range(1, 9):
        asked = ask(expire_at=deadline + timedelta(days=number), now=NOW).body["ref"]
        ends = deadline + timedelta(days=number)
        answered, _settled = at_once(
            lambda: answer(asked, ends - timedelta(microseconds=1)),  # noqa: B023
            lambda: perform.settle_goal(GOAL, now=ends),  # noqa: B023
        )
        status = Gate.objects.get(ref=asked).status
        assert (answered, status) in (("ok", "provisional"), ("gate_ended", "expired"))
        if status == "provisional":
            perform.settle_goal(GOAL, now=ends + timedelta(minutes=1))
            assert Gate.objects.get(ref=asked).status == "chosen"
    assert_sound()


def answer(ref: str, now: datetime) -> Any:
    return gates.answer_gate(
        OWNER, GOAL, ref, outcome="chosen", option="yes", revision=1, undo_seconds=20, now=now
    )


def test_a_finish_and_a_takeover_do_not_both_happen() -> None:
    make_goal(8)
    for _round in range(8):
        begun = begin(key="k")
        ref = begun.body["todo"]
        finished, taken = at_once(
            lambda: finish(begun, key="k"),  # noqa: B023
            lambda: claims.reassign_todo(OWNER, GOAL, ref, agent="peer", now=NOW),  # noqa: B023
        )
        todo = Todo.objects.get(ref=ref)
        turn = Turn.objects.get(id=begun.body["id"])
        if finished == "ok":
            assert (taken, todo.status, turn.status) == ("todo_closed", "done", "finished")
        else:
            assert (finished, taken) == ("lease_lost", "ok")
            assert (todo.owner, todo.status, turn.status) == ("peer", "open", "revoked")
    assert_sound()


def test_people_answering_at_once_give_one_answer() -> None:
    from kanban.kernel.actor import person

    make_goal(0)
    asked = ask().body["ref"]

    def say(name: str, option: str) -> Callable[[], Any]:
        given: dict[str, Any] = {"outcome": "chosen", "option": option, "revision": 1}
        return lambda: gates.answer_gate(person(name), GOAL, asked, now=NOW, **given)

    outcomes = at_once(*(say(f"person{n}", ("yes", "no")[n % 2]) for n in range(8)))
    assert Counter(outcomes) == {"ok": 1, "already_answered": 7}
    assert_sound()


def test_goals_created_at_once_get_slugs_of_their_own_and_a_repeat_none() -> None:
    works = [lambda: goals.create_goal(OWNER, {"title": "The same"}, now=NOW)] * 6
    assert at_once(*works) == ["ok"] * 6
    keyed = [lambda: goals.create_goal(OWNER, {"title": "Once"}, now=NOW, key="k")] * 6
    assert at_once(*keyed) == ["ok"] * 6
    slugs = sorted(Goal.objects.values_list("slug", flat=True))
    assert slugs == ["once", "the-same", *(f"the-same-{n}" for n in range(2, 7))]
