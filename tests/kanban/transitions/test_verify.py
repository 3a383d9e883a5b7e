"""Every way of tampering with the ledger is found, and the first bad event is named."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from kanban.kernel.event import event_hash
from kanban.kernel.replay import differences, replay
from kanban.models import Event, Evidence, Goal, Todo, Turn
from kanban.queries.events import goal_events, verify_goal
from kanban.queries.snapshot import load
from kanban.transitions import todos
from tests.kanban.store.ledger import (
    GOAL,
    NOW,
    OWNER,
    ask,
    assert_sound,
    begin,
    finish,
    make_goal,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def goal() -> None:
    make_goal(2)
    ask(blocks={"todos": ["T2"]})
    finish(begin())
    assert_sound()


def event(version: int) -> Any:
    return Event.objects.filter(version=version)


def edit(version: int, **fields: Any) -> None:
    assert event(version).update(**fields) == 1


def swap(one: int, other: int) -> None:
    event(one).update(version=9_999)
    event(other).update(version=one)
    event(9_999).update(version=other)


def insert(version: int) -> None:
    for row in Event.objects.filter(version__gte=version).order_by("-version"):
        event(row.version).update(version=F("version") + 1)
    row = event(version + 1).get()
    row.pk, row.version = None, version
    row.save()


def with_text(version: int, words: Any, **more: Any) -> None:
    texts = json.loads(event(version).get().texts)
    assert texts
    mark = next(iter(texts))
    texts[mark] |= {"text": words, **more}
    edit(version, texts=json.dumps(texts))


def without_text(version: int) -> None:
    edit(version, texts="{}")


def with_data(version: int) -> None:
    data = json.loads(event(version).get().data)
    data["todo/T1"]["priority"] = 0
    edit(version, data=json.dumps(data))


def forge(version: int) -> None:
    """A change that is hashed as the store would hash it; only the next event gives it away."""
    row = event(version).get()
    edit(version, actor="person:owner2")
    again = event_hash(
        goal=GOAL,
        version=row.version,
        kind=row.kind,
        actor="person:owner2",
        subject=row.subject,
        data=json.loads(row.data),
        at=row.at,
        request_id=row.request_id,
        prev_hash=row.prev_hash,
    )
    edit(version, hash=again)


TAMPERING: dict[str, tuple[Callable[[], Any], int]] = {
    "edited kind": (lambda: edit(4, kind="todo.dropped"), 4),
    "edited actor": (lambda: edit(4, actor="person:owner2"), 4),
    "edited subject": (lambda: edit(4, subject="T9"), 4),
    "edited time": (lambda: edit(4, at=NOW.replace(year=2020)), 4),
    "edited request": (lambda: edit(4, request_id="another"), 4),
    "edited data": (lambda: with_data(4), 4),
    "edited hash": (lambda: edit(4, hash="0" * 64), 4),
    "edited link": (lambda: edit(4, prev_hash="0" * 64), 4),
    "deleted in the middle": (lambda: event(4).delete(), 4),
    "deleted at the start": (lambda: event(1).delete(), 1),
    "swapped": (lambda: swap(4, 5), 4),
    "inserted": (lambda: insert(4), 5),
    "forged with a hash of its own": (lambda: forge(4), 5),
    "edited text": (lambda: with_text(4, "Something else"), 4),
    "text passed off as erased": (lambda: with_text(4, "Something else", erased=True), 4),
    "lost text": (lambda: without_text(4), 4),
}


@pytest.mark.parametrize("how", TAMPERING)
def test_the_first_bad_event_is_named(how: str) -> None:
    tamper, version = TAMPERING[how]
    tamper()
    [finding] = verify_goal(GOAL)
    assert finding.version == version, finding


def test_a_cut_tail_shows_against_the_goals_anchor() -> None:
    last = Goal.objects.get().version
    event(last).delete()
    [finding] = verify_goal(GOAL)
    assert finding.version == last
    assert "ends at" in finding.what


def test_a_tail_that_was_cut_and_written_anew_shows_against_the_head() -> None:
    goal = Goal.objects.get()
    event(goal.version).delete()
    Goal.objects.update(version=goal.version - 1)
    [finding] = verify_goal(GOAL)
    assert finding.version == goal.version - 1


@pytest.mark.parametrize(
    ("model", "fields", "where"),
    [
        (Todo, {"title": "Other words"}, "todos/T1.title"),
        (Todo, {"status": "open", "outcome": ""}, "todos/T1.status"),
        (Todo, {"epoch": 7}, "todos/T1.epoch"),
        (Goal, {"objective": "Reach Mars"}, "goal.objective"),
        (Evidence, {"verdict": "contradicts"}, "evidence/E1.verdict"),
        (Turn, {"slots": 9}, "turns/"),
    ],
)
def test_an_edited_row_is_found_and_named(model: Any, fields: dict[str, Any], where: str) -> None:
    rows = model.objects.filter(ref="T1") if model is Todo else model.objects.all()
    rows.update(**fields)
    findings = verify_goal(GOAL)
    assert findings
    assert any(where in finding.what for finding in findings)


def test_a_deleted_and_an_invented_row_are_found() -> None:
    Evidence.objects.all().delete()
    assert any("evidence/E1" in finding.what for finding in verify_goal(GOAL))
    goal = Goal.objects.get()
    Todo.objects.create(goal=goal, ref="T7", title="Sneaked in")
    assert any("todos/T7" in finding.what for finding in verify_goal(GOAL))


def test_an_erased_text_keeps_chain_and_replay() -> None:
    [version] = [row.version for row in Event.objects.filter(kind="todo.added", subject="T1")]
    with_text(version, "", erased=True)
    Todo.objects.filter(ref="T1").update(title="")
    assert_sound()
    again = replay(GOAL, goal_events(GOAL))
    assert differences(again, load(GOAL, whole=True).state) == []
    assert again.todos["T1"].title == ""


def test_checking_while_others_write_finds_nothing() -> None:
    stop = threading.Event()

    def work() -> None:
        number = 0
        try:
            while not stop.is_set():
                number += 1
                todos.add_todos(OWNER, GOAL, [{"title": f"More {number}"}], now=NOW)
        finally:
            connection.close()

    writer = threading.Thread(target=work)
    writer.start()
    try:
        for _check in range(15):
            assert verify_goal(GOAL) == []
    finally:
        stop.set()
        writer.join()
