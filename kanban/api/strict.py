"""JSON as this API takes it: nothing that two readers could understand differently."""

from __future__ import annotations

import json
import math
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from ninja.parser import Parser

from kanban.kernel.errors import LoopxError, invalid

DEEPEST = 32
LARGEST = 2**53  # beyond it, programs that read numbers as floats see another one


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> Any:
        try:
            body = request.body
        except RequestDataTooBig:
            raise TooLarge from None
        return read(body)


class TooLarge(LoopxError):
    status = 413
    title = "Too large"

    def __init__(self) -> None:
        super().__init__(
            "too_large",
            "The body is larger than 1 MiB; nothing was changed.",
            "Send less at once: split the list, or store the data elsewhere and refer to it.",
        )


def read(body: bytes) -> Any:
    """The value that `body` holds; raises `invalid` with what is wrong with it."""
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except UnicodeDecodeError:
        raise invalid("The body is not UTF-8.") from None
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise invalid(f"The body is not JSON: {error.msg} at {where}.") from None
    _refuse_depth_and_surrogates(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise invalid(f"{twice[0][:80]!r} stands twice in one object.", fields=twice[:10])
    return found


def _constant(name: str) -> Any:
    raise invalid(f"{name} is not JSON.", "Leave the field out where there is no figure.")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise invalid(f"The number {text[:40]} is too large.")
    return value


def _int(text: str) -> int:
    if len(text) > 17 or abs(value := int(text)) > LARGEST:
        raise invalid(f"The number {text[:40]} is too large.")
    return value


def _refuse_depth_and_surrogates(value: Any) -> None:
    level = [value]
    depth = 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise _too_deep()
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += item.keys()
                below += item.values()
            elif isinstance(item, list):
                below += item
            elif isinstance(item, str):
                _refuse_characters(item)
        level = below


def _refuse_characters(text: str) -> None:
    if "\0" in text:
        raise invalid("A text holds the character U+0000.", "Remove it.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid("A text holds half of a surrogate pair.", "Send whole characters.") from None


def _too_deep() -> LoopxError:
    return invalid(f"The body is nested more than {DEEPEST} levels deep.", "Send it flatter.")
