"""`loopx lark-kanban …`: the board in Feishu/Lark; the worker acts, this waits for the receipt."""

from __future__ import annotations

import argparse
import time
from typing import Any

from loopx_web.client import words
from loopx_web.client.commands.session import Group, Session, given, path

WAIT_SECONDS = 120
OPEN_STATES = ("queued", "running")
ROWS_SHOWN = 10


def main(argv: list[str]) -> int:
    group = Group("lark-kanban", "The board in Feishu/Lark. Without --execute nothing is written.")
    group.verb("doctor", request, "check credentials, rights and tables")
    setup = group.verb("setup", request, "make the tables, or show what would be made")
    setup.add_argument("--title", help="the board's title there")
    setup.add_argument("--language", help="of headings and words (en, zh-hans)")
    setup.add_argument("--audience", help="who reads it: decides what is left out")
    setup.add_argument("--link-sharing", metavar="HOW", help="who may open it by its link")
    setup.add_argument("--viewer", dest="viewers", action="append", metavar="WHO")
    group.verb("preview", request, "what a sync would change")
    sync = group.verb("sync", request, "bring the table up to date (a preview without --execute)")
    group.verb("status", status, "cursor, lag, drift, last error")
    for name, parser in group.verbs.items():
        parser.add_argument("--board", help="which projection, if there are several")
        if name != "status":
            parser.add_argument(
                "--wait",
                type=int,
                default=WAIT_SECONDS,
                metavar="SECONDS",
                help=f"for the receipt (default {WAIT_SECONDS})",
            )
    for parser in (setup, sync):
        parser.add_argument("--execute", action="store_true", help="really write")
    return group.run(argv[1:])


def request(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    body: dict[str, Any] = {}
    if args.verb in {"setup", "sync"}:
        body["execute"] = args.execute
    if args.verb == "setup":
        body |= given(args, "title", "language", "audience", "link_sharing", "viewers")
        body |= {"goals": [session.config.goal]} if session.config.goal else {}
    board = _board(session)
    made = session.post(path("projections", board, args.verb), body)
    receipt = _await(session, board, made, time.monotonic() + args.wait)
    session.show(receipt, said)
    report = receipt.get("report") or {}
    return 0 if receipt.get("status") == "done" and report.get("ok", True) else 1


def status(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    if not args.board:
        data = session.get("/projections")
        return session.show_list(data, _line, "No projections yet: loopx lark-kanban setup")
    return session.show(session.get(path("projections", args.board)))


def _board(session: Session) -> str:
    """The board named, else the only one, else the one that will be made under the usual name."""
    if session.args.board:
        return str(session.args.board)
    found = session.get("/projections")["items"]
    names = [_name(item) for item in found]
    if len(names) > 1:
        raise SystemExit(f"loopx lark-kanban: choose one with --board: {', '.join(names)}")
    return names[0] if names else "lark"


def _await(session: Session, board: str, made: Any, deadline: float) -> Any:
    """The finished request; polled gently, because the worker may be busy or absent."""
    pause = 0.1
    while made.get("status") in OPEN_STATES and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(pause * 1.5, 2.0)
        made = session.get(path("projections", board, "requests", str(made["id"])))
    return made


def _name(item: Any) -> str:
    return str(item.get("board") or item.get("slug") or item.get("name"))


def _line(item: Any) -> str:
    error = item.get("last_error")
    state = f"lag {item.get('lag', 0)}" + (f", {words.inline(error)}" if error else "")
    return f"{_name(item)}  {item.get('sink', '')}  [{state}]"


def said(receipt: Any) -> str:
    action, state = receipt.get("action", "request"), receipt.get("status")
    if state in OPEN_STATES:
        return f"{action} is still {state}; is a worker running? (loopx serve, or loopx worker)"
    error = receipt.get("error")
    if error:
        hint = [f"  {error['hint']}"] if error.get("hint") else []
        return "\n".join([f"{action} failed: {error.get('detail')} ({error.get('code')})", *hint])
    report = dict(receipt.get("report") or {})
    lines = [f"{action}: {_how(report)}"]
    lines += [f"  {step['action']:<7} {step['what']}" for step in report.get("steps", [])]
    lines += [_finding(item) for item in report.get("findings", [])]
    if report.get("counts"):
        counts = (f"{number} {kind}" for kind, number in report["counts"].items())
        lines.append(f"  {', '.join(counts)}")
    for kind, sign in (("add", "+"), ("change", "~"), ("remove", "-")):
        lines += _rows(report.get(kind) or [], sign)
    lines += [f"  {report['url']}"] if report.get("url") else []
    if report.get("executed") is False or action == "preview":
        verb = "setup" if action == "setup" else "sync"
        lines.append(f"Nothing was written. To do it: loopx lark-kanban {verb} --execute")
    return "\n".join(lines)


def _how(report: Any) -> str:
    if "ok" in report:
        return "all is well" if report["ok"] else "something is wrong"
    return "done" if report.get("executed") else "this would happen"


def _finding(item: Any) -> str:
    line = f"  {'ok  ' if item['ok'] else 'FAIL'}  {item['check']}: {item['detail']}"
    return line if item["ok"] or not item.get("remedy") else f"{line}\n        {item['remedy']}"


def _rows(rows: list[Any], sign: str) -> list[str]:
    lines = []
    for row in rows[:ROWS_SHOWN]:
        cells = list((row.get("cells") or {}).values())
        lines.append(f"  {sign} {row.get('key', '')}  {words.inline(cells[:2])}".rstrip())
    more = len(rows) - ROWS_SHOWN
    return lines + ([f"  {sign} … and {more} more"] if more > 0 else [])
