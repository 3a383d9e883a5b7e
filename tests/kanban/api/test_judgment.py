"""Judgment is human: no token answers a question, and nothing else it sends passes one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kanban.api.conftest import World

YES = {"outcome": "chosen", "option": "yes", "revision": 1, "undo_seconds": 0}
FOUND = {"kind": "decision", "verdict": "supports", "summary": "The owner said yes."}


@pytest.mark.parametrize("caller", ["agent", "peer", "outsider", "local"])
@pytest.mark.parametrize(("verb", "body"), [("answer", YES), ("undo", None)])
def test_no_token_answers(world: World, gate: str, caller: str, verb: str, body: Any) -> None:
    api = world.everybody[caller]
    refused = api.post(f"/goals/apollo/gates/{gate}/{verb}", body)
    assert (refused.status_code, refused.body["code"]) == (403, "human_required")
    assert world.owner.get(f"/goals/apollo/gates/{gate}").body["status"] == "open"


QUESTION = "Publish the winner to the outer index instead?"
HELD, GATE = "/todos/T1", "/gates/G1"
# What an agent may think of to get past the question: method, path under the goal, body.
ATTEMPTS: list[tuple[str, str, Any]] = [
    ("post", f"{HELD}/claim", {}),
    ("post", f"{HELD}/claim", {"lease_seconds": 900}),
    ("post", "/todos/claim-next", {}),
    ("post", "/turns", {"todo": "T1"}),
    ("post", "/turns", {"todo": "T1", "shown": ["G1@1.1"]}),
    ("post", "/turns", {"capabilities": ["approve"], "slots": 5}),
    ("patch", GATE, {"blocks": {"todos": []}}),
    ("patch", GATE, {"blocks": {"agent": "agent"}, "question": QUESTION}),
    ("patch", GATE, {"default_option": "yes", "kind": "direction"}),
    ("post", f"{GATE}/received", {}),
    ("post", f"{GATE}/withdraw", {"reason": "No longer needed."}),
    ("post", f"{HELD}/block", {"until": {"type": "manual"}, "reason": "Later."}),
    ("post", f"{HELD}/defer", {"resume_when": {"type": "gate_answered", "ref": "G1"}}),
    ("post", f"{HELD}/unblock", {}),
    ("post", f"{HELD}/resume", {}),
    ("post", f"{HELD}/complete", {"evidence": [FOUND], "override_note": "Trust me."}),
    ("post", f"{HELD}/submit", {"evidence": [FOUND]}),
    ("post", f"{HELD}/accept", {}),
    ("post", f"{HELD}/supersede", {"successors": [{"title": "The same again"}]}),
    ("post", f"{HELD}/drop", {"reason": "Out of the way."}),
    ("post", f"{HELD}/reopen", {"reason": "Again."}),
    ("post", f"{HELD}/reassign", {"agent": "peer", "reason": "Somebody else."}),
    ("post", f"{HELD}/release", {}),
    ("patch", HELD, {"decision_scopes": [], "title": "Harmless"}),
    ("post", "/gates", {"question": QUESTION, "free_text": True, "follows": "G1"}),
    ("post", "/evidence", FOUND | {"supports": ["G1", "T1"]}),
    ("patch", "", {"objective": "Publish without asking."}),
    ("patch", "/criteria/A1", {"state": "met", "note": "Done."}),
    ("post", "/close", {"outcome": "achieved", "reason": "Done."}),
    ("put", "/quota/policy", {"share": 1, "reason": "More."}),
    ("delete", "/agents/agent", None),
]


@pytest.mark.parametrize(("method", "path", "body"), ATTEMPTS)
def test_nothing_an_agent_sends_makes_the_loop_pass(
    world: World, gate: str, method: str, path: str, body: Any
) -> None:
    answer = world.agent.send(method, f"/goals/apollo{path}", body)
    assert answer.status_code < 500, answer.body
    still_held(world)


def test_nor_does_all_of_it_together(world: World, gate: str) -> None:
    for caller in (world.agent, world.peer):
        for method, path, body in ATTEMPTS:
            assert caller.send(method, f"/goals/apollo{path}", body).status_code < 500
    still_held(world)


def still_held(world: World) -> None:
    """No turn on the todo, nor on anything else that the agents had not before."""
    goal = "/goals/apollo"
    for caller in (world.agent, world.peer):
        for asked in ("", "?todo=T1"):
            decision = caller.get(f"{goal}/should-run{asked}").body
            assert decision["outcome"] in ("ask", "wait"), decision
            assert not decision["spend"]["allowed"]
        begun = caller.post(f"{goal}/turns", {"todo": "T1"})
        assert begun.status_code == 409, begun.body
    assert world.owner.get(f"{goal}{HELD}").body["status"] in ("open", "blocked", "deferred")
    assert world.owner.get(goal).body["status"] == "active"


def test_a_persons_answer_opens_the_way(world: World, gate: str, todo: str) -> None:
    answered = world.owner.post(f"/goals/apollo/gates/{gate}/answer", YES)
    assert answered.status_code == 200, answered.body
    decision = world.agent.get("/goals/apollo/should-run").body
    assert decision["outcome"] == "deliver"
    assert decision["answers"][0]["option"] == "yes"
    begun = world.agent.post("/goals/apollo/turns", {"todo": todo})
    assert begun.status_code == 201
    assert begun.body["packet"]["answers"][0]["label"] == "Publish"
    received = world.owner.get(f"/goals/apollo/gates/{gate}").body["received_by"]
    assert received == ["agent"]


def test_an_answer_can_be_taken_back_inside_its_window(world: World, gate: str) -> None:
    path = f"/goals/apollo/gates/{gate}"
    world.owner.post(f"{path}/answer", YES | {"undo_seconds": 60})
    assert world.owner.get(path).body["status"] == "provisional"
    assert world.owner.post(f"{path}/undo").body["status"] == "open"
    again = world.owner.post(f"{path}/undo")
    assert (again.status_code, again.body["code"]) == (409, "undo_over")


def test_a_reworded_question_is_not_answered_blindly(world: World, gate: str) -> None:
    path = f"/goals/apollo/gates/{gate}"
    world.agent.patch(path, {"question": QUESTION})
    late = world.owner.post(f"{path}/answer", YES)
    assert (late.status_code, late.body["code"]) == (409, "gate_changed")
    assert late.body["revision"] == 2
