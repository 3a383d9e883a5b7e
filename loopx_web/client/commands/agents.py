"""`loopx agent …`: agents and their tokens, for a person at the terminal."""

from __future__ import annotations

import argparse
from typing import Any

from loopx_web.client import words
from loopx_web.client.commands import inputs
from loopx_web.client.commands.session import Group, Session, given, page_flags, page_query, path

HOSTS = [
    "claude-code",
    "codex-cli",
    "codex-app",
    "codex-ssh",
    "cursor",
    "opencode",
    "pi",
    "shell",
    "other",
]

VERBS = ["turns", "todos", "gates", "evidence", "goals", "agents", "quota", "me", "projections"]


def main(argv: list[str]) -> int:
    group = Group("agent", "Agents and their tokens.")
    page_flags(group.verb("list", show_list, "list agents"))
    add = group.verb("add", add_agent, "make an agent known")
    add.add_argument("--host-kind", choices=HOSTS, default="other")
    add.add_argument("--capabilities", type=inputs.words_list, metavar="A,B")
    add.add_argument("--role", help="proposer, executor, evaluator (advice only)")
    token = group.verb("token", make_token, "make a token; it is shown this once")
    token.add_argument(
        "--for-goal", dest="goals", action="append", metavar="G", help="only for this goal"
    )
    token.add_argument("--verb", dest="verbs", action="append", choices=VERBS, help="only these")
    token.add_argument("--expires-at", metavar="TIME")
    pause = group.verb("pause", pause_agent, "pause an agent on all its goals")
    resume = group.verb("resume", pause_agent, "let a paused agent go on")
    for parser in (add, token, pause, resume):
        parser.add_argument("name")
    return group.run(argv[1:])


def show_list(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    data = session.get("/agents", page_query(args))
    return session.show_list(data, words.agent_line, "No agents yet. loopx agent add NAME")


def add_agent(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    data = session.post("/agents", given(args, "name", "host_kind", "capabilities", "role"))

    def said(agent: Any) -> str:
        return f"{words.agent_line(agent)}\nNext: loopx connect --agent {agent['name']}"

    return session.show(data, said)


def make_token(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    where = path("agents", args.name, "tokens")
    data = session.post(where, given(args, "goals", "verbs", "expires_at"))
    # The bare token on stdout, so that `TOKEN=$(loopx agent token NAME)` works.
    return session.show(data, lambda made: str(made["token"]))


def pause_agent(args: argparse.Namespace) -> int:
    session = Session(args, person=True)
    mode = "paused" if args.verb == "pause" else "active"
    return session.show(
        session.patch(path("agents", args.name), {"work_mode": mode}), words.agent_line
    )
