"""The governed loop over HTTP: ask, begin, finish, ask again."""

from __future__ import annotations

import json

from tests.kanban.api.conftest import World

FOUND = {"kind": "test", "verdict": "supports", "summary": "41 tests pass", "supports": ["A1"]}


def test_a_settled_turn_is_two_calls(world: World, todo: str) -> None:
    decision = world.agent.get("/goals/apollo/should-run")
    assert decision.body["outcome"] == "deliver", decision.body
    assert decision.headers["X-LoopX-Outcome"] == "deliver"
    assert decision.headers["X-LoopX-Digest"] == decision.body["digest"]
    assert int(decision.headers["X-LoopX-Version"]) == decision.body["version"]
    assert len(decision.content) <= 2048

    begun = world.agent.post("/goals/apollo/turns", {"todo": todo})
    assert begun.status_code == 201, begun.body
    assert begun.body["todo"] == todo
    assert begun.headers["X-LoopX-Turn"] == begun.body["id"]
    assert begun.headers["X-LoopX-Epoch"] == str(begun.body["epoch"])
    assert len(json.dumps(begun.body["packet"], ensure_ascii=False)) <= 4096

    finished = world.agent.post(
        f"/turns/{begun.body['id']}/finish",
        {
            "epoch": begun.body["epoch"],
            "result": "completed",
            "evidence": [FOUND],
            "continuation": {"type": "successors", "todos": [{"title": "Refine it"}]},
        },
    )
    assert finished.status_code == 200, finished.body
    assert finished.body["todo"]["status"] == "done"
    assert finished.body["quota"]["spent"] == 1
    assert finished.body["receipt"]["replayed"] is False
    assert finished.body["decision"]["selected"] == "T2"
