"""`loopx verify`: the event chain is whole, and its replay gives the tables."""

from __future__ import annotations

import argparse
import json
from typing import Any

from loopx_web.serve import options, start, state_dir
from loopx_web.serve.failure import REFUSED, StartFailure


def main(argv: list[str]) -> int:
    made = options.parser("verify", "Checks the event log of every goal against its tables.")
    made.add_argument("--goal", help="this goal only")
    made.add_argument("--json", action="store_true", help="print JSON")
    chosen = made.parse_args(argv)
    start.at(str(state_dir.choose(chosen.data_dir)))
    return start.run("verify", lambda: verify(chosen))


def verify(chosen: argparse.Namespace) -> int:
    start.django()
    from django.db import DatabaseError

    try:
        return _verify(chosen)
    except DatabaseError as error:
        raise StartFailure(
            f"The database cannot be read: {error}. Keep it as it is, stop the server, and "
            "restore a backup beside it."
        ) from error


def _verify(chosen: argparse.Namespace) -> int:
    from kanban.queries.snapshot import goal_slugs

    slugs = goal_slugs()
    if chosen.goal and chosen.goal not in slugs:
        raise StartFailure(f"There is no goal {chosen.goal!r} in {state_dir.choose(None)}.")
    found = [check(slug) for slug in ([chosen.goal] if chosen.goal else slugs)]
    fine = all(not goal["findings"] for goal in found)
    print(json.dumps({"ok": fine, "goals": found}) if chosen.json else report(found))
    return 0 if fine else REFUSED


def check(slug: str) -> dict[str, Any]:
    from kanban.queries.events import verify_goal
    from kanban.queries.snapshot import load

    findings = [{"version": item.version, "what": item.what} for item in verify_goal(slug)]
    return {"goal": slug, "version": load(slug).state.goal.version, "findings": findings}


def report(found: list[dict[str, Any]]) -> str:
    lines = []
    for goal in found:
        if not goal["findings"]:
            lines.append(f"ok    {goal['goal']}: {goal['version']} events, chain and replay agree")
        for item in goal["findings"]:
            where = f"event {item['version']}" if item["version"] else "tables"
            lines.append(f"FAIL  {goal['goal']}, {where}: {item['what']}")
    if not found:
        return "There are no goals yet."
    if any(goal["findings"] for goal in found):
        lines.append("Keep the database as it is, stop the server, and restore a backup beside it.")
    return "\n".join(lines)
