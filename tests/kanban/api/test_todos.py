"""Todos and their operators: owner, agent, peer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kanban.api.conftest import World

GOAL = "/goals/apollo"
TODOS = f"{GOAL}/todos"
FOUND = {"kind": "test", "verdict": "supports", "summary": "41 tests pass"}
NOTHING_MORE = {"type": "none", "rationale": "That was all."}


def claimed(world: World, ref: str, **given: Any) -> dict[str, Any]:
    answer = world.agent.post(f"{TODOS}/{ref}/claim", given)
    assert answer.status_code == 200, answer.body
    return {"epoch": answer.body["owner"]["epoch"]}


def test_one_is_answered_as_it_is_and_many_as_items(world: World) -> None:
    one = world.agent.post(TODOS, {"title": "One", "priority": "P0", "due": "2026-12-24"})
    assert one.status_code == 201
    assert (one.body["ref"], one.body["priority"], one.body["due"]) == ("T1", "P0", "2026-12-24")
    many = world.agent.post(TODOS, {"todos": [{"title": "Two"}, {"title": "Three"}]})
    assert [todo["ref"] for todo in many.body["items"]] == ["T2", "T3"]


def test_many_are_added_all_or_none(world: World) -> None:
    bad = {"todos": [{"title": "Two"}, {"title": " "}]}
    assert world.agent.post(TODOS, bad).status_code == 422
    assert world.agent.get(TODOS).body["items"] == []


def test_the_list_is_filtered_and_paged(world: World) -> None:
    world.owner.post(TODOS, {"todos": [{"title": f"Todo {n}"} for n in range(1, 6)]})
    claimed(world, "T3")
    held = world.agent.get(f"{TODOS}?owner=agent").body["items"]
    assert [todo["ref"] for todo in held] == ["T3"]
    assert len(world.agent.get(f"{TODOS}?lane=ready").body["items"]) == 4
    first = world.agent.get(f"{TODOS}?limit=2").body
    second = world.agent.get(f"{TODOS}?limit=2&cursor={first['cursor']}").body
    third = world.agent.get(f"{TODOS}?limit=2&cursor={second['cursor']}").body
    pages = [first, second, third]
    refs = [todo["ref"] for shown in pages for todo in shown["items"]]
    assert refs == ["T1", "T2", "T3", "T4", "T5"]
    assert third["cursor"] is None
    assert world.agent.get(f"{TODOS}?limit=201").status_code == 422
    assert world.agent.get(f"{TODOS}?cursor=%21").status_code == 422


def test_only_one_claims(world: World, todo: str) -> None:
    answer = world.agent.post(f"{TODOS}/{todo}/claim", {"lease_seconds": 900})
    assert answer.headers["X-LoopX-Todo"] == todo
    assert answer.headers["X-LoopX-Epoch"] == "1"
    late = world.peer.post(f"{TODOS}/{todo}/claim", {})
    assert (late.status_code, late.body["code"]) == (409, "already_claimed")
    assert late.body["owner"] == "agent"


def test_a_claim_reads_as_text(world: World, todo: str) -> None:
    answer = world.agent.post(f"{TODOS}/{todo}/claim", {}, Accept="text/plain")
    assert answer.body == f"{todo} P2 Baseline · working; agent holds it, epoch 1\n"


def test_claim_next_is_an_empty_success_when_there_is_nothing(world: World, todo: str) -> None:
    first = world.agent.post(f"{TODOS}/claim-next", {})
    assert (first.status_code, first.body["ref"]) == (200, todo)
    nothing = world.peer.post(f"{TODOS}/claim-next", {})
    assert (nothing.status_code, nothing.content) == (204, b"")


def test_an_owner_is_held_to_its_fence(world: World, todo: str) -> None:
    fence = claimed(world, todo)
    path = f"{TODOS}/{todo}/release"
    assert world.agent.post(path, {}).status_code == 422
    late = world.agent.post(path, {"epoch": fence["epoch"] + 1})
    assert (late.status_code, late.body["code"]) == (409, "lease_lost")
    other = world.agent.post(path, fence | {"execution_key": "another"})
    assert (other.status_code, other.body["code"]) == (409, "other_execution")
    peer = world.peer.post(path, fence)
    assert (peer.status_code, peer.body["code"]) == (403, "not_owner")
    assert world.agent.post(path, fence).body["owner"] is None


def test_submit_return_accept(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}"
    fence = claimed(world, todo)
    assert world.agent.post(f"{path}/submit", {"evidence": []} | fence).status_code == 422
    submitted = world.agent.post(f"{path}/submit", {"evidence": [FOUND]} | fence)
    assert submitted.body["status"] == "review"
    assert world.agent.post(f"{path}/accept").body["code"] == "not_owner"
    returned = world.peer.post(f"{path}/return", {"reason": "No baseline yet."})
    assert returned.body["status"] == "open"
    again = {"epoch": returned.body["owner"]["epoch"]}
    world.agent.post(f"{path}/submit", {"evidence": [FOUND]} | again)
    assert world.peer.post(f"{path}/accept").body["status"] == "done"


def test_complete_wants_evidence_and_what_comes_next(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}/complete"
    fence = claimed(world, todo)
    bare = world.agent.post(path, {"continuation": NOTHING_MORE} | fence)
    assert bare.body["code"] == "evidence_required"
    silent = world.agent.post(path, {"evidence": [FOUND]} | fence)
    assert silent.body["code"] == "continuation_required"
    done = world.agent.post(path, {"evidence": [FOUND], "continuation": NOTHING_MORE} | fence)
    assert done.body["status"] == "done"
    closed = world.agent.post(f"{TODOS}/{todo}/claim", {})
    assert (closed.status_code, closed.body["code"]) == (409, "todo_closed")


def test_every_form_of_continuation_is_carried_out(world: World) -> None:
    forms = [
        {"type": "successors", "todos": [{"title": "New"}, {"ref": "T2"}]},
        {
            "type": "handoff",
            "to": {"agent": "peer"},
            "summary": "It halves the error.",
            "next_step": "Repeat it on the held-out split",
            "questions": ["Is the split fair?"],
        },
        {
            "type": "gate",
            "gate": {"question": "Which of the two splits counts?", "free_text": True},
        },
        {
            "type": "monitor",
            "monitor": {"title": "Watch", "monitor": {"target": "CI", "cadence_seconds": 600}},
        },
        NOTHING_MORE,
    ]
    titles = [{"title": f"Todo {number}"} for number in range(len(forms))]
    world.owner.post(TODOS, {"todos": [*titles, {"title": "Spare"}]})
    for number, form in enumerate(forms, start=1):
        fence = claimed(world, f"T{number}")
        body = {"evidence": [FOUND], "continuation": form} | fence
        done = world.agent.post(f"{TODOS}/T{number}/complete", body)
        assert done.status_code == 200, (form, done.body)
    handed = next(
        todo
        for todo in world.agent.get(TODOS).body["items"]
        if todo["title"] == "Repeat it on the held-out split"
    )
    assert handed["bound_agent"] == "peer"


def test_a_person_overrides_with_a_note(world: World, todo: str) -> None:
    done = world.owner.post(f"{TODOS}/{todo}/complete", {"override_note": "Seen it myself."})
    assert done.body["override_note"] == "Seen it myself."
    assert world.agent.post(f"{TODOS}/{todo}/reopen", {"reason": "No."}).status_code == 403
    again = world.owner.post(f"{TODOS}/{todo}/reopen", {"reason": "It came back."})
    assert again.body["status"] == "open"


def test_an_acceptance_check_is_satisfied_by_its_exit_code(world: World) -> None:
    todo = world.owner.post(TODOS, {"title": "Fast", "acceptance_check": "make test"}).body["ref"]
    path = f"{TODOS}/{todo}/complete"
    body = {"evidence": [FOUND], "continuation": NOTHING_MORE} | claimed(world, todo)
    assert world.agent.post(path, body).body["code"] == "check_required"
    failed = world.agent.post(path, body | {"check": {"exit_code": 1, "summary": "2 failed"}})
    assert failed.body["code"] == "check_required"
    done = world.agent.post(path, body | {"check": {"exit_code": 0, "summary": "41 pass"}})
    assert done.body["status"] == "done"


FENCE = {"execution_key": "default", "epoch": 1}


@pytest.mark.parametrize("field", ["execution_key", "epoch", "agent", "reason"])
@pytest.mark.parametrize("operator", ["unblock", "resume", "accept", "return", "reopen"])
def test_what_does_not_count_is_refused(world: World, todo: str, operator: str, field: str) -> None:
    needed = {"return": {"reason": "x"}, "reopen": {"reason": "x"}}
    if field in needed.get(operator, {}):
        return
    body = needed.get(operator, {}) | {field: ({"agent": "agent", "reason": "x"} | FENCE)[field]}
    refused = world.owner.post(f"{TODOS}/{todo}/{operator}", body)
    assert (refused.status_code, refused.body["code"]) == (422, "unknown_field")
    assert refused.body["fields"] == [field]


def test_block_unblock_defer_resume(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}"
    two = {"until": {"type": "manual"}, "person": "owner", "reason": "Both?"}
    assert world.agent.post(f"{path}/block", two).status_code == 422
    until = {"type": "time", "at": "2099-01-01T00:00:00Z"}
    fence = claimed(world, todo)
    blocked = world.agent.post(f"{path}/block", {"until": until, "reason": "Embargo."} | fence)
    assert blocked.body["status"] == "blocked"
    assert world.peer.post(f"{path}/unblock").status_code == 403
    assert world.agent.post(f"{path}/unblock").body["status"] == "open"
    deferred = world.agent.post(f"{path}/defer", {"resume_when": until} | fence)
    assert deferred.body["resume_when"] == {
        "type": "time",
        "at": "2099-01-01T00:00:00.000000Z",
    }
    assert world.agent.post(f"{path}/resume").body["status"] == "open"


def test_supersede_drop_move_reassign(world: World) -> None:
    world.owner.post(TODOS, {"todos": [{"title": f"Todo {n}"} for n in range(3)]})
    replaced = world.owner.post(f"{TODOS}/T1/supersede", {"successors": [{"title": "Better"}]})
    assert replaced.body["superseded_by"] == ["T4"]
    assert world.owner.post(f"{TODOS}/T2/drop", {"reason": "Not needed."}).status_code == 200
    moved = world.owner.post(f"{TODOS}/T4/move", {"before": "T3"})
    assert moved.status_code == 200
    order = world.agent.get(f"{GOAL}/should-run").body
    assert [order["selected"], *order["candidates"]] == ["T4", "T3"]
    assert world.owner.post(f"{TODOS}/T3/move", {"priority": "P0"}).body["priority"] == "P0"
    given = world.owner.post(f"{TODOS}/T3/reassign", {"agent": "peer", "reason": "It knows it."})
    assert given.body["owner"]["agent"] == "peer"


def test_an_owner_moves_its_card_under_its_fence(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}/move"
    fence = claimed(world, todo)
    assert world.agent.post(path, {"priority": "P0"}).body["fields"] == ["epoch"]
    late = world.agent.post(path, {"priority": "P0", "epoch": fence["epoch"] + 1})
    assert late.body["code"] == "lease_lost"
    assert world.agent.post(path, {"priority": "P0"} | fence).body["priority"] == "P0"
    assert world.owner.post(path, {"priority": "P1"}).body["priority"] == "P1"
    refused = world.owner.post(path, {"priority": "P1", "reason": "x"})
    assert refused.body["code"] == "unknown_field"


def test_update_clears_only_what_may_be_empty(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}"
    world.owner.patch(path, {"due": "2026-12-24", "bound_agent": "peer"})
    cleared = world.owner.patch(path, {"due": None, "bound_agent": None}).body
    assert (cleared["due"], cleared["bound_agent"]) == (None, None)
    refused = world.owner.patch(path, {"title": None})
    assert (refused.status_code, refused.body["code"]) == (422, "invalid")


def test_an_agent_adds_limits_and_removes_none(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}"
    assert world.agent.patch(path, {"decision_scopes": ["publish:index"]}).status_code == 200
    refused = world.agent.patch(path, {"decision_scopes": []})
    assert (refused.status_code, refused.body["code"]) == (403, "human_required")
    assert world.owner.patch(path, {"decision_scopes": []}).status_code == 200


def test_if_match_refuses_what_was_seen_too_long_ago(world: World, todo: str) -> None:
    path = f"{TODOS}/{todo}"
    seen = world.agent.get(path)
    version = seen.body["version"]
    etag = seen.headers["ETag"]
    assert world.agent.patch(path, {"title": "New"}, If_Match=etag).status_code == 200
    stale = world.agent.patch(path, {"title": "Newer"}, If_Match=f'"{version}"')
    assert (stale.status_code, stale.body["code"]) == (412, "stale_version")
    assert stale.body["current_version"] > version
    assert world.agent.patch(path, {"title": "Newer"}, If_Match="*").status_code == 200
    assert world.agent.patch(path, {"title": "x"}, If_Match='"abc"').status_code == 422


def test_a_read_is_not_repeated_while_nothing_changed(world: World, todo: str) -> None:
    for path in (GOAL, TODOS, f"{TODOS}/{todo}"):
        seen = world.agent.get(path)
        etag = seen.headers["ETag"]
        again = world.agent.get(path, If_None_Match=f'"other", {etag}')
        assert (again.status_code, again.content) == (304, b"")
    claimed(world, todo)
    assert world.agent.get(TODOS, If_None_Match=etag).status_code == 200


def test_a_repeated_request_is_answered_from_its_receipt(world: World) -> None:
    first = world.agent.post(TODOS, {"title": "Once"}, Idempotency_Key="a" * 32)
    again = world.agent.post(TODOS, {"title": "Once"}, Idempotency_Key="a" * 32)
    assert again.body == first.body
    assert again.headers["X-LoopX-Replayed"] == "true"
    assert len(world.agent.get(TODOS).body["items"]) == 1
    other = world.agent.post(TODOS, {"title": "Twice"}, Idempotency_Key="a" * 32)
    assert (other.status_code, other.body["code"]) == (409, "idempotency_mismatch")
    elsewhere = world.peer.post(TODOS, {"title": "Mine"}, Idempotency_Key="a" * 32)
    assert elsewhere.body["ref"] == "T2"
    assert world.agent.post(TODOS, {"title": "x"}, Idempotency_Key="").status_code == 422


def test_unknown_numbers_are_not_found(world: World) -> None:
    assert world.agent.get(f"{TODOS}/T99").body["code"] == "not_found"
    assert world.agent.post(f"{TODOS}/T99/claim", {}).body["code"] == "not_found"
