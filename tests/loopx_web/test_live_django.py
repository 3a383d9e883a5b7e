"""The hub in front of the real application: commits of transitions reach who may see them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import Client

from kanban.kernel.actor import person
from kanban.queries.clock import now
from kanban.transitions import goals, members, people, todos
from loopx_web import front
from tests.loopx_web.serving import Events, Served, serving, until

OWNER = person("owner")

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Site:
    served: Served
    front: front.Front
    token: str
    outsider: str
    cookie: str


@pytest.fixture
def site() -> Iterator[Site]:
    at = now()
    for name in ("executor", "outsider"):
        members.create_agent(OWNER, name, now=at)
    given = {"slug": "apollo", "title": "Apollo", "objective": "Land.", "agents": ["executor"]}
    goals.create_goal(OWNER, given, now=at)
    tokens = [members.mint_token(OWNER, name, now=at) for name in ("executor", "outsider")]
    browser = Client()
    browser.force_login(people.ensure_owner())
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"
    built = front.build()
    with serving(built, lifespan="on") as served:
        yield Site(served, built, f"Bearer {tokens[0]}", f"Bearer {tokens[1]}", cookie)


def add_todo(title: str) -> None:
    todos.add_todos(OWNER, "apollo", [{"title": title}], now=now())


def test_a_person_sees_a_commit(site: Site) -> None:
    with Events(site.served, Cookie=site.cookie) as events:
        hello = events.next()
        assert hello is not None
        before = hello.data["heads"]["apollo"]
        add_todo("Baseline")
        event = events.next()
        assert event is not None and event.data == {"goal": "apollo", "version": before + 1}


def test_an_outsider_hears_nothing_of_it(site: Site) -> None:
    with Events(site.served, Authorization=site.outsider) as events:
        hello = events.next()
        assert hello is not None and hello.data == {"heads": {}}
    path = "/api/v1/goals/apollo/wait?timeout=0"
    assert site.served.get(path, Authorization=site.outsider).status == 404


def test_nobody_gets_a_problem(site: Site) -> None:
    for path in ("/api/v1/events/stream", "/api/v1/goals/apollo/wait?timeout=0"):
        answer = site.served.get(path)
        assert (answer.status, answer.json["code"]) == (401, "unauthenticated")
        assert answer.headers["content-security-policy"]


def test_wait_is_should_run_held_until_work_appears(site: Site) -> None:
    asked = site.served.get("/api/v1/goals/apollo/should-run", Authorization=site.token)
    assert asked.status == 200, asked.body
    path = f"/api/v1/goals/apollo/wait?after={asked.json['digest']}&timeout=60"
    with ThreadPoolExecutor(1) as room:
        waiting = room.submit(site.served.get, path, Authorization=site.token)
        until(lambda: site.front.hub.waiters)
        began = datetime.now(UTC)
        add_todo("Baseline")
        answer = waiting.result(10)
    assert answer.json["outcome"] == "deliver"
    assert answer.json["digest"] != asked.json["digest"]
    assert answer.headers["x-loopx-outcome"] == "deliver"
    assert (datetime.now(UTC) - began).total_seconds() < 5


def test_wait_speaks_text_to_a_terminal(site: Site) -> None:
    path = "/api/v1/goals/apollo/wait?after=other"
    answer = site.served.get(path, Authorization=site.token, Accept="text/plain")
    assert answer.headers["content-type"].startswith("text/plain")
    path = f"/api/v1/goals/apollo/wait?after={answer.headers['x-loopx-digest']}&timeout=0"
    again = site.served.get(path, Authorization=site.token, Accept="text/plain")
    assert again.headers["x-loopx-digest"] == answer.headers["x-loopx-digest"]


def test_wait_refuses_what_should_run_refuses(site: Site) -> None:
    path = "/api/v1/goals/apollo/wait?slots=many"
    assert site.served.get(path, Authorization=site.token).json["code"] == "invalid"
