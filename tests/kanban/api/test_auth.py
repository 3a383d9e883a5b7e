"""Who may call: tokens, the owner's key, sessions; and what each may not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kanban.api import auth
from kanban.kernel.errors import Busy
from kanban.models import Event, Goal, Seen
from kanban.queries.clock import now
from kanban.transitions import members
from tests.kanban.api.conftest import BASE, PERSON, Api, World, described, operator

OPEN = {"/health", "/ready", "/version"}


def routes() -> Iterator[tuple[str, str]]:
    for path, methods in described()["paths"].items():
        for method in methods:
            yield method, path


def filled(path: str) -> str:
    names = {"ref": "T1", "agent": "agent", "token": "1", "turn": "0" * 32, "board": "x"}
    for name, value in {**names, "goal": "apollo", "request_id": "1"}.items():
        path = path.replace(f"{{{name}}}", value)
    return path


@pytest.mark.parametrize(("method", "path"), sorted(routes()))
def test_nobody_gets_past_the_door(world: World, method: str, path: str) -> None:
    answer = world.nobody.send(method, filled(path), None if method == "get" else {})
    assert answer.status_code == (200 if path in OPEN else 401)


@pytest.mark.parametrize(("method", "path"), sorted(r for r in routes() if "/{goal}" in r[1]))
def test_a_goal_of_others_does_not_exist(world: World, todo: str, method: str, path: str) -> None:
    """For the outsider, any route of `apollo` answers as one of a goal that is not there."""
    answer = world.outsider.send(method, filled(path), body_for(method, path))
    missing = world.outsider.send(
        method, filled(path).replace("apollo", "nowhere"), body_for(method, path)
    )
    people_only = path.endswith(("/answer", "/undo"))
    assert answer.status_code == missing.status_code == (403 if people_only else 404)
    assert answer.body["code"] == missing.body["code"]


def body_for(method: str, path: str) -> Any:
    """The smallest body that the route accepts."""
    if method == "get":
        return None
    return BODIES.get(f"{method} {path.rpartition('/')[2]}", {})


QUESTION = {"question": "Publish it to the team index?", "free_text": True}
BODIES: dict[str, Any] = {
    "post todos": {"title": "x"},
    "post gates": QUESTION,
    "post evidence": {"kind": "note", "verdict": "supports", "summary": "x"},
    "post invalidate": {"reason": "x"},
    "post criteria": {"text": "x"},
    "post close": {"outcome": "achieved", "reason": "x"},
    "put policy": {"reason": "x", "share": 0.5},
    "post reassign": {"agent": "agent"},
    "post block": {"person": "owner", "reason": "x"},
    "post defer": {"resume_when": {"type": "manual"}},
    "post submit": {"evidence": []},
    "post return": {"reason": "x"},
    "post drop": {"reason": "x"},
    "post reopen": {"reason": "x"},
    "post answer": {"outcome": "chosen", "revision": 1},
}


def test_a_token_ends_when_revoked_or_expired(world: World, mint: Callable[..., str]) -> None:
    token = mint("agent", expires_at=now() + timedelta(days=1))
    caller = Api(Client(), token)
    assert caller.get("/me").status_code == 200
    number = next(
        found["id"]
        for found in world.owner.get("/agents/agent").body["tokens"]
        if found["expires_at"]
    )
    assert world.owner.delete(f"/agents/agent/tokens/{number}").status_code == 204
    assert caller.get("/me").status_code == 401
    assert world.agent.get("/me").status_code == 200
    late = Api(Client(), mint("agent", expires_at=now() - timedelta(seconds=1)))
    assert late.get("/me").body["code"] == "unauthenticated"


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer ", "Bearer lxa_unknown", "Bearer lxo_forged", "bearer x y", "Basic eDp5"],
)
def test_a_bad_credential_is_nobody(world: World, header: str) -> None:
    answer = Client().get(f"{BASE}/me", headers={"Authorization": header})
    assert answer.status_code == 401


def test_a_bad_token_is_not_saved_by_a_session(world: World) -> None:
    world.owner.headers["Authorization"] = "Bearer lxa_unknown"
    assert world.owner.get("/me").status_code == 401


def test_a_token_limited_to_goals_sees_no_others(world: World, mint: Callable[..., str]) -> None:
    members.register_member(PERSON, "gemini", "agent", now=now())
    caller = Api(Client(), mint("agent", goals=["gemini"]))
    assert [goal["slug"] for goal in caller.get("/goals").body["items"]] == ["gemini"]
    assert caller.get("/me").body["goals"] == ["gemini"]
    assert caller.get("/goals/apollo").status_code == 404
    assert caller.post("/goals/apollo/todos", {"title": "x"}).status_code == 404
    assert caller.get("/goals/gemini").status_code == 200
    made = caller.post("/goals", {"title": "Other", "objective": "Another goal."})
    assert (made.status_code, made.body["code"]) == (403, "token_scope")


def test_a_token_limited_to_verbs_writes_nothing_else(
    world: World, mint: Callable[..., str], todo: str
) -> None:
    caller = Api(Client(), mint("agent", verbs=["turns", "evidence"]))
    assert caller.get("/goals/apollo/todos").status_code == 200
    refused = caller.post("/goals/apollo/todos", {"title": "x"})
    assert (refused.status_code, refused.body["code"]) == (403, "token_scope")
    begun = caller.post("/goals/apollo/turns", {})
    assert begun.status_code == 201
    assert caller.post(f"/turns/{begun.body['id']}/renew", {}).status_code == 200
    assert caller.post("/me/pause").status_code == 403


def test_who_left_the_goal_sees_it_no_more(world: World) -> None:
    assert world.owner.delete("/goals/apollo/agents/agent").status_code == 204
    assert world.agent.get("/goals/apollo").status_code == 404
    assert world.agent.get("/goals/apollo/should-run").status_code == 404


def test_me_says_who_one_is(world: World) -> None:
    mine = world.agent.get("/me").body
    assert (mine["kind"], mine["name"], mine["goals"]) == ("agent", "agent", ["apollo"])
    assert world.owner.get("/me").body["rights"] == "owner"
    assert world.local.get("/me").body["rights"] == "local"
    assert world.viewer.get("/me").body["rights"] == "viewer"


def test_a_session_writes_only_with_the_csrf_token(world: World) -> None:
    del world.owner.headers["X-CSRFToken"]
    refused = world.owner.post("/goals/apollo/todos", {"title": "x"})
    assert (refused.status_code, refused.body["code"]) == (403, "cross_origin")
    assert world.owner.get("/goals/apollo").status_code == 200


def test_a_page_of_another_origin_writes_nothing(world: World) -> None:
    answer = world.owner.post("/goals/apollo/todos", {"title": "x"}, Origin="https://else.where")
    assert (answer.status_code, answer.body["code"]) == (403, "cross_origin")


def test_a_viewer_reads_and_changes_nothing(world: World, gate: str) -> None:
    assert world.viewer.get("/goals/apollo/board").status_code == 200
    for method, path in routes():
        if method != "get" and "projections" not in path:
            answer = world.viewer.send(method, filled(path), body_for(method, path))
            refused = (answer.status_code, answer.body["code"])
            assert refused in {(403, "human_required"), (422, "invalid")}, path
    assert world.owner.get("/goals/apollo").body["version"] == 5


def test_an_operator_answers_and_administers(world: World, gate: str) -> None:
    person = operator()
    said = {"outcome": "chosen", "option": "yes", "revision": 1}
    assert person.post(f"/goals/apollo/gates/{gate}/answer", said).status_code == 200
    assert person.post("/goals/apollo/pause").status_code == 200


def test_the_owner_key_administers_and_judges_nothing(world: World, gate: str) -> None:
    local = world.local
    assert local.post("/agents", {"name": "fourth", "host_kind": "shell"}).status_code == 201
    assert local.post("/agents/fourth/tokens").status_code == 201
    assert local.post("/goals/apollo/agents", {"agent": "fourth"}).status_code == 201
    made = local.post("/goals", {"title": "New", "objective": "Do it.", "write_scope": ["a/**"]})
    assert made.status_code == 201
    assert local.post("/goals/apollo/todos", {"title": "x"}).status_code == 201
    for path, body in (
        (f"/gates/{gate}/answer", {"outcome": "chosen", "option": "yes", "revision": 1}),
        (f"/gates/{gate}/undo", None),
        ("/close", {"outcome": "achieved", "reason": "x"}),
        ("/criteria", {"text": "x"}),
    ):
        refused = local.post(f"/goals/apollo{path}", body)
        assert (refused.status_code, refused.body["code"]) == (403, "human_required"), path
    wider = local.patch("/goals/apollo", {"write_scope": ["**"]})
    assert (wider.status_code, wider.body["code"]) == (403, "human_required")


def test_an_agents_call_opens_no_session(world: World) -> None:
    with CaptureQueriesContext(connection) as queries:
        answer = world.agent.get("/me")
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
    assert not [query for query in queries if "session" in query["sql"] or "auth_" in query["sql"]]


def test_an_agent_is_noted_as_seen_once_a_minute(
    world: World, todo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = now()
    assert world.owner.get("/agents/agent").body["last_seen_at"] is None
    for second in range(100):
        moment = start + timedelta(seconds=second * 0.59)
        monkeypatch.setattr(auth, "now", lambda moment=moment: moment)
        with CaptureQueriesContext(connection) as queries:
            assert world.agent.get("/goals/apollo/should-run").status_code == 200
        assert bool(written(queries)) == (second == 0), second
    assert seen(world) == start
    monkeypatch.setattr(auth, "now", lambda: start + timedelta(seconds=61))
    world.agent.get("/me")
    assert seen(world) == start + timedelta(seconds=61)


def seen(world: World) -> datetime:
    listed = {agent["name"]: agent for agent in world.owner.get("/agents").body["items"]}
    assert listed["peer"]["last_seen_at"] is None
    return datetime.fromisoformat(listed["agent"]["last_seen_at"])


def written(queries: CaptureQueriesContext) -> list[str]:
    """The statements that wrote, which may be those of telemetry only."""
    found = [
        query["sql"]
        for query in queries
        if query["sql"].startswith(("INSERT", "UPDATE", "DELETE", "REPLACE"))
    ]
    assert all("kanban_seen" in statement for statement in found), found
    return found


def test_should_run_leaves_the_ledger_alone(world: World, todo: str) -> None:
    before = goals_as_stored()
    with CaptureQueriesContext(connection) as queries:
        world.agent.get("/goals/apollo/should-run")
    assert written(queries) and goals_as_stored() == before


def goals_as_stored() -> list[object]:
    return [*Goal.objects.order_by("pk").values(), *Event.objects.order_by("pk").values()]


def test_what_cannot_be_noted_stops_no_call(
    world: World, todo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(work: Callable[[], object]) -> None:
        raise Busy("busy", "Taken.", "Again.")

    monkeypatch.setattr(members, "write", busy)
    assert world.agent.get("/goals/apollo/should-run").status_code == 200


def test_who_is_refused_is_not_seen(world: World) -> None:
    world.nobody.get("/me", Authorization="Bearer lxa_wrong")
    assert not Seen.objects.exists()
