"""Goals, criteria, members, gates, evidence, agents, quota, history, inbox, board."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kanban.api.conftest import World

GOAL = "/goals/apollo"
FOUND = {"kind": "test", "verdict": "supports", "summary": "41 tests pass", "supports": ["A1"]}


def test_the_server_says_how_it_is_without_a_token(world: World) -> None:
    health = world.nobody.get("/health").body
    assert health["database"] == "ok"
    assert health["status"] in ("ok", "degraded")
    assert world.nobody.get("/ready").status_code == 200
    assert world.nobody.get("/version").body["api"] == "v1"


def test_docs_come_from_this_server_alone(world: World) -> None:
    page = world.nobody.get("/docs")
    assert page.status_code == 200
    assert "https://" not in page.body
    assert "<style" not in page.body
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    description = world.nobody.get("/openapi.json").body
    assert "/api/v1/goals/{goal}/should-run" in description["paths"]
    names = [o["operationId"] for path in description["paths"].values() for o in path.values()]
    assert len(names) == len({*names})


def test_a_person_makes_a_goal(world: World) -> None:
    made = world.owner.post(
        "/goals",
        {
            "title": "Better search",
            "objective": "Halve the error.",
            "acceptance": ["Error at most 3 %", "Checked on held-out data"],
            "write_scope": ["search/**"],
            "agents": ["agent"],
        },
    )
    assert made.status_code == 201
    assert made.body["slug"] == "better-search"
    assert [c["ref"] for c in made.body["acceptance"]] == ["A1", "A2"]
    assert "better-search" in world.agent.get("/me").body["goals"]
    again = world.owner.post("/goals", {"title": "x", "objective": "y", "slug": "apollo"})
    assert (again.status_code, again.body["code"]) == (409, "exists")


def test_an_agents_goal_starts_without_a_write_scope(world: World) -> None:
    given = {"title": "On request", "objective": "A person asked for it."}
    made = world.agent.post("/goals", given)
    assert (made.status_code, made.body["write_scope"]) == (201, [])
    assert [member["agent"] for member in made.body["agents"]] == ["agent"]
    wide = world.agent.post("/goals", given | {"write_scope": ["**"]})
    assert (wide.status_code, wide.body["code"]) == (403, "human_required")


def test_objective_and_scope_are_a_persons_to_change(world: World) -> None:
    changed = world.owner.patch(GOAL, {"objective": "Another aim.", "title": "Apollo 2"})
    assert changed.body["revision"] == 2
    refused = world.agent.patch(GOAL, {"objective": "Mine."})
    assert (refused.status_code, refused.body["code"]) == (403, "human_required")


def test_criteria_have_a_revision_and_a_state_of_their_own(world: World) -> None:
    added = world.owner.post(f"{GOAL}/criteria", {"text": "It is fast."})
    assert added.status_code == 201
    path = f"{GOAL}/criteria/A2"
    assert world.owner.patch(path, {"state": "met"}).status_code == 422
    noted = world.owner.patch(path, {"state": "met", "note": "Measured it."})
    assert noted.body["acceptance"][1]["state"] == "met"
    removed = world.owner.patch(path, {"removed": True})
    assert [c["ref"] for c in removed.body["acceptance"]] == ["A1"]
    assert world.agent.post(f"{GOAL}/criteria", {"text": "x"}).status_code == 403
    assert world.owner.patch(f"{GOAL}/criteria/A9", {"text": "x"}).status_code == 404


def test_pause_resume_stop_close(world: World, todo: str) -> None:
    assert world.owner.post(f"{GOAL}/pause", {"reason": "Lunch."}).body["status"] == "paused"
    refused = world.agent.post(f"{GOAL}/todos", {"title": "x"})
    assert (refused.status_code, refused.body["code"]) == (409, "goal_not_active")
    assert world.owner.post(f"{GOAL}/resume").body["status"] == "active"
    for verb in ("pause", "resume", "stop"):
        assert world.agent.post(f"{GOAL}/{verb}").status_code == 403
    assert world.owner.post(f"{GOAL}/resume", {"reason": "Back."}).body["code"] == "unknown_field"
    assert world.owner.post(f"{GOAL}/stop", {"reason": "Enough."}).body["status"] == "stopped"
    stopped = world.agent.get(f"{GOAL}/should-run").body
    assert (stopped["reason"], stopped["stop"]) == ("goal_stopped", True)
    assert "a person resumes it" in stopped["explanation"]
    assert world.owner.post(f"{GOAL}/resume").body["status"] == "active"
    end = {"outcome": "abandoned", "reason": "Solved elsewhere."}
    assert world.owner.post(f"{GOAL}/close", end).body["status"] == "abandoned"
    again = world.owner.post(f"{GOAL}/resume")
    assert (again.status_code, again.body["code"]) == (409, "goal_not_active")


def test_goals_are_listed_to_those_who_see_them(world: World) -> None:
    assert [goal["slug"] for goal in world.agent.get("/goals").body["items"]] == ["apollo"]
    shown = world.owner.get("/goals?limit=1").body
    rest = world.owner.get(f"/goals?limit=1&cursor={shown['cursor']}").body
    assert [shown["items"][0]["slug"], rest["items"][0]["slug"]] == ["gemini", "apollo"]
    assert world.owner.get("/goals?status=paused").body["items"] == []


def test_membership_is_for_people(world: World) -> None:
    path = f"{GOAL}/agents"
    assert world.agent.post(path, {"agent": "outsider"}).body["code"] == "agent_mismatch"
    assert world.outsider.post(path, {}).status_code == 404
    assert world.owner.post(path, {"agent": "nobody"}).status_code == 404
    joined = world.owner.post(path, {"agent": "outsider"})
    assert (joined.status_code, joined.body["agent"]) == (201, "outsider")
    assert world.outsider.get(GOAL).status_code == 200
    assert world.owner.delete(f"{path}/outsider").status_code == 204
    assert world.outsider.get(GOAL).status_code == 404


def test_delegated_authority_is_given_by_people(world: World, todo: str) -> None:
    path, giving = "/goals/apollo/agents", {"agent": "agent", "delegated": ["supersede"]}
    supersede = (f"/goals/apollo/todos/{todo}/supersede", {"reason": "Its evidence did not hold."})
    assert world.agent.post(*supersede).body["code"] == "not_owner"
    assert world.agent.post(path, giving).body["code"] == "human_required"
    assert world.local.post(path, giving).body["delegated"] == ["supersede"]
    assert world.agent.post(*supersede).body["status"] == "superseded"


@pytest.mark.parametrize(
    "question",
    [
        {"question": "Please approve", "free_text": True},
        {"question": "Which of the two splits counts?", "options": []},
        {"question": "Which of the two splits counts?", "options": [{"key": "a", "label": "A"}]},
    ],
)
def test_a_vague_question_is_refused(world: World, question: Any) -> None:
    refused = world.agent.post(f"{GOAL}/gates", question)
    assert (refused.status_code, refused.body["code"]) == (422, "vague_question")


def test_a_gate_is_read_revised_and_withdrawn(world: World, gate: str, todo: str) -> None:
    path = f"{GOAL}/gates/{gate}"
    seen = world.peer.get(path)
    assert seen.body["holds_up"] == [todo]
    assert [g["ref"] for g in world.peer.get(f"{GOAL}/gates?status=open").body["items"]] == [gate]
    assert world.peer.patch(path, {"why": "Mine now."}).body["code"] == "not_owner"
    revised = world.agent.patch(path, {"why": "Everybody gets it."}, If_Match=seen.headers["ETag"])
    assert revised.body["revision"] == 2
    assert world.peer.post(f"{path}/withdraw", {"reason": "x"}).status_code == 403
    gone = world.owner.post(f"{path}/withdraw")
    assert gone.body["status"] == "withdrawn"
    assert world.agent.get(f"{GOAL}/todos/{todo}").body["status"] == "open"
    assert world.agent.get(f"{GOAL}/gates/G9").status_code == 404


def test_evidence_meets_a_criterion_until_it_is_invalidated(world: World) -> None:
    added = world.agent.post(f"{GOAL}/evidence", FOUND | {"data": {"tests": 41, "nan": None}})
    assert added.status_code == 201
    ref = added.body["ref"]
    assert added.body["data"] == {"tests": 41, "nan": None}
    assert world.agent.get(GOAL).body["acceptance"][0]["state"] == "met"
    listed = world.peer.get(f"{GOAL}/evidence?criterion=A1").body["items"]
    assert [item["ref"] for item in listed] == [ref]
    assert world.peer.get(f"{GOAL}/evidence?todo=T1").body["items"] == []
    bad = world.peer.post(f"{GOAL}/evidence/{ref}/invalidate", {"reason": "Wrong split."})
    assert bad.body["invalidated"]["by"] == "agent:peer"
    assert world.agent.get(f"{GOAL}/evidence/{ref}").body["fresh"] is False
    assert world.agent.get(GOAL).body["acceptance"][0]["state"] == "stale"
    assert world.agent.get(f"{GOAL}/evidence/E9").status_code == 404


def test_agents_are_administered_by_people(world: World) -> None:
    assert world.agent.get("/agents").body["code"] == "human_required"
    assert world.agent.get("/agents/agent").status_code == 403
    assert world.agent.post("/agents", {"name": "fifth"}).status_code == 403
    assert world.agent.post("/agents/agent/tokens").status_code == 403
    made = world.owner.post("/agents", {"name": "fifth", "capabilities": ["gpu"]})
    assert (made.status_code, made.body["capabilities"]) == (201, ["gpu"])
    assert world.owner.post("/agents", {"name": "fifth"}).status_code == 409
    assert world.owner.post("/agents", {"name": "Not A Name"}).status_code == 422
    names = [agent["name"] for agent in world.owner.get("/agents").body["items"]]
    assert names == ["agent", "fifth", "outsider", "peer"]
    changed = world.owner.patch("/agents/fifth", {"work_mode": "monitor_only"})
    assert changed.body["work_mode"] == "monitor_only"
    assert world.owner.get("/agents/nobody").status_code == 404


def test_a_token_is_shown_once(world: World) -> None:
    made = world.owner.post("/agents/agent/tokens", {"goals": ["apollo"], "verbs": ["turns"]})
    assert made.body["token"].startswith("lxa_")
    listed = world.owner.get("/agents/agent").body["tokens"][-1]
    assert listed["prefix"] == made.body["token"][:8]
    assert (listed["goals"], listed["verbs"]) == (["apollo"], ["turns"])
    assert made.body["token"] not in world.owner.get("/agents/agent").content.decode()
    unknown = world.owner.post("/agents/agent/tokens", {"verbs": ["everything"]})
    assert unknown.status_code == 422
    assert world.owner.delete("/agents/peer/tokens/999").status_code == 404


def test_an_agent_pauses_itself_and_only_a_person_unpauses_it(world: World, todo: str) -> None:
    assert world.agent.post("/me/pause").body["agent"]["work_mode"] == "paused"
    assert world.agent.get(f"{GOAL}/should-run").body["reason"] == "agent_paused"
    assert world.owner.post("/me/pause").status_code == 422
    world.owner.patch("/agents/agent", {"work_mode": "active"})
    assert world.agent.get(f"{GOAL}/should-run").body["outcome"] == "deliver"


def test_an_agent_reports_its_providers_limit_and_its_end(world: World, todo: str) -> None:
    limited = world.agent.post("/me/limit", {"until": "2099-01-01T00:00:00Z"})
    assert limited.status_code == 200
    decision = world.agent.get(f"{GOAL}/should-run").body
    assert (decision["reason"], decision["wake_at"]) == (
        "agent_limited",
        "2099-01-01T00:00:00.000000Z",
    )
    world.agent.post("/me/limit", {"until": "unknown"})
    assert world.agent.get(f"{GOAL}/should-run").body["wake_at"] is None
    world.agent.delete("/me/limit")
    assert world.agent.get(f"{GOAL}/should-run").body["outcome"] == "deliver"


def test_quota_is_a_persons_and_decides(world: World, todo: str) -> None:
    path = f"{GOAL}/quota/policy"
    assert world.agent.put(path, {"share": 1, "reason": "More."}).status_code == 403
    missing = world.owner.put(path, {"share": 0})
    assert missing.body["fields"] == ["reason"]
    set_to = world.owner.put(
        path,
        {
            "slots": 5,
            "cost_budget_usd": 2.5,
            "agents": {"peer": {"share": 0}},
            "reason": "A quiet night.",
        },
    )
    assert set_to.status_code == 200, set_to.body
    assert world.agent.get(f"{GOAL}/quota").body["allowed"] == 5
    policy = world.agent.get(path).body
    assert (policy["cost_budget_usd"], policy["agents"]["peer"]["share"]) == (2.5, 0)
    assert world.peer.get(f"{GOAL}/should-run").body["reason"] == "quota_paused"
    assert world.owner.put(path, {"slots": None, "reason": "Usual."}).body["allowed"] == 96
    assert world.local.put(path, {"share": 0, "reason": "Stop."}).status_code == 200
    assert world.agent.get(f"{GOAL}/should-run").body["reason"] == "quota_paused"


def test_history_is_paged_and_filtered(world: World, gate: str) -> None:
    every = world.agent.get(f"{GOAL}/events").body["items"]
    assert [event["version"] for event in every] == list(range(1, len(every) + 1))
    first = world.agent.get(f"{GOAL}/events?limit=2").body
    rest = world.agent.get(f"{GOAL}/events?limit=200&cursor={first['cursor']}").body
    assert first["items"] + rest["items"] == every
    kinds = {
        e["kind"] for e in world.agent.get(f"{GOAL}/events?kind=todo&kind=gate.asked").body["items"]
    }
    assert kinds == {"todo.added", "gate.asked"}
    part = world.agent.get(f"{GOAL}/events?since=2&until=3").body["items"]
    assert [event["version"] for event in part] == [2, 3]
    since = every[-1]["at"]
    assert world.agent.get(f"{GOAL}/events?since={since}").body["items"][-1] == every[-1]
    assert world.agent.get(f"{GOAL}/events?since=yesterday").status_code == 422


def test_history_shows_no_mark_of_an_execution_key(world: World, todo: str) -> None:
    world.agent.post(f"{GOAL}/turns", {"execution_key": "secret"})
    event = world.peer.get(f"{GOAL}/events?kind=turn.began").body["items"][0]
    assert event["changes"][f"todo/{todo}"]["owner"] == "agent"
    assert all("execution" not in changed for changed in event["changes"].values())


def test_inbox_and_board_show_what_waits(world: World, gate: str, todo: str) -> None:
    inbox = world.owner.get("/inbox").body
    assert [(item["goal"], item["ref"]) for item in inbox["items"]] == [("apollo", gate)]
    assert inbox["items"][0]["holds_up"] == [todo]
    assert world.agent.get("/inbox").body["items"][0]["ref"] == gate
    assert world.outsider.get("/inbox").body["items"] == []
    board = world.agent.get(f"{GOAL}/board")
    assert [lane["lane"] for lane in board.body["lanes"]] == [
        "needs_you",
        "ready",
        "working",
        "waiting",
        "done",
    ]
    shown = {card["ref"]: lane["lane"] for lane in board.body["lanes"] for card in lane["cards"]}
    assert shown == {gate: "needs_you", todo: "waiting"}
    assert board.headers["Cache-Control"] == "no-store"
    assert "ETag" not in board.headers
