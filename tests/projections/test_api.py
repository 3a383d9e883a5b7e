"""`/api/v1/projections`: requests that the worker runs, for people and the owner's key only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from kanban.kernel import actor
from kanban.transitions.goals import create_goal
from kanban.transitions.members import create_agent, mint_token
from kanban.transitions.todos import add_todos
from tests.projections.conftest import titles
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db(transaction=True)

API = "/api/v1/projections"
OWNER = actor.person("owner")


@pytest.fixture
def key() -> dict[str, str]:
    """The headers of the owner's local key."""
    path = Path(settings.DATA_DIR) / "owner.key"
    path.write_text("lxo_test-key-of-no-worth")
    return {"Authorization": f"Bearer {path.read_text()}"}


@pytest.fixture
def goal() -> str:
    now = timezone.now()
    given = {"title": "Apollo", "objective": "Find a better classifier", "slug": "apollo"}
    slug = create_goal(OWNER, given, now=now).goal
    add_todos(OWNER, slug, [{"title": "Baseline"}], now=now)
    return slug


class Api:
    def __init__(self, client: Client, headers: dict[str, str]) -> None:
        self._client, self._headers = client, headers

    def get(self, path: str) -> tuple[int, Any]:
        response = self._client.get(f"{API}{path}", headers=self._headers)
        return response.status_code, json.loads(response.content)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        response = self._client.post(
            f"{API}{path}", body, content_type="application/json", headers=self._headers
        )
        return response.status_code, json.loads(response.content)


@pytest.fixture
def api(client: Client, key: dict[str, str]) -> Api:
    return Api(client, key)


def test_from_nothing_to_a_synced_board(api: Api, goal: str, feishu: StandIn) -> None:
    assert api.get("") == (200, {"items": [], "cursor": None})
    status, made = api.post("/team/setup", {"goals": [goal]})
    assert status == 202
    assert api.get(f"/team/requests/{made['id']}")[1]["report"]["executed"] is False
    assert feishu.world.bases == {}
    status, made = api.post("/team/setup", {"execute": True})
    report = api.get(f"/team/requests/{made['id']}")[1]["report"]
    assert report["enabled"] is True
    assert report["url"].startswith("https://")
    assert set(titles(feishu)) == {"apollo/T1"}, "switched on, it syncs by itself"
    status, made = api.post("/team/sync", {"execute": True})
    found = api.get(f"/team/requests/{made['id']}")[1]
    assert (found["status"], found["report"]["unchanged"]) == ("done", 1)
    status, facts = api.get("/team")
    assert (facts["state"], facts["lag"], facts["rows"]) == ("ok", 0, 1)
    assert facts["goals"][0]["cursor"] == facts["goals"][0]["version"]
    assert api.post("/team/doctor", {})[1]["report"]["ok"] is True


def test_sync_without_execute_is_a_preview(api: Api, goal: str, feishu: StandIn) -> None:
    api.post("/team/setup", {"goals": [goal]})
    _status, made = api.post("/team/sync", {})
    assert made["report"]["counts"]["add"] == 1
    assert feishu.journal.calls == []


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/team/setup", {"goals": ["nowhere"]}, 404, "not_found"),
        ("/team/setup", {}, 422, "invalid"),
        ("/Team_1/setup", {"goals": ["apollo"]}, 422, "invalid"),
        ("/team/sync", {"execute": True}, 404, "not_found"),
    ],
)
def test_refusals(
    api: Api, goal: str, feishu: StandIn, path: str, body: Any, status: int, code: str
) -> None:
    found, problem = api.post(path, body)
    assert (found, problem["code"]) == (status, code)


def test_agents_neither_look_nor_run(client: Client, goal: str, feishu: StandIn) -> None:
    now = timezone.now()
    create_agent(OWNER, "executor", now=now)
    token = mint_token(OWNER, "executor", now=now)

    api = Api(client, {"Authorization": f"Bearer {token}"})
    for status, problem in (api.get(""), api.post("/team/setup", {"goals": [goal]})):
        assert (status, problem["code"]) == (403, "human_required")


def test_a_viewer_does_not_run(client: Client, goal: str, feishu: StandIn) -> None:
    client.force_login(User.objects.create_user("visitor"))
    status, _problem = Api(client, {}).post("/team/setup", {"goals": [goal]})
    assert status == 403
