"""Flags of the hot commands, read by hand (argparse alone would double the start-up time)."""

from __future__ import annotations

COMMON = {
    "--server": "server",
    "--goal": "goal",
    "--agent": "agent",
    "--token-file": "token_file",
    "--execution-key": "execution_key",
}
SWITCHES = ("--json", "--explain", "--exit-code", "--as-owner")

_DECIDE = {
    "--capability": "capability+",
    "--slots": "slots#",
    "--todo": "todo",
    "--shown": "shown+",
}
_FENCE = {"--epoch": "epoch#"}

# Per verb: flag -> name; `+` marks a flag that may be repeated, `#` one that takes a number.
FLAGS: dict[str, dict[str, str]] = {
    "should_run": _DECIDE,
    "wait": {**_DECIDE, "--after": "after", "--timeout": "timeout#"},
    "begin": {**_DECIDE, "--lease": "lease_seconds#"},
    "renew": {**_FENCE, "--lease": "lease_seconds#"},
    "finish": {
        **_FENCE,
        "--result": "result",
        "--outcome": "outcome",
        "--summary": "summary",
        "--evidence": "evidence+",
        "--successor": "successor+",
        "--nothing-more": "nothing_more",
        "--continuation": "continuation",
        "--gate": "gate+",
        "--blocked-until": "until",
        "--blocked-by-gate": "by_gate",
        "--blocked-by-person": "by_person",
        "--limited-until": "limited_until",
        "--slots": "slots#",
        "--tokens-in": "tokens_in#",
        "--tokens-out": "tokens_out#",
        "--cost-usd": "cost_usd#",
        "--body": "body",
    },
    "claim": {
        "--lease": "lease_seconds#",
        "--write-scope": "write_scopes+",
        "--capability": "capabilities+",
    },
}


class UsageError(Exception):
    """A command line that cannot be read; exit code 2."""


class Flags:
    """What a command line said: single values, repeated values, switches and bare words."""

    __slots__ = ("many", "on", "one", "words")

    def __init__(self) -> None:
        self.one: dict[str, str] = {}
        self.many: dict[str, list[str]] = {}
        self.on: set[str] = set()
        self.words: list[str] = []


def parse(verb: str, argv: list[str]) -> Flags:
    flags = Flags()
    known = {**COMMON, **FLAGS[verb]}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            flags.words.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in SWITCHES and not equals:
            flags.on.add(name[2:])
        elif name in known:
            if not equals:
                if not rest:
                    raise UsageError(f"{name} needs a value.")
                value = rest.pop(0)
            _store(flags, known[name], name, value)
        else:
            raise UsageError(f"unknown flag {name}.")
    return flags


def _store(flags: Flags, target: str, name: str, value: str) -> None:
    if target.endswith("+"):
        flags.many.setdefault(target[:-1], []).append(value)
        return
    if target.endswith("#"):
        target = target[:-1]
        digits = value.replace(".", "", 1) if target in {"cost_usd", "timeout"} else value
        if not (digits.isascii() and digits.isdigit()):
            raise UsageError(f"{name} takes a number, not {value!r}.")
    flags.one[target] = value
