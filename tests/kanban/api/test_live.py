"""`/_live/who`: what the hub may tell to whom."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kanban.kernel.actor import person
from kanban.models import Token
from kanban.transitions import goals, members, people

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OWNER = person("owner")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def agent() -> str:
    """A member of two of three goals."""
    members.create_agent(OWNER, "executor", now=NOW)
    for slug, agents in (("apollo", ["executor"]), ("gemini", ["executor"]), ("skylab", [])):
        given = {
            "slug": slug,
            "title": slug,
            "objective": f"Land {slug} safely.",
            "agents": agents,
        }
        goals.create_goal(OWNER, given, now=NOW)
    return "executor"


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_an_agent_hears_of_its_goals(client: Client, agent: str) -> None:
    token = members.mint_token(OWNER, agent, now=NOW)
    answer = client.get("/_live/who", headers=bearer(token))
    assert answer.json() == {"kind": "agent", "name": agent, "goals": ["gemini", "apollo"]}
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_token_for_one_goal_hears_of_that_one(client: Client, agent: str) -> None:
    token = members.mint_token(OWNER, agent, now=NOW, goals=["apollo", "skylab"])
    assert client.get("/_live/who", headers=bearer(token)).json()["goals"] == ["apollo"]


def test_who_left_a_goal_hears_no_more_of_it(client: Client, agent: str) -> None:
    token = members.mint_token(OWNER, agent, now=NOW)
    members.remove_member(OWNER, "apollo", agent, now=NOW)
    assert client.get("/_live/who", headers=bearer(token)).json()["goals"] == ["gemini"]


def test_a_person_hears_of_all(client: Client, agent: str) -> None:
    client.force_login(people.ensure_owner())
    assert client.get("/_live/who").json() == {"kind": "person", "name": "owner", "goals": None}


@pytest.mark.parametrize("token", ["", "lxa_unknown", "lxo_forged"])
def test_nobody_else_hears_anything(client: Client, agent: str, token: str) -> None:
    answer = client.get("/_live/who", headers=bearer(token) if token else {})
    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated"


@pytest.mark.parametrize(
    "end",
    [
        lambda: Token.objects.update(revoked_at=NOW),
        lambda: Token.objects.update(expires_at=NOW - timedelta(seconds=1)),
    ],
)
def test_a_token_that_ended_is_nobodys(
    client: Client, agent: str, end: Callable[[], object]
) -> None:
    token = members.mint_token(OWNER, agent, now=NOW)
    end()
    assert client.get("/_live/who", headers=bearer(token)).status_code == 401


def test_it_only_reads(client: Client, agent: str) -> None:
    token = members.mint_token(OWNER, agent, now=NOW)
    with CaptureQueriesContext(connection) as queries:
        client.get("/_live/who", headers=bearer(token))
    writing = ("INSERT", "UPDATE", "DELETE")
    statements = [query["sql"].lstrip() for query in queries]
    # That the agent was seen is telemetry; nothing else is written.
    written = [s for s in statements if s.startswith(writing) and "kanban_seen" not in s]
    assert written == []
    assert client.post("/_live/who", headers=bearer(token)).status_code == 405
