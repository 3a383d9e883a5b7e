"""`loopx todo …`: every operator of a todo but `claim`, which is on the hot path."""

from __future__ import annotations

import argparse
from typing import Any

from loopx_web.client import memory, words
from loopx_web.client.commands import inputs
from loopx_web.client.commands.session import (
    Group,
    Json,
    Session,
    given,
    json_argument,
    page_flags,
    page_query,
)
from loopx_web.client.work import FENCED

TODO_FIELDS = (
    "priority",
    "body",
    "required_capabilities",
    "required_write_scopes",
    "decision_scopes",
    "depends_on",
    "bound_agent",
    "excluded_agents",
    "due",
    "acceptance_check",
    "keep_true",
    "waits_for",
)
ADD_FIELDS = ("kind", "resume_when", *TODO_FIELDS)
LIST_FLAGS = {
    "--capability": "required_capabilities",
    "--write-scope": "required_write_scopes",
    "--decision-scope": "decision_scopes",
    "--depends-on": "depends_on",
    "--exclude": "excluded_agents",
}


def main(argv: list[str]) -> int:
    group = Group("todo", "The work of a goal. `loopx todo claim --help` explains claiming.")
    _reading(group)
    _writing(group)
    _operators(group)
    return group.run(argv[1:])


def _reading(group: Group) -> None:
    listing = group.verb("list", show_list, "list the todos of a goal")
    listing.add_argument("--lane", help="needs_you, ready, working, waiting or done")
    listing.add_argument("--status")
    listing.add_argument("--owner", metavar="AGENT")
    page_flags(listing)
    _ref(group.verb("show", show_one, "show one todo"))


def _writing(group: Group) -> None:
    add = group.verb("add", add_todo, "add a todo")
    add.add_argument("title", nargs="?")
    add.add_argument("--many", type=json_argument, metavar="JSON|@FILE", help="a list of todos")
    add.add_argument("--kind", choices=["advancement", "monitor", "user_action"])
    add.add_argument("--resume-when", type=inputs.condition, metavar="WHEN")
    _todo_flags(add)
    update = group.verb("update", update_todo, "change fields of a todo")
    _ref(update)
    update.add_argument("--title")
    update.add_argument("--reason")
    update.add_argument("--epoch", type=int, help="the fence (default: of the last claim)")
    update.add_argument("--if-version", type=int, help="refuse if it changed since")
    _todo_flags(update)
    following = group.verb("claim-next", claim_next, "claim the best todo there is")
    following.add_argument("--lease", dest="lease_seconds", type=int, metavar="SECONDS")
    following.add_argument("--capability", dest="capabilities", action="append", metavar="C")


def _todo_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--priority", choices=["P0", "P1", "P2", "P3"])
    parser.add_argument("--body", help="Markdown")
    for flag, target in LIST_FLAGS.items():
        parser.add_argument(flag, dest=target, action="append", metavar="X")
    parser.add_argument("--bound-agent", metavar="AGENT")
    parser.add_argument("--due", metavar="DATE")
    parser.add_argument("--acceptance-check", metavar="COMMAND")
    parser.add_argument("--keep-true", action="store_true")
    parser.add_argument("--waits-for", metavar="PERSON")


def _operators(group: Group) -> None:
    for name, summary, build in (
        ("release", "give a todo back", _reason_only),
        ("unblock", "the block has ended", _nothing),
        ("resume", "take up a deferred todo", _nothing),
        ("accept", "the submitted work is good", _nothing),
        ("reassign", "give it to another agent", _reassign),
        ("block", "name what ends the block", _block),
        ("defer", "later, and when", _defer),
        ("submit", "hand in for review, with evidence", _evidence),
        ("return", "send back for more work", _reason),
        ("complete", "done: evidence and a continuation", _complete),
        ("supersede", "replaced by other todos", _supersede),
        ("drop", "will not be done", _reason),
        ("reopen", "a closed todo is open again", _reason),
        ("move", "order and priority", _move),
    ):
        parser = group.verb(name, operate, summary)
        _ref(parser)
        if name in FENCED:
            parser.add_argument("--epoch", type=int, help="the fence (default: of the last claim)")
        build(parser)


