"""`loopx gate …`: concrete questions to a person. Answering is for people, in the browser."""

from __future__ import annotations

import argparse

from loopx_web.client import words
from loopx_web.client.commands import inputs
from loopx_web.client.commands.session import (
    Group,
    Json,
    Session,
    given,
    page_flags,
    page_query,
)

KINDS = [
    "direction",
    "write_scope",
    "resource",
    "production",
    "publish",
    "private_read",
    "risk",
    "closure",
    "other",
]
FIELDS = (
    "label",
    "kind",
    "decision_scope",
    "options",
    "suggested_option",
    "free_text",
    "why",
    "fallback",
    "remind_after_seconds",
    "expire_at",
    "default_option",
    "on_reject",
    "follows",
    "evidence",
)


def main(argv: list[str]) -> int:
    group = Group("gate", "Concrete questions to a person. Answered on the board, by people only.")
    ask = group.verb("ask", ask_gate, "put a question to a person")
    ask.add_argument("question")
    ask.add_argument("--blocks-goal", action="store_true", help="nothing goes on meanwhile")
    ask.add_argument("--blocks-me", action="store_true", help="this agent waits")
    ask.add_argument("--todo", action="append", metavar="T4", help="this todo waits (repeatable)")
    _fields(ask)
    listing = group.verb("list", show_list, "list the questions of a goal")
    listing.add_argument("--status")
    page_flags(listing)
    show = group.verb("show", show_one, "show one question")
    revise = group.verb("revise", revise_gate, "reword an open question")
    revise.add_argument("--question")
    revise.add_argument("--if-version", type=int, help="refuse if it changed since")
    _fields(revise)
    withdraw = group.verb("withdraw", withdraw_gate, "take a question back")
    withdraw.add_argument("--reason")
    for parser in (show, revise, withdraw):
        parser.add_argument("ref", metavar="G3")
    return group.run(argv[1:])


def _fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--label", help="two or three words for cards that wait on it")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--decision-scope", metavar="SCOPE", help="such as publish:pypi/apollo")
    parser.add_argument(
        "--option",
        dest="options",
        action="append",
        type=inputs.option,
        metavar="KEY=LABEL[: CONSEQUENCE]",
        help="a possible answer (two or more)",
    )
    parser.add_argument("--suggested-option", metavar="KEY", help="what the asker would choose")
    parser.add_argument("--free-text", action="store_true", help="the answer may be words")
    parser.add_argument("--why")
    parser.add_argument("--fallback", help="what is safe to do meanwhile")
    parser.add_argument("--remind-after", dest="remind_after_seconds", type=int, metavar="SECONDS")
    parser.add_argument("--expire-at", metavar="TIME")
    parser.add_argument("--default-option", metavar="KEY")
    parser.add_argument("--on-reject", choices=["block", "drop"])
    parser.add_argument("--follows", metavar="G2")
    parser.add_argument("--evidence", action="append", metavar="E3")


def ask_gate(args: argparse.Namespace) -> int:
    session = Session(args)
    blocks: Json = {}
    if args.blocks_goal:
        blocks["goal"] = True
    if args.blocks_me:
        blocks["agent"] = session.config.need("agent")
    if args.todo:
        blocks["todos"] = args.todo
    body = {"question": args.question} | given(args, *FIELDS)
    body.setdefault("kind", "other")
    body |= {"blocks": blocks} if blocks else {}
    return session.show(session.post(session.goal_path("gates"), body))


def show_list(args: argparse.Namespace) -> int:
    session = Session(args)
    data = session.get(session.goal_path("gates"), page_query(args, "status"))
    return session.show_list(data, words.gate_line, "No questions here.")


def show_one(args: argparse.Namespace) -> int:
    session = Session(args)
    return session.show(session.get(session.goal_path("gates", args.ref)))


def revise_gate(args: argparse.Namespace) -> int:
    session = Session(args)
    body = given(args, "question", *FIELDS)
    return session.show(session.patch(session.goal_path("gates", args.ref), body))


def withdraw_gate(args: argparse.Namespace) -> int:
    session = Session(args)
    body = given(args, "reason")
    return session.show(session.post(session.goal_path("gates", args.ref, "withdraw"), body))
