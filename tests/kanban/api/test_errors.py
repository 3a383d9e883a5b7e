"""Every refusal has one shape, and nothing is understood in two ways."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import RequestFactory

from kanban.api import errors
from kanban.api.strict import read
from kanban.kernel.errors import CODES, Busy, Invalid, LoopxError
from tests.kanban.api.conftest import BASE, World, with_body

SHAPE = {"type", "title", "status", "code", "detail", "hint"}


def check(answer: Any, status: int, code: str) -> None:
    assert answer.status_code == status, answer.body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.body.keys() >= SHAPE
    assert answer.body["status"] == status
    assert answer.body["code"] == code
    assert answer.body["type"] == f"urn:loopx:problem:{code}"
    assert answer.body["detail"]


def subclasses(kind: type[LoopxError]) -> list[type[LoopxError]]:
    return [kind, *(found for child in kind.__subclasses__() for found in subclasses(child))]


@pytest.mark.parametrize(("code", "status"), sorted(CODES.items()))
def test_every_code_has_its_status(code: str, status: int) -> None:
    request = RequestFactory().get("/api/v1/goals")
    plain = [kind for kind in subclasses(LoopxError) if kind.__init__ is LoopxError.__init__]
    kind = next(kind for kind in plain if kind.status == status)
    answer = errors.problem(request, kind(code, "A fact.", "A hint.", owner="agent"))
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_busy_says_when_to_come_back() -> None:
    answer = errors.problem(RequestFactory().get("/"), Busy("busy", "Taken.", "Again."))
    assert answer.headers["Retry-After"] == "1"


def test_a_full_disk_is_named() -> None:
    error = OperationalError("database or disk is full")
    answer = errors._database(RequestFactory().get("/"), error)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert b"disk is full" in answer.content


@pytest.mark.parametrize(
    "path", ["/nothing", "/", "/goals/apollo/nothing", "/goals/", "/goals/a/b/c"]
)
def test_an_unknown_path_is_a_problem(world: World, path: str) -> None:
    check(world.agent.get(path), 404, "not_found")


def test_a_wrong_method_names_the_right_ones(world: World) -> None:
    answer = world.agent.delete("/goals/apollo")
    check(answer, 405, "method_not_allowed")
    assert {word.strip() for word in answer.headers["Allow"].split(",")} == {"GET", "PATCH"}


def test_nobody_is_told_how_to_sign_in(world: World) -> None:
    answer = world.nobody.get("/me")
    check(answer, 401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_body_that_is_not_json_is_not_taken(world: World) -> None:
    client, headers = world.agent.client, world.agent.headers
    where = f"{BASE}/goals/apollo/todos"
    answer = with_body(client.post(where, {"title": "x"}, headers=headers))
    check(answer, 415, "unsupported_media_type")


def test_a_large_body_is_not_read(world: World) -> None:
    size = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    answer = world.agent.post("/goals/apollo/todos", {"title": "x" * size})
    check(answer, 413, "too_large")


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"title": "x", "colour": "red"}, ["colour"]),
        ({"todos": [{"title": "x", "colour": "red"}]}, ["todos.0.colour"]),
        ({"title": "x", "monitor": {"target": "y", "every": 5}}, ["monitor.every"]),
    ],
)
def test_unknown_fields_are_named(world: World, body: Any, fields: list[str]) -> None:
    answer = world.agent.post("/goals/apollo/todos", body)
    code = answer.body["code"]
    assert (answer.status_code, code) == (422, "unknown_field"), answer.body
    assert answer.body["fields"] == fields


def test_unknown_query_parameters_are_named(world: World) -> None:
    answer = world.agent.get("/goals/apollo/should-run?capabilty=gpu")
    check(answer, 422, "unknown_field")
    assert answer.body["fields"] == ["capabilty"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"title": 5},
        {"title": "x", "priority": "high"},
        {"title": "x", "keep_true": "yes"},
        {"title": "x", "due": "tomorrow"},
        {"title": "x", "resume_when": {"type": "time", "at": "2026-01-01T00:00:00"}},
        {"title": "x", "kind": "monitor", "monitor": {"target": "y", "cadence_seconds": "60"}},
        {"todos": []},
        {"todos": [{"title": "x"}] * 201},
        [],
        "title",
        5,
    ],
)
def test_what_does_not_fit_is_refused(world: World, body: Any) -> None:
    check(world.agent.post("/goals/apollo/todos", body), 422, "invalid")


@pytest.mark.parametrize(
    "body",
    [
        b'{"title": "a", "title": "b"}',
        b'{"title": NaN}',
        b'{"title": Infinity}',
        b'{"title": 1e999}',
        b'{"title": 9007199254740993}',
        b'{"title": ' + b"9" * 5000 + b"}",
        b'{"title": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"title": "\\u0000"}',
        b'{"title": "\xff"}',
        b"\xff\xfe{\x00}\x00",
        b"[" * 100 + b"]" * 100,
        b"[" * 200_000,
        b'{"title": "a"',
        b"{'title': 'a'}",
        b'{"title": "a"} x',
        b"\xef\xbb\xbf{}",
    ],
)
def test_json_that_could_be_read_in_two_ways_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid):
        read(body)


@pytest.mark.parametrize("seconds", [2**53, -(2**53), 2**31])
@pytest.mark.parametrize("path", ["turns", "todos/claim-next"])
def test_a_lease_that_no_clock_can_hold_is_refused(world: World, path: str, seconds: int) -> None:
    answer = world.agent.post(f"/goals/apollo/{path}", {"lease_seconds": seconds})
    check(answer, 422, "invalid")


@pytest.mark.parametrize("end", ["since", "until"])
def test_a_moment_before_time_began_is_refused(world: World, end: str) -> None:
    answer = world.agent.get(f"/goals/apollo/events?{end}=0001-01-01T00:00:00%2B14:00")
    check(answer, 422, "invalid")


def test_strict_json_reaches_the_caller_as_a_problem(world: World) -> None:
    answer = world.agent.post("/goals/apollo/todos", b'{"title": "a", "title": "b"}')
    check(answer, 422, "invalid")
    assert answer.body["fields"] == ["title"]


def test_what_nobody_foresaw_gets_a_reference(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the secret of this machine")

    monkeypatch.setattr("kanban.api.me.visible_goals", fail)
    answer = world.agent.get("/me")
    check(answer, 500, "internal")
    assert "secret" not in answer.content.decode()
    assert answer.body["reference"] in caplog.text


def test_a_null_byte_in_the_address_is_harmless(world: World) -> None:
    check(world.agent.get("/goals/apollo%00"), 404, "not_found")
    check(world.agent.get("/goals/apollo/events?kind=a%00"), 422, "invalid")


def test_head_answers_like_get(world: World) -> None:
    answer = world.agent.send("head", "/goals/apollo")
    assert answer.status_code == 200
    assert answer.headers["ETag"]
