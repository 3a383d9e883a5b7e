"""From flags to the body of `turn finish`; shared by the hot path and nothing else."""

from __future__ import annotations

import sys

from loopx_web.client.encode import Raw, dumps, evidence, successor
from loopx_web.client.flags import Flags, UsageError

PLAIN = ("result", "outcome", "summary", "limited_until")
USAGE = ("slots", "tokens_in", "tokens_out", "cost_usd")


def finish_body(flags: Flags, fence: dict[str, object]) -> str:
    """The request body: the fence, then --body FILE (a JSON object) or what the flags say."""
    if "body" in flags.one:
        return _merged(fence, flags.one["body"])
    body = dict(fence)
    body.update({name: flags.one[name] for name in PLAIN if name in flags.one})
    if "result" not in body:
        raise UsageError(
            "say how it went: --result completed|progress|no_change|failed|blocked|asked."
        )
    if "evidence" in flags.many:
        body["evidence"] = [evidence(text) for text in flags.many["evidence"]]
    if "gate" in flags.many:
        body["gates"] = [Raw(text) for text in flags.many["gate"]]
    usage = {name: Raw(flags.one[name]) for name in USAGE if name in flags.one}
    for name, value in (("continuation", _continuation(flags)), ("block", _block(flags))):
        if value is not None:
            body[name] = value
    if usage:
        body["usage"] = usage
    return dumps(body)


def _continuation(flags: Flags) -> object:
    chosen: list[str] = [n for n in ("continuation", "nothing_more") if n in flags.one]
    chosen += ["successor"] if "successor" in flags.many else []
    if len(chosen) > 1:
        raise UsageError("give one of --successor, --nothing-more and --continuation.")
    if "successor" in flags.many:
        todos = [successor(text) for text in flags.many["successor"]]
        return {"type": "successors", "todos": todos}
    if "nothing_more" in flags.one:
        return {"type": "none", "rationale": flags.one["nothing_more"]}
    return Raw(flags.one["continuation"]) if "continuation" in flags.one else None


def _block(flags: Flags) -> object:
    if "until" in flags.one:
        text = flags.one["until"]
        return {"until": Raw(text) if text.startswith("{") else {"type": "time", "at": text}}
    if "by_gate" in flags.one:
        return {"gate": flags.one["by_gate"]}
    return {"person": flags.one["by_person"]} if "by_person" in flags.one else None


def _merged(fence: dict[str, object], path: str) -> str:
    """A finish body from a file (`-`: standard input), under the fence of the turn."""
    try:
        if path == "-":
            text = sys.stdin.read()
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}.") from None
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")):
        raise UsageError(f"{path} does not hold a JSON object.")
    rest = inner[1:].lstrip()
    return dumps(fence)[:-1] + ("" if rest == "}" else ",") + rest
