"""`loopx quota status`: figures of a goal's quota (`quota should-run` is on the hot path)."""

from __future__ import annotations

import argparse
from typing import Any

from loopx_web.client import words
from loopx_web.client.commands.session import Group, Session


def main(argv: list[str]) -> int:
    group = Group("quota", "Quota figures; `loopx quota should-run` is the decision.")
    group.verb("status", status, "what is allowed, spent and reserved")
    return group.run(argv[1:])


def status(args: argparse.Namespace) -> int:
    session = Session(args)
    return session.show(session.get(session.goal_path("quota")), figures)


def figures(data: Any) -> str:
    """The sentence one wants first, then what limits it."""
    lines = [_use("", data)]
    if data.get("reason"):
        until = f" until {words.moment(data['recovers_at'])}" if data.get("recovers_at") else ""
        lines.append(f"No turn can begin{until}: {data['reason'].replace('_', ' ')}.")
    policy = data.get("policy") or {}
    window = f"Window {policy.get('window_hours')} h, slot {policy.get('slot_minutes')} min"
    limits = [f"share {policy.get('share')}"]
    limits += [
        f"{name.replace('_', ' ')} {policy[name]}"
        for name in ("slots", "token_budget", "cost_budget_usd")
        if policy.get(name) is not None
    ]
    lines.append(f"{window}; {', '.join(limits)}.")
    lines += [_use(f"{name}: ", own) for name, own in (data.get("agents") or {}).items()]
    return "\n".join(lines)


def _use(whose: str, use: Any) -> str:
    spent = [f"{use.get('spent', 0)} spent", f"{use.get('reserved', 0)} reserved"]
    if use.get("tokens"):
        spent.append(f"{use['tokens']} tokens")
    if use.get("cost_usd"):
        spent.append(f"{use['cost_usd']:.2f} USD")
    free, allowed = use.get("free"), use.get("allowed")
    return f"{whose}{free} of {allowed} slots left: {', '.join(spent)}."
