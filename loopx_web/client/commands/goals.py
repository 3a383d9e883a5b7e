"""`loopx goal …`: goals and their lifecycle, for a person at the terminal."""

from __future__ import annotations

import argparse

from loopx_web.client import words
from loopx_web.client.commands.session import Group, Session, given, page_flags, page_query, path
from loopx_web.client.errors import LoopXError


def main(argv: list[str]) -> int:
    group = Group("goal", "Goals and their lifecycle.")
    listing = group.verb("list", show_list, "list the goals you may see")
    listing.add_argument("--status")
    page_flags(listing)
    show = group.verb("show", show_one, "show one goal")
    pause = group.verb("pause", act, "pause a goal; agents go quiet")
    resume = group.verb("resume", act, "go on after a pause or a stop")
    stop = group.verb("stop", act, "stop a goal; loops end, claims are released")
    close = group.verb("close", close_on_the_board, "where a person closes it for good")
    for parser in (pause, stop):
        parser.add_argument("--reason")
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
    body = given(args, "reason") if hasattr(args, "reason") else {}
    return session.show(session.post(f"{_where(session)}/{args.verb}", body), words.goal_line)


def close_on_the_board(args: argparse.Namespace) -> int:
    """No key closes a goal, the owner's neither: it says where a person does."""
    session = Session(args, person=True)
    goal = session.get(_where(session))
    raise LoopXError(
        {
            "status": 403,
            "code": "human_required",
            "title": "A person is needed",
            "detail": "Closing a goal is a person's act on the board.",
            "hint": (
                "When all criteria are met and nothing is open, the board asks whether to close "
                "it. `loopx sign-in` prints a link; `loopx goal stop` ends the loops meanwhile."
            ),
            "board": f"{session.config.server}/goals/{goal['slug']}/",
        }
    )


def _where(session: Session) -> str:
    return path("goals", session.args.slug or session.config.need("goal"))
