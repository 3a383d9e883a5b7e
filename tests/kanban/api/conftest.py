"""A goal with two members, an outsider with a goal of its own, and a client for each caller."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.test import Client

from kanban.kernel.actor import Actor
from kanban.queries.clock import now
from kanban.transitions import members
from kanban.transitions.goals import create_goal
from kanban.transitions.people import ensure_owner

PERSON = Actor("person", "owner", "owner")
BASE = "/api/v1"
OWNER_KEY = "lxo_" + "k" * 40


class Api:
    """One caller: JSON in and out, the answer's body as `.body`."""

    def __init__(self, client: Client, token: str = "", csrf: str = "") -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        if csrf:
            self.headers["X-CSRFToken"] = csrf

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body)
        response = self.client.generic(
            method.upper(),
            BASE + path,
            content,
            content_type="application/json",
            headers=self.headers | named,
        )
        return with_body(response)

    def get(self, path: str, **headers: str) -> Any:
        return self.send("get", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("post", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self.send("patch", path, body, **headers)

    def put(self, path: str, body: Any, **headers: str) -> Any:
        return self.send("put", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.send("delete", path, **headers)


def with_body(response: Any) -> Any:
    kind = response.headers.get("Content-Type", "")
    response.body = response.json() if "json" in kind else response.content.decode()
    return response


def described() -> dict[str, Any]:
    """The OpenAPI description of the whole application, projections included."""
    import loopx_web.urls  # noqa: F401  (adds the routers of other packages)
    from kanban.api.service import api

    schema = dict(api.get_openapi_schema(path_prefix="/"))
    paths = schema["paths"].items()
    # What the hub serves is no business of Django's test client.
    schema["paths"] = {path: ops for path, ops in paths if not path.endswith(("/wait", "/stream"))}
    return schema


@dataclass
class World:
    agent: Api
    peer: Api
    outsider: Api
    owner: Api
    viewer: Api
    local: Api
    nobody: Api

    @property
    def everybody(self) -> dict[str, Api]:
        return dict(self.__dict__)


@pytest.fixture
def mint(db: None) -> Callable[..., str]:
    def token(name: str, **limits: Any) -> str:
        return members.mint_token(PERSON, name, now=now(), **limits)

    return token


@pytest.fixture
def world(db: None, mint: Callable[..., str]) -> World:
    """The goal `apollo` of agent and peer; the outsider has `gemini`."""
    for name in ("agent", "peer", "outsider"):
        members.create_agent(PERSON, name, now=now())
    make_goal("apollo", ["agent", "peer"])
    make_goal("gemini", ["outsider"])
    Path(settings.DATA_DIR, "owner.key").write_text(OWNER_KEY, encoding="ascii")
    return World(
        agent=Api(Client(), mint("agent")),
        peer=Api(Client(), mint("peer")),
        outsider=Api(Client(), mint("outsider")),
        owner=signed_in(ensure_owner()),
        viewer=signed_in(User.objects.create_user("viewer")),
        local=Api(Client(), OWNER_KEY),
        nobody=Api(Client()),
    )


def make_goal(slug: str, agents: list[str]) -> None:
    given = {
        "slug": slug,
        "title": slug.title(),
        "objective": "Find the better of two ways.",
        "acceptance": ["The better way is shown by a test."],
        "write_scope": ["src/**"],
        "agents": agents,
    }
    create_goal(PERSON, given, now=now())


def signed_in(user: User) -> Api:
    """A browser's session, CSRF checks on."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    token = "c" * 32
    client.cookies[settings.CSRF_COOKIE_NAME] = token
    return Api(client, csrf=token)


def operator(name: str = "operator") -> Api:
    user = User.objects.create_user(name)
    user.groups.add(Group.objects.get_or_create(name="operator")[0])
    return signed_in(user)


@pytest.fixture
def todo(world: World) -> str:
    """One open todo of `apollo`."""
    return str(world.owner.post("/goals/apollo/todos", {"title": "Baseline"}).body["ref"])


@pytest.fixture
def gate(world: World, todo: str) -> str:
    """An open question of the agent that holds up the todo."""
    asked = world.agent.post(
        "/goals/apollo/gates",
        {
            "question": "Publish the winner to the team index?",
            "kind": "publish",
            "options": [{"key": "yes", "label": "Publish"}, {"key": "no", "label": "Keep it"}],
            "blocks": {"todos": [todo]},
        },
    )
    assert asked.status_code == 201, asked.body
    return str(asked.body["ref"])