def _ref(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ref", metavar="T4")


def _nothing(parser: argparse.ArgumentParser) -> None:
    """The reference says it all."""


def _reason_only(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason")


def _reason(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", required=True)


def _reassign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("to", metavar="AGENT", help="the new owner")
    _reason(parser)


def _block(parser: argparse.ArgumentParser) -> None:
    _reason(parser)
    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--until", type=inputs.condition, metavar="WHEN")
    one.add_argument("--gate", metavar="G3")
    one.add_argument("--person", metavar="NAME")


def _defer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--until",
        dest="resume_when",
        type=inputs.condition,
        metavar="WHEN",
        required=True,
        help=inputs.condition.__doc__,
    )


def _evidence(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--evidence",
        action="append",
        type=inputs.evidence,
        metavar="E",
        help=inputs.evidence.__doc__,
    )


def _complete(parser: argparse.ArgumentParser) -> None:
    _evidence(parser)
    inputs.continuation_flags(parser)
    parser.add_argument(
        "--check-exit",
        type=inputs.check,
        dest="check",
        metavar="CODE",
        help="how the todo's acceptance check ended",
    )
    parser.add_argument("--override-note", help="a person completes without evidence, and why")


def _supersede(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--successor", dest="successors", action="append", type=inputs.successor, metavar="S"
    )
    parser.add_argument("--reason")


def _move(parser: argparse.ArgumentParser) -> None:
    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--before", metavar="T5")
    one.add_argument("--after", metavar="T5")
    one.add_argument("--priority", choices=["P0", "P1", "P2", "P3"])


def show_list(args: argparse.Namespace) -> int:
    session = Session(args)
    query = page_query(args, "lane", "status", "owner")
    data = session.get(session.goal_path("todos"), query)
    return session.show_list(data, words.todo_line, "No todos here.")


def show_one(args: argparse.Namespace) -> int:
    session = Session(args)
    return session.show(session.get(session.goal_path("todos", args.ref)))


def add_todo(args: argparse.Namespace) -> int:
    session = Session(args)
    if bool(args.title) == bool(args.many):
        raise SystemExit("loopx todo add: give a title, or --many with a list.")
    body: Json = {"todos": args.many} if args.many else {"title": args.title}
    return session.show(session.post(session.goal_path("todos"), body | given(args, *ADD_FIELDS)))


def update_todo(args: argparse.Namespace) -> int:
    session = Session(args)
    body = session.fence(args.ref) | given(args, "title", "reason", *TODO_FIELDS)
    return session.show(session.patch(session.goal_path("todos", args.ref), body))


def claim_next(args: argparse.Namespace) -> int:
    session = Session(args)
    body = session.agent_body() | given(args, "lease_seconds", "capabilities")
    todo = session.post(session.goal_path("todos", "claim-next"), body)
    if todo:
        memory.hold_todo(session.config, todo["ref"], str(todo["owner"]["epoch"]))
        return session.show(todo)
    return session.show(None, lambda _: "Nothing to claim now.")


def operate(args: argparse.Namespace) -> int:
    session = Session(args)
    fence = session.fence(args.ref) if args.verb in FENCED else {}
    body = fence | _operator_body(args)
    data = session.post(session.goal_path("todos", args.ref, args.verb), body)
    if args.verb in {"release", "complete", "drop", "supersede", "reassign"}:
        memory.forget(session.config, args.ref)
    return session.show(data)


def _operator_body(args: argparse.Namespace) -> Json:
    names = [
        "reason",
        "until",
        "gate",
        "person",
        "resume_when",
        "evidence",
        "check",
        "override_note",
        "successors",
        "before",
        "after",
        "priority",
    ]
    body: dict[str, Any] = given(args, *(name for name in names if hasattr(args, name)))
    if args.verb == "reassign":
        body["agent"] = args.to
    return body | (inputs.continuation(args) if args.verb == "complete" else {})
