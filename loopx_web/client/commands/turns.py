"""`loopx turn run -- CMD` (one turn) and `loopx run -- CMD` (the loop)."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
from typing import Any

from loopx_web.client import memory, show, words
from loopx_web.client.commands.session import Session, single
from loopx_web.client.errors import NotNow
from loopx_web.client.loop import Limits, Loop, outcome_line
from loopx_web.client.runner import Interrupted, Job, Outcome, run_turn
from loopx_web.client.sdk import LoopX

USAGE = """\
The command finds the packet as text on standard input and as JSON in the file LOOPX_PACKET, and
writes its result as JSON to the file LOOPX_RESULT: {"result": "completed", "evidence": […],
"continuation": {…}}; or progress, no_change, failed, blocked, asked (`loopx turn finish --help`).
Without a result file the turn ends as no_change; with an exit code other than 0, as failed."""


def main(argv: list[str]) -> int:
    words_before, command = _split(argv)
    if words_before[0] == "run":
        return run(words_before[1:], command)
    if words_before[1:2] == ["run"]:
        return turn_run(words_before[2:], command)
    print("loopx turn: begin, renew, finish, run -- CMD", file=sys.stderr)
    return 0 if {"-h", "--help"} & set(words_before) else 2


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at + 1 :]


def turn_run(argv: list[str], command: list[str]) -> int:
    parser = _parser("turn run", "Run a command as one turn.")
    args = parser.parse_args(argv)
    _need_command(parser, command)
    session, loopx = _open(args)
    job = _job(args, command)
    with Terminable():
        try:
            outcome = run_turn(loopx, session.config.goal, session.config.agent, job)
        except NotNow as error:
            return show.report(error, as_json=session.json)
        except KeyboardInterrupt as signalled:
            return ended_by(signalled)
    return _report(session, outcome)


def run(argv: list[str], command: list[str]) -> int:
    parser = _parser("run", "Run a command in a governed loop: wait, begin, run, finish.")
    parser.add_argument("--max-turns", type=int, default=0, metavar="N", help="then end")
    parser.add_argument(
        "--idle-exit", type=float, default=0, metavar="SECONDS", help="end when idle for so long"
    )
    parser.add_argument(
        "--backoff",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="first pause after a turn that moved nothing (doubles to 5 minutes)",
    )
    args = parser.parse_args(argv)
    _need_command(parser, command)
    session, loopx = _open(args)
    limits = Limits(args.max_turns, args.idle_exit, args.backoff)
    loop = Loop(loopx, session.config, _job(args, command), limits)
    code = 0
    with Terminable():
        try:
            loop.run()
        except KeyboardInterrupt as signalled:
            code = ended_by(signalled)
    if session.json:
        done = [as_json(outcome) for outcome in loop.outcomes]
        print(json.dumps({"turns": loop.turns, "outcomes": done}, ensure_ascii=False))
    return code


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = single(name, description)
    parser.usage = f"loopx {name} [flags] -- COMMAND [ARGUMENT …]"
    parser.epilog = USAGE
    parser.add_argument("--todo", metavar="T4", help="this todo and no other")
    parser.add_argument("--capability", dest="capabilities", action="append", metavar="C")
    parser.add_argument("--lease", dest="lease_seconds", type=int, metavar="SECONDS")
    parser.add_argument("--slots", type=int, metavar="N")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="of the command")
    parser.add_argument("--check", default="", metavar="CMD", help="must exit 0 to complete")
    return parser


def _need_command(parser: argparse.ArgumentParser, command: list[str]) -> None:
    if not command:
        parser.error("give the command after `--`")
    if not shutil.which(command[0]):
        parser.error(f"there is no command {command[0]!r} on this machine")


def _open(args: argparse.Namespace) -> tuple[Session, LoopX]:
    session = Session(args)
    config = session.config
    goal, agent = config.need("goal"), config.need("agent")
    loopx = LoopX(
        config.server,
        session.wire.token,
        goal=goal,
        agent=agent,
        execution_key=config.execution_key or None,
    )
    return session, loopx


def _job(args: argparse.Namespace, command: list[str]) -> Job:
    names = ("todo", "capabilities", "lease_seconds", "slots")
    begin: dict[str, Any] = {name: getattr(args, name) for name in names if getattr(args, name)}
    return Job(command, args.timeout, args.check, begin, quiet_stdout=bool(args.json))


def _report(session: Session, outcome: Outcome) -> int:
    if outcome.refused and not session.json:
        show.report(outcome.refused, as_json=False)
    settled = outcome.settled
    if session.json:
        print(json.dumps(as_json(outcome), ensure_ascii=False))
    else:
        print(outcome_line(outcome))
        if settled and settled.decision:
            print(words.decision(settled.decision.raw, session.config.server))
    if settled and settled.decision and settled.decision.outcome == "ask":
        memory.remember_shown(session.config, settled.decision.tags)
    return 1 if outcome.refused or outcome.result == "failed" else 0


def as_json(outcome: Outcome) -> dict[str, Any]:
    data = {name: value for name, value in asdict_shallow(outcome).items() if value}
    if outcome.settled:
        data["settled"] = outcome.settled.raw
    if outcome.refused:
        data["refused"] = outcome.refused.problem
    return data


def asdict_shallow(outcome: Outcome) -> dict[str, Any]:
    names = ("result", "summary", "turn", "todo")
    return {name: getattr(outcome, name) for name in names}


def ended_by(signalled: KeyboardInterrupt) -> int:
    """The exit code a shell expects: 128 and the signal's number."""
    sign = signal.SIGTERM if isinstance(signalled, Interrupted) else signal.SIGINT
    return 128 + sign


class Terminable:
    """SIGTERM becomes an exception while this holds, so that a turn is given back."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGTERM, self._raise)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    @staticmethod
    def _raise(*_: object) -> None:
        raise Interrupted
