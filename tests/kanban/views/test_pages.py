"""Every page answers its owner, sends a stranger to the sign-in page, and knows what is missing."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kanban.transitions import todos
from tests.sample_goal import OWNER, SampleGoal

PAGES = (
    "/",
    "/goals/",
    "/goals/new",
    "/goals/{slug}/",
    "/goals/{slug}/lanes",
    "/goals/{slug}/todos/new",
    "/goals/{slug}/todos/{sample}",
    "/goals/{slug}/todos/{sample}?view=page",
    "/goals/{slug}/todos/{passages}?move=waiting",
    "/goals/{slug}/todos/{passages}?move=done",
    "/goals/{slug}/gates/{gpus}",
    "/goals/{slug}/timeline",
    "/goals/{slug}/timeline?by=agent",
    "/goals/{slug}/quota",
    "/goals/{slug}/why",
    "/goals/{slug}/why?agent=codex-2",
)


def address(page: str, sample: SampleGoal) -> str:
    return page.format(slug=sample.slug, **sample.refs)


@pytest.mark.parametrize("page", PAGES)
def test_the_owner_sees_it(page: str, owner: Client, sample: SampleGoal) -> None:
    response = owner.get(address(page, sample))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("page", PAGES)
def test_nobody_is_sent_to_sign_in(page: str, client: Client, sample: SampleGoal) -> None:
    response = client.get(address(page, sample))
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/?next=")


@pytest.mark.parametrize("page", PAGES)
def test_it_speaks_chinese(page: str, owner: Client, sample: SampleGoal) -> None:
    owner.cookies["loopx_language"] = "zh-hans"
    text = owner.get(address(page, sample)).content.decode()
    if not page.endswith("/lanes"):
        assert '<html lang="zh-Hans"' in text
    assert re.search("等你处理", text)
    assert "Needs you" not in text


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/goals/nowhere/", "/goals/{slug}/todos/T999", "/goals/{slug}/gates/G999"],
)
def test_what_is_not_there_is_404(path: str, owner: Client, sample: SampleGoal) -> None:
    assert owner.get(address(path, sample)).status_code == 404


@pytest.mark.parametrize("path", ["answer", "undo", "send"])
def test_writes_are_posts(path: str, owner: Client, sample: SampleGoal) -> None:
    gate = f"/goals/{sample.slug}/gates/{sample.refs['gpus']}"
    assert owner.get(f"{gate}/{path}").status_code == 405


def test_an_empty_database_shows_the_first_page(owner: Client) -> None:
    text = owner.get("/").content.decode()
    assert "Create my first goal" in text
    assert "loopx demo" in text


def test_the_board_has_five_lanes_in_order(owner: Client, sample: SampleGoal) -> None:
    text = owner.get(f"/goals/{sample.slug}/").content.decode()
    names = re.findall(r'id="lane-(\w+)" aria-labelledby', text)
    assert names == ["needs_you", "ready", "working", "waiting", "done"]


def test_no_word_of_the_kernel_is_on_the_board(owner: Client, sample: SampleGoal) -> None:
    text = owner.get(f"/goals/{sample.slug}/").content.decode()
    visible = re.sub(r"<[^>]*>", " ", text).lower()
    words = ("lease", "epoch", "fence", "should-run", "projection", "provisional", "frontier")
    assert [word for word in words if re.search(rf"\b{word}\b", visible)] == []


def test_cards_have_at_most_three_chips(owner: Client, sample: SampleGoal) -> None:
    text = owner.get(f"/goals/{sample.slug}/").content.decode()
    chips = re.findall(r'<ul class="chips">(.*?)</ul>', text, re.S)
    assert chips
    assert max(found.count("<li") for found in chips) <= 3


def test_filters_stand_in_the_address(owner: Client, sample: SampleGoal) -> None:
    found = owner.get(f"/goals/{sample.slug}/?q=切分").content.decode()
    assert f'id="card-{sample.refs["split"]}"' in found
    assert f'id="card-{sample.refs["sample"]}"' not in found
    none = owner.get(f"/goals/{sample.slug}/?q=zzz").content.decode()
    assert "No card matches." in none


def test_user_words_are_escaped(owner: Client, sample: SampleGoal) -> None:
    evil = {"title": "<script>alert(1)</script>", "body": "<img src=x onerror=alert(1)>"}
    receipt = todos.add_todos(OWNER, sample.slug, [evil], now=sample.now)
    ref = receipt.body["todos"][0]["ref"]
    for page in ("", f"todos/{ref}", "timeline"):
        text = owner.get(f"/goals/{sample.slug}/{page}").content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_the_number_of_queries_does_not_grow_with_cards(owner: Client, sample: SampleGoal) -> None:
    path = f"/goals/{sample.slug}/"
    owner.get(path)
    with CaptureQueriesContext(connection) as few:
        owner.get(path)
    more = [{"title": f"More work {number}"} for number in range(50)]
    todos.add_todos(OWNER, sample.slug, more, now=sample.now)
    owner.get(path)
    with CaptureQueriesContext(connection) as many:
        owner.get(path)
    assert len(many) == len(few)
