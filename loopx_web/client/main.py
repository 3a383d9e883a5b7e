"""The command `loopx`: finds the module of a command and loads nothing else.

should-run, wait, turn begin/renew/finish and todo claim are answered by `hot`, without argparse,
json or http.client: agents call them before and after every slice of work.
"""

from __future__ import annotations

import sys

# Flags that may also stand before the command, as in `loopx --json status`.
LEADING_VALUES = ("--server", "--goal", "--agent", "--token-file")
LEADING_SWITCHES = ("--json", "--as-owner")

HOT = {
    ("should-run",): "should_run",
    ("quota", "should-run"): "should_run",
    ("wait",): "wait",
    ("turn", "begin"): "begin",
    ("turn", "renew"): "renew",
    ("turn", "finish"): "finish",
    ("todo", "claim"): "claim",
}

# Command -> module under loopx_web.client.commands.
COMMANDS = {
    "serve": "server",
    "worker": "server",
    "web": "server",
    "sign-in": "server",
    "verify": "server",
    "demo": "server",
    "doctor": "doctor",
    "connect": "connect",
    "start-goal": "start_goal",
    "status": "status",
    "history": "status",
    "packet": "status",
    "goal": "goals",
    "agent": "agents",
    "todo": "todos",
    "gate": "gates",
    "evidence": "evidence",
    "turn": "turns",
    "run": "turns",
    "quota": "quota",
    "lark-kanban": "lark_kanban",
    "help": "overview",
    "version": "overview",
}


def main(argv: list[str] | None = None) -> int:
    """Runs one command; 0 done, 1 refused, 2 usage, 3 no server, 4 not authorised."""
    try:
        code = dispatch(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of a pipe went away; Python's own flush at exit must not complain again.
        sys.stdout = None
        return 141


def dispatch(argv: list[str]) -> int:
    leading, words = _leading(argv)
    if not words or words[0] in {"-h", "--help"}:
        words = ["help", *words[1:]]
    elif words[0] in {"-V", "--version"}:
        words = ["version"]
    for size in (1, 2):
        verb = HOT.get(tuple(words[:size]))
        if verb and not {"-h", "--help"} & set(words):
            from loopx_web.client import hot

            return hot.run(verb, words[:size], [*leading, *words[size:]])
    return _cold(words, leading)


def _cold(words: list[str], leading: list[str]) -> int:
    from loopx_web.client.commands import overview

    if tuple(words[:1]) in HOT or tuple(words[:2]) in HOT:
        return overview.explain(words)
    if words[0] not in COMMANDS:
        return overview.unknown(words[0])
    return overview.start(COMMANDS[words[0]], words, leading)


def _leading(argv: list[str]) -> tuple[list[str], list[str]]:
    """Flags written before the command, and the rest."""
    position = 0
    while position < len(argv):
        if argv[position] in LEADING_SWITCHES or argv[position].startswith(
            tuple(f"{name}=" for name in LEADING_VALUES)
        ):
            position += 1
        elif argv[position] in LEADING_VALUES:
            position += 2
        else:
            break
    return argv[:position], argv[position:]
