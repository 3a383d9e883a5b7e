"""`loopx start-goal`: makes a goal, by questions or by flags, with a preview before it is made."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from loopx_web.client import words
from loopx_web.client.commands.session import Session, path, single
from loopx_web.client.config import ConfigError

TITLE_LIMIT = 80


def main(argv: list[str]) -> int:
    parser = single("start-goal", "Make a goal.")
    parser.add_argument("--goal-text", metavar="TEXT", help="the objective")
    parser.add_argument("--title")
    parser.add_argument("--slug", help="its address (default: from the title)")
    parser.add_argument(
        "--acceptance", action="append", metavar="TEXT", help="how one sees it is met (repeatable)"
    )
    parser.add_argument(
        "--write-scope", action="append", metavar="GLOB", help="where work may write (repeatable)"
    )
    parser.add_argument("--non-goals", metavar="TEXT", help="what it is not about, a line each")
    parser.add_argument("--todo", action="append", metavar="TITLE", help="first work (repeatable)")
    parser.add_argument(
        "--with-agent", action="append", metavar="NAME", help="takes part (repeatable)"
    )
    parser.add_argument("--project", metavar="DIR", help="bind this directory to it")
    parser.add_argument("--guided", action="store_true", help="ask for what is missing")
    parser.add_argument("--yes", action="store_true", help="make it without asking once more")
    parser.add_argument("--preview", action="store_true", help="only show what would be made")
    args = parser.parse_args(argv[1:])
    talking = args.guided and sys.stdin.isatty() and not args.json
    if talking:
        interview(args)
    if not args.goal_text:
        parser.error("say what the goal is: --goal-text TEXT")
    session = Session(args, person=sys.stdin.isatty())
    body = goal_body(args, session.config.agent)
    if args.preview or (talking and not args.yes):
        print(preview(body, args.todo or []), file=sys.stderr if args.json else sys.stdout)
    if args.preview or (talking and not args.yes and not _yes("Make this goal?")):
        return 0
    return create(session, args, body)


def interview(args: argparse.Namespace) -> None:
    args.goal_text = args.goal_text or _ask("What should be achieved?")
    args.acceptance = args.acceptance or _ask_many("How will one see that it is met?")
    args.write_scope = args.write_scope or _ask_many("Where may work write? (globs, as src/**)")
    args.todo = args.todo or _ask_many("What are the first pieces of work?")


def goal_body(args: argparse.Namespace, agent: str) -> dict[str, Any]:
    first_line = args.goal_text.strip().splitlines()[0]
    title = args.title or first_line
    if not args.title and len(title) > TITLE_LIMIT:
        title = title[: TITLE_LIMIT - 1].rsplit(" ", 1)[0] + "…"
    agents = args.with_agent or ([agent] if agent else [])
    body = {
        "title": title,
        "objective": args.goal_text,
        "slug": args.slug,
        "acceptance": args.acceptance,
        "write_scope": args.write_scope,
        "non_goals": args.non_goals,
        "agents": agents,
    }
    return {name: value for name, value in body.items() if value}


def preview(body: dict[str, Any], todos: list[str]) -> str:
    lines = [body["title"], f"  Objective    {words.inline(body['objective'])}"]
    for name, values in (
        ("Acceptance", body.get("acceptance") or ["the objective itself"]),
        ("Write scope", body.get("write_scope") or ["the project's default"]),
        ("Agents", body.get("agents") or ["none yet"]),
        ("First work", todos or ["none yet"]),
    ):
        lines += [f"  {name if at == 0 else '':<12} {v}" for at, v in enumerate(values)]
    return "\n".join(lines)


def create(session: Session, args: argparse.Namespace, body: dict[str, Any]) -> int:
    goal = session.post("/goals", body)
    slug = goal["slug"]
    todos: list[Any] = []
    if args.todo:
        listed = {"todos": [{"title": title} for title in args.todo]}
        todos = session.post(path("goals", slug, "todos"), listed)["items"]
    bound = _bind(args, slug) if args.project else None
    if session.json:
        print(json.dumps({"goal": goal, "todos": todos, "connected": bound}, ensure_ascii=False))
        return 0
    print(f"Made {words.goal_line(goal)}")
    for todo in todos:
        print(f"  {words.todo_line(todo)}")
    print(f"Board: {session.config.server}/goals/{slug}/")
    ready = bound and bound.get("agent")
    following = "should-run" if ready else f"connect --goal {slug} --agent NAME"
    print(f"Next: loopx {following}")
    return 0


def _bind(args: argparse.Namespace, slug: str) -> dict[str, Any] | None:
    from loopx_web.client.commands import connect

    args.goal, args.host_kind, args.rebind = slug, "other", False
    try:
        return connect.bind(connect.opened(args), args)
    except (ConfigError, OSError) as error:
        print(f"The directory was not bound: {error}", file=sys.stderr)
        return None


def _ask(question: str) -> str:
    while True:
        answer = input(f"{question}\n> ").strip()
        if answer:
            return answer


def _ask_many(question: str) -> list[str]:
    print(f"{question} (one a line, empty line to go on)")
    found: list[str] = []
    while answer := input("> ").strip():
        found.append(answer)
    return found


def _yes(question: str) -> bool:
    return input(f"{question} [Y/n] ").strip().lower() in {"", "y", "yes"}
