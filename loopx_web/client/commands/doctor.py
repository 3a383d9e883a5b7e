"""`loopx doctor`: checks from the client's side, then from the server's where it is installed."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any

from loopx_web.client.commands.overview import installed
from loopx_web.client.commands.session import Session, path, single
from loopx_web.client.config import project_file
from loopx_web.client.errors import LoopXError
from loopx_web.client.wire import content

CLOCK_TOLERANCE = 5.0
PARTS = {
    "database": "The server cannot read its database: see its log and the disk.",
    "worker": "Start it with `loopx worker`, or `loopx serve` without --no-worker.",
}


@dataclass(frozen=True)
class Check:
    name: str
    ok: bool
    fact: str
    remedy: str = ""


def main(argv: list[str]) -> int:
    parser = single("doctor", "Check this machine, the server and this directory's binding.")
    parser.add_argument("--deep", action="store_true", help="also walk the whole ledger")
    args = parser.parse_args(argv[1:])
    session = Session(args)
    found = [check for probe in PROBES for check in probe(session)]
    found += _server_side(bool(args.deep))
    session.show({"ok": all(c.ok for c in found), "checks": [asdict(c) for c in found]}, report)
    return 0 if all(check.ok for check in found) else 1


def report(data: Any) -> str:
    lines = []
    for check in data["checks"]:
        lines.append(f"{'ok  ' if check['ok'] else 'FAIL'}  {check['name']}: {check['fact']}")
        if not check["ok"] and check["remedy"]:
            lines.append(f"      {check['remedy']}")
    failed = sum(not check["ok"] for check in data["checks"])
    lines.append("All is well." if not failed else f"{failed} of {len(data['checks'])} failed.")
    return "\n".join(lines)


def _python(_: Session) -> Iterator[Check]:
    have = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", sys.version_info >= (3, 11), have, "Install Python 3.11 or newer.")


def _command(_: Session) -> Iterator[Check]:
    """Another distribution has a `loopx` too: say which one answers."""
    own = os.path.realpath(sysconfig.get_path("scripts"))
    first = shutil.which("loopx")
    # A tool installer links the command elsewhere: what the link leads to counts.
    other = bool(first) and os.path.dirname(os.path.realpath(first or "")) != own
    fact = f"loopx-web {installed()}; `loopx` on PATH is {first or 'missing'}"
    yield Check("command", not other, fact, "Call `loopx-web`, or put this installation first.")


def _settings(session: Session) -> Iterator[Check]:
    config = session.config
    where = project_file(config.project) if config.project else "no .loopx/project.json here"
    named = ", ".join(
        f"{name} {value}" for name in ("goal", "agent") if (value := getattr(config, name))
    )
    yield Check("settings", True, f"server {config.server}{', ' + named if named else ''}; {where}")


def _reachable(session: Session) -> Iterator[Check]:
    try:
        answer = session.wire.call("GET", "/health", attempts=1, timeout=5)
    except LoopXError as error:
        yield Check("server", False, error.detail, error.hint)
        return
    health = content(answer)
    yield Check("server", True, f"{session.config.server} answers, {health.get('status', '?')}")
    for name, remedy in PARTS.items():
        word = str(health.get(name, "?"))
        yield Check(name, word == "ok", word, remedy)
    yield from _clock(answer.headers.get("date", ""))


def _clock(date: str) -> Iterator[Check]:
    if date:
        apart = abs((datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds())
        yield Check(
            "clock",
            apart <= CLOCK_TOLERANCE,
            f"{apart:.0f} s apart from the server's",
            "Only the server's clock decides; set this one by NTP so that logs agree.",
        )


def _token(session: Session) -> Iterator[Check]:
    if not session.wire.token:
        yield Check("token", False, "none", "Run `loopx connect --agent NAME` here.")
        return
    try:
        me = session.wire.get("/me")
    except LoopXError as error:
        yield Check("token", False, error.detail, error.hint)
        return
    yield Check("token", True, f"{me.get('kind', 'agent')} {me.get('name', '?')}")
    if session.config.goal:
        yield from _goal(session)


def _goal(session: Session) -> Iterator[Check]:
    try:
        goal = session.wire.get(path("goals", session.config.goal))
    except LoopXError as error:
        yield Check("goal", False, error.detail, error.hint)
    else:
        yield Check("goal", True, f"{goal['slug']} is {goal['status']}, version {goal['version']}")


def _server_side(deep: bool) -> list[Check]:
    """The server's own checks, when its part is installed and its data directory is here."""
    try:
        module = import_module("loopx_web.serve.doctor")
    except ModuleNotFoundError:
        return []
    checks: list[Check] = [
        Check(item["name"], bool(item["ok"]), str(item["fact"]), str(item.get("remedy", "")))
        for item in module.checks(deep=deep)
    ]
    return checks


PROBES: tuple[Callable[[Session], Iterator[Check]], ...] = (
    _python,
    _command,
    _settings,
    _reachable,
    _token,
)
