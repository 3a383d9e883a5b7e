"""`loopx goal …`: goals and their lifecycle, for a person at the terminal."""

from __future__ import annotations

import argparse

from loopx_web.client import words
from loopx_web.client.commands.session import Group, Session, given, page_flags, page_query, path


def main(argv: list[str]) -> int:
    group = Group("goal", "Goals and their lifecycle.")
    listing = group.verb("list", show_list, "list the goals you may see")
    listing.add_argument("--status")
    page_flags(listing)
    show = group.verb("show", show_one, "show one goal")
    pause = group.verb("pause", act, "pause a goal; agents go quiet")
    resume = group.verb("resume", act, "go on")
    stop = group.verb("stop", act, "stop a goal; loops end")
    close = group.verb("close", act, "close for good (needs a person in the browser)")
    close.add_argument("--outcome", choices=["achieved", "abandoned"], required=True)
    for parser in (pause, resume, stop, close):
        parser.add_argument("--reason", required=parser is close)
    for parser in (show, pause, resume, stop, close):
        parser.add_argument("slug", nargs="?", metavar="GOAL", help="else --goal")
    return group.run(argv[1:])


def show_list(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    data = session.get("/goals", page_query(args, "status"))
    return session.show_list(
        data, words.goal_line, "No goals yet. Make one: loopx start-goal --guided"
    )


def show_one(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    return session.show(session.get(_where(session)))


def act(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    body = given(args, *(name for name in ("reason", "outcome") if hasattr(args, name)))
    return session.show(session.post(f"{_where(session)}/{args.verb}", body), words.goal_line)


def _where(session: Session) -> str:
    return path("goals", session.args.slug or session.config.need("goal"))
