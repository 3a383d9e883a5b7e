"""Requests made from our own OpenAPI description: nothing breaks, every status is described."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kanban.api.conftest import Api, World, described

SPEC: dict[str, Any] = {}
ODD = ["", "T1", "G1", "E1", "A1", "x" * 300, "2026-01-31T09:00:00Z", "0001-01-01T00:00:00Z"]
MOMENTS = ["2026-01-31T09:00:00Z", "2099-01-31T09:00:00+02:00", "9999-12-31T23:59:59-01:00"]
NAMES = {"goal": "apollo", "agent": "peer", "token": "1"}
ROUNDS = 6


def spec() -> dict[str, Any]:
    if not SPEC:
        SPEC.update(described())
    return SPEC


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in spec()["paths"].items():
        if "projections" not in path:
            for method, operation in methods.items():
                yield method, path, operation


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_nothing_breaks_and_every_status_is_described(world: World, gate: str, seed: int) -> None:
    chance = random.Random(seed)
    for caller in (world.agent, world.owner, world.local):
        shuffled = sorted(operations(), key=lambda _: chance.random())
        for method, path, operation in shuffled:
            if operation["operationId"] in ("stop_goal", "close_goal", "pause_me"):
                continue
            check(caller, method, path, operation, chance)


def check(
    caller: Api, method: str, path: str, operation: dict[str, Any], chance: random.Random
) -> None:
    body = made(operation["requestBody"], chance) if "requestBody" in operation else None
    where = filled(path, chance) + queried(operation, chance)
    answer = caller.send(method, where, body)
    described = {*operation["responses"]}
    assert answer.status_code < 500, (method, where, body, answer.body)
    assert answer.status_code in described | {304}, (method, where, answer.body, described)


def filled(path: str, chance: random.Random) -> str:
    for name in ("goal", "agent", "token", "ref", "turn"):
        value = NAMES.get(name) or chance.choice(["T1", "T2", "G1", "E1", "A1", "nothing"])
        path = path.replace(f"{{{name}}}", value)
    return path


def queried(operation: dict[str, Any], chance: random.Random) -> str:
    given = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query" and chance.random() < 0.3:
            value = any_of(parameter["schema"], chance)
            for item in value if isinstance(value, list) else [value]:
                given.append(f"{parameter['name']}={item}")
    return f"?{'&'.join(given)}" if given else ""


def made(request_body: dict[str, Any], chance: random.Random) -> Any:
    return any_of(request_body["content"]["application/json"]["schema"], chance)


def any_of(schema: dict[str, Any], chance: random.Random, depth: int = 0) -> Any:
    if "$ref" in schema:
        schema = spec()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return any_of(chance.choice(schema[key]), chance, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    return SIMPLE.get(schema.get("type", ""), odd)(schema, chance, depth)


def odd(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    return chance.choice([None, True, 0, "x", [], {}])


def a_null(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    return None


def an_object(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    required = {*schema.get("required", ())}
    share = 0.6 if depth < 3 else 0.1
    return {
        name: any_of(inner, chance, depth + 1)
        for name, inner in schema.get("properties", {}).items()
        if name in required or chance.random() < share
    }


def an_array(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    length = chance.randint(schema.get("minItems", 0), max(2, schema.get("minItems", 0)))
    return [any_of(schema.get("items", {}), chance, depth + 1) for _ in range(length)]


def a_string(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    if schema.get("format") == "date-time":
        return chance.choice(MOMENTS)
    if schema.get("format") == "date":
        return chance.choice(["2026-01-31", "2026-02-31"])
    if "pattern" in schema:
        letters = schema["pattern"].partition("[")[0].strip("^") or "TGEA"
        return f"{chance.choice(letters)}{chance.choice([1, 1, 1, 2, 99])}"
    return chance.choice([*ODD, "agent", "peer", "Which of the two ways shall we take?"])


def a_number(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    usual = [schema.get("minimum", 0), 1, 60, 900, schema.get("maximum", 2**31 - 1)]
    return chance.choice([*usual, *usual, -1, 2**40])


def a_boolean(schema: dict[str, Any], chance: random.Random, depth: int) -> Any:
    return chance.random() < 0.5


SIMPLE = {
    "object": an_object,
    "array": an_array,
    "string": a_string,
    "integer": a_number,
    "number": a_number,
    "boolean": a_boolean,
    "null": a_null,
}


def test_no_address_stands_in_two_routers() -> None:
    """Django would ask the first one only, and the methods of the other would be lost."""
    import loopx_web.urls  # noqa: F401
    from kanban.api.service import api

    paths = [
        f"{prefix}{path}" for prefix, router in api._routers for path in router.path_operations
    ]
    assert len(paths) == len({*paths})
