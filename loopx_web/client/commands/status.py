"""`loopx status`, `history` and `packet`: where it stands, what happened, how to come back."""

from __future__ import annotations

from typing import Any

from loopx_web.client import packets, words
from loopx_web.client.commands.session import Session, page_flags, page_query, single

LANES = {
    "needs_you": "Needs you",
    "ready": "Ready",
    "working": "Working",
    "waiting": "Waiting",
    "done": "Done",
}


def main(argv: list[str]) -> int:
    return {"status": status, "history": history, "packet": packet}[argv[0]](argv[1:])


def status(argv: list[str]) -> int:
    """Without a goal: all goals. With one: its questions, lanes and decision."""
    args = single("status", "Where a goal stands (without a goal: all of them).").parse_args(argv)
    session = Session(args)
    if not session.config.goal:
        data = session.get("/goals")
        return session.show_list(data, words.goal_line, "No goals yet: loopx start-goal --guided")
    data = {
        "goal": session.get(session.goal_path()),
        "gates": [
            gate
            for gate in session.get(session.goal_path("gates"), {"limit": 200})["items"]
            if gate.get("lane") == "needs_you"
        ],
        "todos": session.get(session.goal_path("todos"), {"limit": 200})["items"],
    }
    if session.config.agent:
        query = session.agent_body()
        data["decision"] = session.get(session.goal_path("should-run"), query)
    return session.show(data, overview)


def overview(data: Any) -> str:
    goal = data["goal"]
    blocks = [f"{words.goal_line(goal)}\n{goal.get('objective', '')}"]
    criteria = [
        f"  {c['ref']}  {c['text']}  [{c.get('state')}]" for c in goal.get("acceptance", [])
    ]
    blocks.append("\n".join(["Acceptance", *criteria]))
    if data["gates"]:
        lines = [f"  {words.gate_line(gate)}" for gate in data["gates"]]
        blocks.append("\n".join(["Questions to you", *lines]))
    for lane, title in LANES.items():
        cards = [f"  {words.todo_line(todo)}" for todo in data["todos"] if todo.get("lane") == lane]
        if cards:
            blocks.append("\n".join([title, *cards]))
    if "decision" in data:
        decision = data["decision"]
        blocks.append(f"For {decision.get('agent')}: {words.decision(decision)}")
    return "\n\n".join(blocks)


def history(argv: list[str]) -> int:
    parser = single("history", "What happened on a goal, oldest first.")
    parser.add_argument("--since", metavar="TIME|VERSION")
    parser.add_argument("--until", metavar="TIME|VERSION")
    parser.add_argument("--kind", action="append", help="todo.added, or todo for all (repeatable)")
    page_flags(parser)
    args = parser.parse_args(argv)
    session = Session(args)
    data = session.get(session.goal_path("events"), page_query(args, "since", "until", "kind"))
    return session.show_list(data, words.event_line, "Nothing happened yet.")


def packet(argv: list[str]) -> int:
    parser = single("packet", "What to know when coming back to a goal.")
    parser.add_argument("--todo", metavar="T4")
    args = parser.parse_args(argv)
    session = Session(args)
    query = session.agent_body() | {"todo": args.todo}
    return session.show(session.get(session.goal_path("packet"), query), packets.packet)
