"""Quota policies: for people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kanban.kernel import goal as rules
from kanban.kernel.actor import Actor
from kanban.kernel.draft import Draft
from kanban.kernel.present import quota_json
from kanban.transitions.perform import Call, perform
from kanban.transitions.receipt import Receipt


def set_policy(
    actor: Actor,
    goal: str,
    given: dict[str, Any],
    *,
    now: datetime,
    agent: str = "",
    reason: str = "",
    key: str | None = None,
) -> Receipt:
    """Changes the goal's policy, or one agent's; `given` holds fields of `state.Policy`."""

    policies = {agent: given}
    return set_policies(actor, goal, policies, now=now, reason=reason, key=key)


def set_policies(
    actor: Actor,
    goal: str,
    policies: dict[str, dict[str, Any]],
    *,
    now: datetime,
    reason: str = "",
    key: str | None = None,
) -> Receipt:
    """Several at once, by agent ("" for the goal's own): all or none."""

    def work(draft: Draft) -> dict[str, Any]:
        for agent, given in policies.items():
            rules.set_policy(draft, agent, given, reason=reason)
        return quota_json(draft.state, draft.now)

    return perform(actor, goal, Call("quota.policy", [policies, reason], key), work, now=now)
