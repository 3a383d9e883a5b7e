"""`loopx evidence …`: what was found, for and against."""

from __future__ import annotations

import argparse

from loopx_web.client import words
from loopx_web.client.commands.session import (
    Group,
    Session,
    given,
    json_argument,
    page_flags,
    page_query,
)

KINDS = ["test", "metric", "diff", "url", "pull_request", "log", "note", "decision", "artifact"]


def main(argv: list[str]) -> int:
    group = Group("evidence", "What was found, for and against.")
    add = group.verb("add", add_evidence, "leave evidence")
    add.add_argument("kind", choices=KINDS)
    add.add_argument("summary")
    add.add_argument(
        "--verdict", choices=["supports", "contradicts", "inconclusive"], default="supports"
    )
    add.add_argument(
        "--supports", action="append", metavar="T4|A1|G3", help="what it is about (repeatable)"
    )
    add.add_argument("--ref", metavar="WHERE", help="a path, link or commit")
    add.add_argument("--data", type=json_argument, metavar="JSON|@FILE", help="figures")
    add.add_argument("--observed-at", metavar="TIME")
    add.add_argument("--valid-seconds", type=int, metavar="N", help="stale after that")
    listing = group.verb("list", show_list, "list evidence")
    listing.add_argument("--todo", metavar="T4")
    listing.add_argument("--criterion", metavar="A1")
    page_flags(listing)
    invalidate = group.verb("invalidate", invalidate_evidence, "it no longer holds, and why")
    invalidate.add_argument("ref", metavar="E3")
    invalidate.add_argument("--reason", required=True)
    invalidate.add_argument("--replaced-by", metavar="E5")
    return group.run(argv[1:])


def add_evidence(args: argparse.Namespace) -> int:
    session = Session(args)
    names = ("kind", "verdict", "summary", "supports", "ref", "data", "observed_at")
    body = given(args, *names, "valid_seconds")
    return session.show(session.post(session.goal_path("evidence"), body))


def show_list(args: argparse.Namespace) -> int:
    session = Session(args)
    data = session.get(session.goal_path("evidence"), page_query(args, "todo", "criterion"))
    return session.show_list(data, words.evidence_line, "No evidence yet.")


def invalidate_evidence(args: argparse.Namespace) -> int:
    session = Session(args)
    where = session.goal_path("evidence", args.ref, "invalidate")
    return session.show(session.post(where, given(args, "reason", "replaced_by")))
