from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loopx_web import client
from loopx_web.client import LoopX, errors, wire
from tests.loopx_web.client.standin import Seen, refused, serving


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "unauthenticated", client.Unauthenticated),
        (403, "human_required", client.NotAllowed),
        (404, "not_found", client.NotFound),
        (409, "already_claimed", client.Conflict),
        (409, "lease_expired", client.LeaseLost),
        (409, "other_execution", client.LeaseLost),
        (409, "not_now", client.NotNow),
        (412, "stale_version", client.Conflict),
        (413, "too_large", client.Invalid),
        (422, "vague_question", client.Invalid),
        (500, "internal", client.ServerFault),
    ],
)
def test_each_refusal_is_an_exception_with_its_code(
    room: Path, status: int, code: str, kind: type[client.LoopXError]
) -> None:
    with (
        serving(lambda _: refused(status, code, owner="proposer")) as server,
        pytest.raises(kind) as caught,
    ):
        LoopX(server.url, "lxa_x").me()
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.status) == (code, status)
    assert caught.value.problem["owner"] == "proposer"
    assert "A fact. Do this." in str(caught.value)
    assert len(server.seen) == 1


def test_a_lost_reply_is_repeated_under_one_key(room: Path) -> None:
    answers: list[Any] = [None, refused(503, "busy"), (201, {}, {"ref": "T1", "title": "Baseline"})]
    with serving(lambda _: answers.pop(0)) as server:
        todo = LoopX(server.url, "lxa_x", goal="apollo").add_todo("Baseline")
    assert (todo.ref, todo.title) == ("T1", "Baseline")
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
    assert [seen.body for seen in server.seen] == [{"title": "Baseline"}] * 3


def test_each_write_has_a_key_of_its_own(room: Path) -> None:
    with serving(lambda _: (201, {}, {"ref": "T1", "title": "x"})) as server:
        loopx = LoopX(server.url, "lxa_x", goal="apollo")
        loopx.add_todo("one")
        loopx.add_todo("two")
        loopx.todo("T1")
    keys = [seen.headers.get("idempotency-key") for seen in server.seen]
    assert keys[0] and keys[1] and keys[0] != keys[1] and keys[2] is None


@pytest.mark.parametrize(("status", "kind"), [(503, client.Busy), (429, client.RateLimited)])
def test_retries_are_bounded(room: Path, status: int, kind: type[client.LoopXError]) -> None:
    with serving(lambda _: refused(status, "busy")) as server, pytest.raises(kind):
        LoopX(server.url, "lxa_x", attempts=2).me()
    assert len(server.seen) == 2


def test_no_server_at_all(room: Path) -> None:
    with serving(lambda _: None) as gone:
        url = gone.url
    with pytest.raises(client.Unreachable) as caught:
        LoopX(url, "lxa_x", attempts=1).me()
    assert caught.value.code == "unreachable"
    assert errors.exit_code(caught.value) == 3


def test_an_answer_that_is_not_ours_is_still_explained(room: Path) -> None:
    page = (404, {"Content-Type": "text/html"}, "<h1>nginx</h1>")
    with serving(lambda _: page) as server, pytest.raises(client.NotFound, match="LOOPX_SERVER"):
        LoopX(server.url, "lxa_x").me()


def test_the_pause_respects_the_server_and_stays_bounded() -> None:
    for attempt in range(1, 40):
        assert 0 <= wire.pause(attempt, 0) <= wire.LONGEST_PAUSE
        assert 3 <= wire.pause(attempt, 3) <= 3 + wire.LONGEST_PAUSE
    assert wire.pause(1, 1e9) <= 2 * wire.LONGEST_PAUSE


def test_queries_repeat_lists_and_leave_out_what_is_not_set() -> None:
    query = {"a": ["x", "y z"], "b": None, "c": "", "d": True, "e": False, "f": 3}
    assert wire.encode_query(query) == "a=x&a=y+z&d=1&f=3"


def test_names_in_paths_are_quoted(room: Path) -> None:
    with serving(lambda _: (200, {}, {"slug": "a/b"})) as server:
        LoopX(server.url, "lxa_x").goal("a/b?c")
    assert server.seen[0].path == "/api/v1/goals/a%2Fb%3Fc"


def test_an_execution_keeps_its_key_and_its_fences(room: Path) -> None:
    def answer(seen: Seen) -> tuple[int, dict[str, str], object]:
        return 200, {}, {"ref": "T4", "title": "x", "owner": {"agent": "executor", "epoch": 7}}

    with serving(answer) as server:
        one = LoopX(server.url, "lxa_x", goal="apollo", agent="executor")
        two = LoopX(server.url, "lxa_x", goal="apollo", agent="executor")
        one.claim("T4")
        one.release("T4")
        two.release("T4")
    claimed, released, foreign = (seen.body for seen in server.seen)
    assert claimed == {"agent": "executor", "execution_key": one.execution_key}
    assert released == {"epoch": 7, "execution_key": one.execution_key}
    assert foreign == {}
    assert one.execution_key != two.execution_key


def test_continuations_have_the_shapes_of_the_contract() -> None:
    assert client.successors("T5", "Tune k", {"title": "x", "priority": "P1"}) == {
        "type": "successors",
        "todos": [{"ref": "T5"}, {"title": "Tune k"}, {"title": "x", "priority": "P1"}],
    }
    assert client.nothing("It is all there.") == {"type": "none", "rationale": "It is all there."}
    assert client.handoff("Check it", summary="Built.", agent="evaluator") == {
        "type": "handoff",
        "to": {"agent": "evaluator"},
        "summary": "Built.",
        "next_step": "Check it",
    }
    asked = client.gate("Publish it?", options=[{"key": "y", "label": "Yes"}], kind="publish")
    assert asked["gate"]["kind"] == "publish"
    watch = client.monitor("Watch CI", target="ci", cadence_seconds=60, priority="P2")["monitor"]
    assert watch["monitor"] == {"target": "ci", "cadence_seconds": 60}
    assert (watch["kind"], watch["priority"]) == ("monitor", "P2")


def test_the_package_offers_what_it_promises() -> None:
    for name in client.__all__:
        assert getattr(client, name).__name__ == name
    with pytest.raises(AttributeError):
        client.nonsense  # noqa: B018
