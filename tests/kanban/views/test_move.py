"""Moves are transitions: carried out, or refused with the fact that stands against them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from kanban.kernel.lanes import lane_of
from kanban.kernel.state import State
from kanban.queries import clock
from kanban.queries.states import goal_state
from tests.sample_goal import SampleGoal

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


def move(client: Client, sample: SampleGoal, name: str, to: str, **given: str) -> Any:
    path = f"/goals/{sample.slug}/todos/{sample.refs[name]}/move"
    return client.post(path, {"to": to, **given}, headers=HTMX)


def state_of(sample: SampleGoal) -> State:
    return goal_state(sample.slug, clock.now())


def lane(sample: SampleGoal, name: str) -> str:
    state = state_of(sample)
    return lane_of(state, state.todos[sample.refs[name]])


def test_working_to_ready_takes_the_card_back(owner: Client, sample: SampleGoal) -> None:
    response = move(owner, sample, "sample", "ready")
    assert "Moved to Ready" in response.content.decode()
    assert lane(sample, "sample") == "ready"
    turns = state_of(sample).turns.values()
    assert [turn.status for turn in turns if turn.todo == sample.refs["sample"]] == ["revoked"]


def test_ready_is_refused_while_a_question_is_open(owner: Client, sample: SampleGoal) -> None:
    before = state_of(sample).goal.version
    response = move(owner, sample, "full", "ready")
    text = response.content.decode()
    assert response.status_code == 409
    assert "waits for the answer about the GPUs" in text
    assert "the card becomes ready by itself" in text
    assert state_of(sample).goal.version == before


def test_ready_is_refused_while_another_card_is_open(owner: Client, sample: SampleGoal) -> None:
    response = move(owner, sample, "compare", "ready")
    assert response.status_code == 409
    assert sample.refs["sample"] in response.content.decode()


def test_nothing_is_put_into_needs_you(owner: Client, sample: SampleGoal) -> None:
    assert move(owner, sample, "passages", "needs_you").status_code == 409


def test_waiting_for_a_time(owner: Client, sample: SampleGoal) -> None:
    at = (sample.now + timedelta(hours=4)).isoformat()
    response = move(owner, sample, "passages", "waiting", until=at)
    assert "Moved to Waiting" in response.content.decode()
    assert lane(sample, "passages") == "waiting"
    move(owner, sample, "passages", "ready")
    assert lane(sample, "passages") == "ready"


def test_waiting_for_another_card(owner: Client, sample: SampleGoal) -> None:
    move(owner, sample, "passages", "waiting", until="card", card=sample.refs["collect"])
    todo = state_of(sample).todos[sample.refs["passages"]]
    assert todo.resume_when == {"type": "todo_done", "ref": sample.refs["collect"]}


def test_waiting_for_itself_is_refused(owner: Client, sample: SampleGoal) -> None:
    response = move(owner, sample, "sample", "waiting", until="card", card=sample.refs["compare"])
    assert response.status_code == 409
    assert "would wait for itself" in response.content.decode()


@pytest.mark.parametrize("until", ["", "soon", "2026-01-01T00:00:00"])
def test_waiting_for_nothing_is_refused(until: str, owner: Client, sample: SampleGoal) -> None:
    assert move(owner, sample, "passages", "waiting", until=until).status_code == 422


def test_done_asks_for_a_word(owner: Client, sample: SampleGoal) -> None:
    refused = move(owner, sample, "passages", "done")
    assert refused.status_code == 422
    assert "without proof" in refused.content.decode()
    move(owner, sample, "passages", "done", note="Measured by hand, see the wiki.")
    todo = state_of(sample).todos[sample.refs["passages"]]
    assert (todo.status, todo.override_note) == ("done", "Measured by hand, see the wiki.")


def test_done_to_ready_asks_why(owner: Client, sample: SampleGoal) -> None:
    assert move(owner, sample, "baseline", "ready").status_code == 422
    move(owner, sample, "baseline", "ready", note="The set has changed.")
    assert lane(sample, "baseline") == "ready"


def test_dropping(owner: Client, sample: SampleGoal) -> None:
    response = move(owner, sample, "collect", "dropped", note="Not needed any more.")
    assert "Dropped" in response.content.decode()
    assert state_of(sample).todos[sample.refs["collect"]].status == "dropped"


def test_a_persons_task_is_done_by_a_person(owner: Client, sample: SampleGoal) -> None:
    move(owner, sample, "form", "done", note="Uploaded.")
    assert lane(sample, "form") == "done"


def test_an_unknown_card(owner: Client, sample: SampleGoal) -> None:
    path = f"/goals/{sample.slug}/todos/T999/move"
    assert owner.post(path, {"to": "ready"}, headers=HTMX).status_code == 422


def test_nobody_moves(client: Client, sample: SampleGoal) -> None:
    assert move(client, sample, "sample", "ready").status_code == 401
    assert lane(sample, "sample") == "working"
