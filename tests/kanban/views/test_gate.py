"""Answering a question: provisional, taken back, sent at once, refused with a reason."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from kanban.kernel.actor import agent
from kanban.kernel.state import Gate
from kanban.queries import clock
from kanban.queries.states import goal_state
from kanban.transitions import gates
from tests.sample_goal import SampleGoal

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


def gate_of(sample: SampleGoal, name: str = "gpus") -> Gate:
    return goal_state(sample.slug, clock.now()).gates[sample.refs[name]]


def path(sample: SampleGoal, verb: str = "", name: str = "gpus") -> str:
    return f"/goals/{sample.slug}/gates/{sample.refs[name]}{verb}"


def answer(client: Client, sample: SampleGoal, **given: str) -> Any:
    fields = {"outcome": "chosen", "option": "sample", "revision": "1", **given}
    return client.post(path(sample, "/answer"), fields, headers=HTMX)


def test_an_answer_waits_for_its_undo_window(owner: Client, sample: SampleGoal) -> None:
    response = owner.post(
        path(sample, "/answer"),
        {"outcome": "chosen", "option": "rent", "revision": "1"},
        headers=HTMX,
    )
    text = response.content.decode()
    assert response.status_code == 200
    assert "Answered: Rent, at most $60" in text
    assert path(sample, "/undo") in text
    assert (gate_of(sample).status, gate_of(sample).option) == ("provisional", "rent")


def test_it_can_be_taken_back(owner: Client, sample: SampleGoal) -> None:
    answer(owner, sample)
    response = owner.post(path(sample, "/undo"), headers=HTMX)
    assert "Taken back" in response.content.decode()
    assert gate_of(sample).status == "open"


def test_only_by_who_answered(owner: Client, second_person: Client, sample: SampleGoal) -> None:
    answer(owner, sample)
    response = second_person.post(path(sample, "/undo"), headers=HTMX)
    assert response.status_code == 403
    assert gate_of(sample).status == "provisional"


def test_it_can_be_sent_at_once(owner: Client, sample: SampleGoal) -> None:
    answer(owner, sample)
    owner.post(path(sample, "/send"), headers=HTMX)
    assert gate_of(sample).status == "chosen"
    late = owner.post(path(sample, "/undo"), headers=HTMX)
    assert late.status_code == 409
    assert "over" in late.content.decode()


def test_asking_back_needs_words(owner: Client, sample: SampleGoal) -> None:
    refused = answer(owner, sample, outcome="needs_info")
    assert refused.status_code == 422
    answer(owner, sample, outcome="needs_info", text="What does one hour cost?")
    gate = gate_of(sample)
    assert (gate.outcome, gate.option, gate.answer_text) == (
        "needs_info",
        "",
        "What does one hour cost?",
    )


def test_saying_no(owner: Client, sample: SampleGoal) -> None:
    answer(owner, sample, outcome="rejected")
    owner.post(path(sample, "/send"), headers=HTMX)
    state = goal_state(sample.slug, clock.now())
    assert state.gates[sample.refs["gpus"]].status == "rejected"
    assert state.todos[sample.refs["full"]].status == "blocked"


def test_words_of_ones_own(owner: Client, sample: SampleGoal) -> None:
    answer(owner, sample, option="", text="Two GPUs, for one hour.")
    assert gate_of(sample).answer_text == "Two GPUs, for one hour."


def test_sending_a_form_twice_writes_once(owner: Client, sample: SampleGoal) -> None:
    answer(owner, sample, key="same")
    before = goal_state(sample.slug, clock.now()).goal.version
    answer(owner, sample, key="same")
    assert goal_state(sample.slug, clock.now()).goal.version == before


def test_a_second_answer_is_refused_with_the_first(
    owner: Client, second_person: Client, sample: SampleGoal
) -> None:
    answer(owner, sample)
    response = answer(second_person, sample, option="rent")
    assert response.status_code == 409
    text = response.content.decode()
    assert "answered this question already" in text
    assert response["HX-Retarget"] == "#toasts"


def test_a_form_on_an_older_wording_is_refused(owner: Client, sample: SampleGoal) -> None:
    words = {"question": "Rent two GPUs for three hours, about $12, or stay with the sample?"}
    gates.revise_gate(agent("claude-1"), sample.slug, sample.refs["gpus"], words, now=clock.now())
    response = answer(owner, sample)
    assert response.status_code == 409
    assert "reworded" in response.content.decode()


@pytest.mark.parametrize(("seconds", "status"), [(0, 409), (5, 200)])
def test_wording_that_nobody_can_have_read_is_not_answered(
    owner: Client, sample: SampleGoal, seconds: int, status: int
) -> None:
    """The live page brings new wording, and its revision, under the hand of who answers."""
    words = {"question": "Rent two GPUs for three hours, about $12, or stay with the sample?"}
    then = clock.now() - timedelta(seconds=seconds)
    gates.revise_gate(agent("claude-1"), sample.slug, sample.refs["gpus"], words, now=then)
    assert answer(owner, sample, revision="2").status_code == status


def test_new_wording_takes_no_choice_over_from_the_old(owner: Client, sample: SampleGoal) -> None:
    """Morphing keeps what is checked wherever the element is the same."""
    first = owner.get(path(sample)).content.decode()
    words = {"question": "Rent two GPUs for three hours, about $12, or stay with the sample?"}
    gates.revise_gate(agent("claude-1"), sample.slug, sample.refs["gpus"], words, now=clock.now())
    second = owner.get(path(sample)).content.decode()
    choices = [set(re.findall(r'type="radio" id="([^"]+)"', page)) for page in (first, second)]
    assert choices[0] and choices[1] and not choices[0] & choices[1]


def test_without_script_it_leads_back_to_a_page(owner: Client, sample: SampleGoal) -> None:
    fields = {"outcome": "chosen", "option": "sample", "revision": "1"}
    response = owner.post(path(sample, "/answer"), fields, follow=True)
    text = response.content.decode()
    assert response.redirect_chain == [(path(sample), 302)]
    assert "Take it back" in text
    assert "Answered: Stay with the 20 % sample" in text


def test_a_refusal_without_script_keeps_the_words(owner: Client, sample: SampleGoal) -> None:
    answer(owner, sample)
    fields = {"outcome": "chosen", "text": "My careful words", "revision": "1"}
    response = owner.post(path(sample, "/answer"), fields)
    assert response.status_code == 409
    assert "My careful words" in response.content.decode()


@pytest.mark.parametrize("verb", ["/answer", "/undo", "/send"])
def test_nobody_answers(verb: str, client: Client, sample: SampleGoal) -> None:
    assert client.post(path(sample, verb), {"outcome": "chosen"}).status_code == 302
    assert client.post(path(sample, verb), headers=HTMX).status_code == 401
    assert gate_of(sample).status == "open"


def test_who_only_looks_on_does_not_answer(viewer: Client, sample: SampleGoal) -> None:
    assert viewer.get(path(sample)).status_code == 200
    assert answer(viewer, sample).status_code == 403
    assert gate_of(sample).status == "open"
