"""`loopx connect`: binds a directory to a server, a goal and an agent."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from loopx_web.client.commands.agents import HOSTS
from loopx_web.client.commands.session import Session, path, single
from loopx_web.client.config import ConfigError, project_file, read_flat, read_secret, token_file
from loopx_web.client.errors import Conflict, LoopXError, NotFound, Unauthenticated
from loopx_web.client.wire import Wire

IGNORED = ".loopx/"


def main(argv: list[str]) -> int:
    parser = single("connect", "Bind a directory: server, goal, agent; keep the agent's token.")
    parser.add_argument("--project", default=".", metavar="DIR", help="the directory (default: .)")
    parser.add_argument("--host-kind", choices=HOSTS, default="other")
    parser.add_argument(
        "--rebind", action="store_true", help="bind it to another goal than it is bound to"
    )
    args = parser.parse_args(argv[1:])
    session = opened(args)
    return session.show(bind(session, args), _said)


def opened(args: argparse.Namespace) -> Session:
    """A session for the directory `args.project`; what it is bound to stays unless flags differ."""
    project = os.path.abspath(args.project)
    if not os.path.isdir(project):
        raise ConfigError(f"{project} is not a directory.")
    bound = read_flat(project_file(project))
    known = bound.get("goal")
    if known and args.goal and args.goal != known and not args.rebind:
        raise ConfigError(
            f"{project} is bound to the goal {known}. "
            f"To bind it to {args.goal} instead: loopx connect --goal {args.goal} --rebind"
        )
    for name in ("server", "goal", "agent"):
        # This directory's own binding goes before one of a parent or of the environment.
        setattr(args, name, getattr(args, name) or bound.get(name))
    session = Session(args, person=True)
    session.config.project = project
    return session


def bind(session: Session, args: argparse.Namespace) -> dict[str, Any]:
    config = session.config
    if config.goal:
        session.get(path("goals", config.goal))
    else:
        config.goal = _only_goal(session)
    token = "kept"
    if config.agent:
        _ensure_agent(session, args.host_kind)
        token = _ensure_token(session)
    binding = {"server": config.server, "goal": config.goal, "agent": config.agent}
    _write_project(config.project, {name: value for name, value in binding.items() if value})
    return {
        "project": config.project,
        **binding,
        "token": token if config.agent else "none",
        "ignored": _ignore(config.project),
    }


def _only_goal(session: Session) -> str:
    """The one active goal, if there is exactly one."""
    found = session.get("/goals", {"status": "active"})["items"]
    return str(found[0]["slug"]) if len(found) == 1 else ""


def _ensure_agent(session: Session, host_kind: str) -> None:
    name, goal = session.config.agent, session.config.goal
    try:
        session.get(path("agents", name))
    except NotFound:
        session.post("/agents", {"name": name, "host_kind": host_kind})
    if goal:
        try:
            session.post(path("goals", goal, "agents"), {"agent": name})
        except Conflict as error:
            if error.code != "exists":
                raise


def _ensure_token(session: Session) -> str:
    """Reuses the kept token while the server knows it as this agent's; else makes a new one."""
    config = session.config
    where = token_file(config.server, config.agent)
    kept = config.token if config.explicit_token else read_secret(where)
    if kept and _is_of(session, kept):
        return "kept"
    made = session.post(path("agents", config.agent, "tokens"), {})
    write_secret(where, made["token"])
    return f"new, in {where}"


def _is_of(session: Session, token: str) -> bool:
    try:
        me = Wire(session.config.server, token).get("/me")
    except Unauthenticated:
        return False
    except LoopXError as error:
        if error.status >= 500 or not error.status:
            raise
        return False
    return bool(me.get("name") == session.config.agent)


def write_secret(where: str, token: str) -> None:
    os.makedirs(os.path.dirname(where), mode=0o700, exist_ok=True)
    temporary = f"{where}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token)
    os.replace(temporary, where)


def _write_project(project: str, binding: dict[str, str]) -> None:
    where = project_file(project)
    os.makedirs(os.path.dirname(where), exist_ok=True)
    merged = read_flat(where) | binding
    with open(f"{where}.new", "w", encoding="utf-8") as file:
        json.dump(merged, file, indent=2, ensure_ascii=False)
        file.write("\n")
    os.replace(f"{where}.new", where)


def _ignore(project: str) -> bool:
    """Adds .loopx/ to the ignore file of a git repository; True if it is ignored now."""
    if not os.path.exists(os.path.join(project, ".git")):
        return False
    where = os.path.join(project, ".gitignore")
    try:
        with open(where, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    if {IGNORED, f"/{IGNORED}", ".loopx"} & {line.strip() for line in text.splitlines()}:
        return True
    with open(where, "a", encoding="utf-8") as file:
        file.write(("" if not text or text.endswith("\n") else "\n") + f"{IGNORED}\n")
    return True


def _said(done: dict[str, Any]) -> str:
    lines = [f"{done['project']} is bound to {done['server']}"]
    lines += [f"  {name:<6} {done[name]}" for name in ("goal", "agent", "token") if done[name]]
    if not done["goal"]:
        lines.append("Next: loopx start-goal --guided")
    elif not done["agent"]:
        lines.append("Next: loopx connect --agent NAME")
    else:
        lines.append("Next: loopx should-run")
    return "\n".join(lines)
