"""should-run, packet and turns: headers, text, sizes, fences."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.kanban.api.conftest import World

FOUND = {"kind": "test", "verdict": "supports", "summary": "41 tests pass", "supports": ["A1"]}


def begin(world: World, **given: Any) -> Any:
    begun = world.agent.post("/goals/apollo/turns", given)
    assert begun.status_code == 201, begun.body
    return begun.body


def test_text_for_a_terminal_keeps_the_headers(world: World, todo: str) -> None:
    answer = world.agent.get(
        "/goals/apollo/should-run", Accept="text/plain, application/json;q=0.9"
    )
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = answer.body.splitlines()
    assert lines[0] == "deliver · work_ready"
    assert lines[-1] == f"Next: loopx turn begin --todo {todo}"
    assert answer.headers["X-LoopX-Outcome"] == "deliver"


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html", ""])
def test_json_is_the_default(world: World, todo: str, accept: str) -> None:
    answer = world.agent.get("/goals/apollo/should-run", Accept=accept)
    assert answer.headers["Content-Type"] == "application/json"


def test_an_open_question_is_asked_with_its_tag_and_address(world: World, gate: str) -> None:
    answer = world.agent.get("/goals/apollo/should-run", Accept="text/plain")
    assert answer.headers["X-LoopX-Outcome"] == "ask"
    tag = answer.headers["X-LoopX-Tags"]
    assert tag.startswith(f"{gate}@1.")
    assert f"Answer on the board: http://testserver/goals/apollo/gates/{gate}" in answer.body
    shown = world.agent.get(f"/goals/apollo/should-run?shown={tag}&shown=G9@1.1")
    assert shown.body["outcome"] == "wait"
    assert "X-LoopX-Tags" not in shown.headers


def test_capabilities_are_those_sent_or_else_those_stored(world: World) -> None:
    needs = {"title": "Train it", "required_capabilities": ["gpu"]}
    world.owner.post("/goals/apollo/todos", needs)
    where = "/goals/apollo/should-run"
    assert not world.agent.get(where).body["spend"]["allowed"]
    assert world.agent.get(f"{where}?capability=gpu").body["outcome"] == "deliver"
    assert world.agent.get(f"{where}?capability=cpu&capability=gpu").body["outcome"] == "deliver"


def test_explain_adds_every_rule(world: World, todo: str) -> None:
    body = world.agent.get("/goals/apollo/should-run?explain=1").body
    assert [step["number"] for step in body["trace"]] == list(range(1, 12))


def test_answers_stay_small_whatever_the_goal_holds(world: World) -> None:
    long = "Which of these many ways shall we take? " * 40
    for number in range(30):
        options = [{"key": f"k{n}", "label": f"{long[:150]}{n}"} for n in range(10)]
        asked = {"question": f"{number} {long}", "options": options, "blocks": {"goal": True}}
        assert world.agent.post("/goals/apollo/gates", asked).status_code == 201
    world.owner.patch("/goals/apollo", {"objective": long * 20, "non_goals": long * 3})
    answer = world.agent.get("/goals/apollo/should-run")
    assert len(answer.content) <= 2048
    assert "questions" in answer.body["shortened"] or "question" in answer.body["shortened"]
    assert answer.headers["X-LoopX-Tags"].count(",") == 29
    assert len(world.agent.get("/goals/apollo/packet").content) <= 4096


def test_should_run_takes_as_many_queries_for_much_as_for_little(world: World, todo: str) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert world.agent.get("/goals/apollo/should-run").status_code == 200
        return len(queries)

    count()
    few = count()
    world.owner.post("/goals/apollo/todos", {"todos": [{"title": f"Todo {n}"} for n in range(60)]})
    assert count() == few
    assert few <= 14


def test_reading_the_decision_writes_nothing(world: World, todo: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        world.agent.get("/goals/apollo/should-run")
        world.agent.get("/goals/apollo/packet")
    written = [q["sql"] for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    # That the agent was seen is telemetry, once a minute.
    written = [statement for statement in written if "kanban_seen" not in statement]
    assert written == []


def test_begin_again_gives_the_live_turn_back(world: World, todo: str) -> None:
    first = begin(world)
    again = world.agent.post("/goals/apollo/turns", {})
    assert again.status_code == 200
    assert again.body["id"] == first["id"]


def test_not_now_carries_the_decision(world: World, todo: str) -> None:
    begin(world)
    refused = world.peer.post("/goals/apollo/turns", {}, Accept="text/plain")
    assert refused.status_code == 409
    assert refused.body["code"] == "not_now"
    assert refused.body["decision"]["reason"] == "peer_owns_work"
    assert refused.headers["X-LoopX-Outcome"] == "wait"
    assert refused.headers["Content-Type"] == "application/problem+json"


def test_the_packet_says_what_to_do_next(world: World, todo: str) -> None:
    turn = begin(world)
    packet = turn["packet"]
    assert packet["goal"]["acceptance"][0]["ref"] == "A1"
    assert packet["todo"]["ref"] == todo
    assert packet["boundary"]["write_scope"] == ["src/**"]
    assert any(f"loopx turn finish {turn['id']} --epoch" in line for line in packet["next"])
    text = world.agent.get("/goals/apollo/packet", Accept="text/plain").body
    assert f"Todo {todo} P2 Baseline" in text


def test_renewing_needs_the_execution_that_began(world: World, todo: str) -> None:
    turn = begin(world, execution_key="one")
    path = f"/turns/{turn['id']}/renew"
    other = world.agent.post(path, {"execution_key": "two"})
    assert (other.status_code, other.body["code"]) == (409, "other_execution")
    wrong = world.agent.post(path, {"execution_key": "one", "epoch": turn["epoch"] + 1})
    assert (wrong.status_code, wrong.body["code"]) == (409, "lease_lost")
    good = world.agent.post(path, {"execution_key": "one", "epoch": turn["epoch"]})
    assert good.status_code == 200
    assert good.body["lease_until"] >= turn["lease_until"]


def test_an_execution_key_left_out_is_one_and_the_same(world: World, todo: str) -> None:
    turn = begin(world)
    renewed = world.agent.post(f"/turns/{turn['id']}/renew", {"execution_key": "default"})
    assert renewed.status_code == 200


def test_a_turn_is_seen_by_members_only(world: World, todo: str) -> None:
    turn = begin(world)
    path = f"/turns/{turn['id']}"
    assert world.peer.get(path).body["id"] == turn["id"]
    assert world.owner.get(path).status_code == 200
    assert world.outsider.get(path).status_code == 404
    assert (
        world.peer.post(f"{path}/finish", {"result": "failed", "summary": "x"}).status_code == 404
    )
    assert world.agent.get("/turns/no-turn").status_code == 404


def test_finish_takes_recorded_evidence_by_its_number(world: World, todo: str) -> None:
    recorded = world.agent.post("/goals/apollo/evidence", FOUND).body["ref"]
    turn = begin(world)
    finished = world.agent.post(
        f"/turns/{turn['id']}/finish",
        {
            "result": "completed",
            "evidence": [recorded],
            "continuation": {"type": "none", "rationale": "That was all."},
        },
        Accept="text/plain",
    )
    assert finished.status_code == 200, finished.body
    assert finished.body.startswith("Written: completed")
    assert recorded in world.agent.get(f"/goals/apollo/todos/{todo}").body["evidence"]


def test_a_repeated_finish_is_the_same_finish(world: World, todo: str) -> None:
    turn = begin(world)
    body = {"result": "progress", "summary": "Half of it.", "evidence": [FOUND]}
    path, key = f"/turns/{turn['id']}/finish", {"Idempotency_Key": "f" * 32}
    first = world.agent.post(path, body, **key)
    again = world.agent.post(path, body, **key)
    assert again.headers["X-LoopX-Replayed"] == "true"
    assert again.body["receipt"] == first.body["receipt"] | {"replayed": True}
    other = world.agent.post(path, body | {"summary": "All of it."}, **key)
    assert (other.status_code, other.body["code"]) == (409, "idempotency_mismatch")


def test_agent_is_the_tokens_own_and_named_by_people(world: World, todo: str) -> None:
    where = "/goals/apollo/should-run"
    assert world.agent.get(f"{where}?agent=agent").status_code == 200
    other = world.agent.get(f"{where}?agent=peer")
    assert (other.status_code, other.body["code"]) == (403, "agent_mismatch")
    assert world.owner.get(where).body["fields"] == ["agent"]
    assert world.owner.get(f"{where}?agent=peer").body["agent"] == "peer"
    assert world.owner.get(f"{where}?agent=outsider").body["code"] == "not_member"


def test_stop_is_told_as_such(world: World, todo: str) -> None:
    world.owner.post("/goals/apollo/stop", {"reason": "No longer needed."})
    answer = world.agent.get("/goals/apollo/should-run")
    assert answer.body["outcome"] == "quiet"
    assert answer.headers["X-LoopX-Outcome"] == "stop"
