"""Starting a goal by three answers, and adding a card."""

from __future__ import annotations

from django.test import Client

from kanban.queries import clock
from kanban.queries.states import all_states, goal_state
from tests.sample_goal import SampleGoal


def test_a_goal_from_three_answers(owner: Client) -> None:
    given = {
        "objective": "Invoices are exported without differences.",
        "acceptance": "0 of 412 rows differ\nthe export takes under a minute",
        "write_scope": "export/**, docs/**",
    }
    response = owner.post("/goals/new", given)
    state = all_states(clock.now())[0]
    assert response["Location"] == f"/goals/{state.goal.slug}/"
    assert state.goal.title == "Invoices are exported without differences."
    assert [criterion.text for criterion in state.criteria.values()] == [
        "0 of 412 rows differ",
        "the export takes under a minute",
    ]
    assert state.goal.write_scope == ("export/**", "docs/**")


def test_one_answer_is_enough(owner: Client) -> None:
    owner.post("/goals/new", {"objective": "完成文档站的中文化"})
    state = all_states(clock.now())[0]
    assert [c.text for c in state.criteria.values()] == ["完成文档站的中文化"]
    assert state.goal.write_scope == ()


def test_no_answer_is_asked_again(owner: Client) -> None:
    response = owner.post("/goals/new", {"acceptance": "kept text"})
    assert response.status_code == 422
    assert "kept text" in response.content.decode()


def test_a_form_sent_twice_makes_one_goal(owner: Client) -> None:
    given = {"objective": "Once only", "key": "one"}
    first, second = owner.post("/goals/new", given), owner.post("/goals/new", given)
    assert first["Location"] == second["Location"]
    assert len(all_states(clock.now())) == 1


def test_a_card(owner: Client, sample: SampleGoal) -> None:
    given = {"title": "Fresh work", "body": "Look here.", "priority": "0", "kind": "advancement"}
    response = owner.post(f"/goals/{sample.slug}/todos/new", given)
    ref = response["Location"].rpartition("/")[2]
    todo = goal_state(sample.slug, clock.now()).todos[ref]
    assert (todo.title, todo.priority, todo.created_by) == ("Fresh work", 0, "person:owner")


def test_a_card_by_htmx_opens_the_board_again(owner: Client, sample: SampleGoal) -> None:
    given = {"title": "Fresh work", "priority": "2", "kind": "user_action"}
    response = owner.post(f"/goals/{sample.slug}/todos/new", given, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert response["HX-Redirect"].startswith(f"/goals/{sample.slug}/todos/T")


def test_a_card_without_a_title_is_asked_again(owner: Client, sample: SampleGoal) -> None:
    given = {"title": " ", "body": "kept", "priority": "2", "kind": "advancement"}
    response = owner.post(f"/goals/{sample.slug}/todos/new", given)
    assert response.status_code == 422
    assert "kept" in response.content.decode()
