"""Objects from flags: evidence, successors, conditions, options, continuations."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

from loopx_web.client import encode

Json = dict[str, Any]


def evidence(text: str) -> Any:
    """`E3`, `KIND VERDICT: SUMMARY`, or a JSON object."""
    try:
        return _plain(encode.evidence(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def successor(text: str) -> Any:
    """`T5`, a title, or a JSON object."""
    try:
        return _plain(encode.successor(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def condition(text: str) -> Json:
    """When to go on: `T5` (done), `G3` (answered), `A1` (met), `manual`, a time, or JSON."""
    if text.startswith("{"):
        found: Json = _plain(encode.Raw(text))
        return found
    if encode.is_reference(text, "T"):
        return {"type": "todo_done", "ref": text}
    if encode.is_reference(text, "G"):
        return {"type": "gate_answered", "ref": text}
    if encode.is_reference(text, "A"):
        return {"type": "evidence", "ref": text}
    if text == "manual":
        return {"type": text}
    if re.match(r"\d{4}-\d{2}-\d{2}T", text):
        return {"type": "time", "at": text}
    raise argparse.ArgumentTypeError(
        f"{text!r} is none of T5, G3, A1, manual, "
        "a time such as 2030-01-31T09:00:00Z, or a JSON object"
    )


def check(text: str) -> Json:
    """The exit code of an acceptance check."""
    try:
        return {"exit_code": int(text)}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no exit code") from None


def option(text: str) -> Json:
    """`KEY=LABEL` or `KEY=LABEL: CONSEQUENCE`."""
    key, equals, rest = text.partition("=")
    if not equals or not key.strip() or not rest.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=LABEL or KEY=LABEL: CONSEQUENCE")
    label, _, consequence = rest.partition(": ")
    found = {"key": key.strip(), "label": label.strip()}
    return found | ({"consequence": consequence.strip()} if consequence.strip() else {})


def words_list(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def continuation_flags(parser: argparse.ArgumentParser) -> None:
    one = parser.add_mutually_exclusive_group()
    one.add_argument(
        "--successor",
        action="append",
        type=successor,
        metavar="S",
        help="what follows: T5, a title, or a JSON object (repeatable)",
    )
    one.add_argument("--nothing-more", metavar="WHY", help="nothing follows, and why")
    one.add_argument(
        "--continuation", type=_plain, metavar="JSON", help="any continuation, as JSON"
    )


def continuation(args: argparse.Namespace) -> Json:
    if args.successor:
        return {"continuation": {"type": "successors", "todos": args.successor}}
    if args.nothing_more:
        return {"continuation": {"type": "none", "rationale": args.nothing_more}}
    return {"continuation": args.continuation} if args.continuation else {}


def _plain(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error}") from None
