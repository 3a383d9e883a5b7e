"""Goals: create, change, pause, resume, stop, close; their criteria."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.text import slugify

from kanban.kernel import goal as rules
from kanban.kernel.actor import Actor, require_administrator, require_operator
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Conflict, invalid
from kanban.kernel.present import goal_json
from kanban.kernel.settle import settle_draft
from kanban.models import Goal, Project
from kanban.transitions.members import member_row, require_agents
from kanban.transitions.perform import Call, perform, perform_first
from kanban.transitions.receipt import Receipt

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")


def create_goal(
    actor: Actor, given: dict[str, Any], *, now: datetime, key: str | None = None
) -> Receipt:
    """A goal with its criteria, first agents and quota policy.

    An agent may create one when a person asked for it: it joins, and the write scope stays empty.
    """
    names = list(given.get("agents") or ())
    if actor.is_agent:
        names = [actor.name]
        if given.get("write_scope"):
            require_administrator(actor, "Setting a write scope")
    else:
        require_operator(actor, "Creating a goal")
    agents = require_agents(names)
    _require_project(given.get("project"))

    def work(draft: Draft) -> dict[str, Any]:
        rules.create_goal(draft, given)
        for agent in agents:
            rules.enrol(draft, member_row(agent))
        return goal_json(draft.state)

    call = Call("goal.create", given, key)
    return perform_first(actor, lambda: _free_slug(given), call, work, now=now)


def update_goal(
    actor: Actor,
    goal: str,
    given: dict[str, Any],
    *,
    now: datetime,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    call = Call("goal.update", given, key, ("goal", ""), expect_version)
    return _perform(actor, goal, call, lambda draft: rules.update_goal(draft, given), now)


def add_criterion(
    actor: Actor, goal: str, text: str, *, now: datetime, key: str | None = None
) -> Receipt:
    call = Call("criterion.add", text, key)
    return _perform(actor, goal, call, lambda draft: rules.add_criterion(draft, text), now)


def update_criterion(
    actor: Actor,
    goal: str,
    ref: str,
    given: dict[str, Any],
    *,
    now: datetime,
    expect_version: int | None = None,
    key: str | None = None,
) -> Receipt:
    call = Call(f"criterion.update {ref}", given, key, ("criterion", ref), expect_version)
    return _perform(actor, goal, call, lambda draft: rules.update_criterion(draft, ref, given), now)


def pause_goal(
    actor: Actor, goal: str, *, now: datetime, reason: str = "", key: str | None = None
) -> Receipt:
    call = Call("goal.pause", reason, key)
    return _perform(actor, goal, call, lambda draft: rules.pause_goal(draft, reason=reason), now)


def resume_goal(actor: Actor, goal: str, *, now: datetime, key: str | None = None) -> Receipt:
    return _perform(actor, goal, Call("goal.resume", None, key), rules.resume_goal, now)


def stop_goal(
    actor: Actor, goal: str, *, now: datetime, reason: str, key: str | None = None
) -> Receipt:
    call = Call("goal.stop", reason, key)
    return _perform(actor, goal, call, lambda draft: rules.stop_goal(draft, reason=reason), now)


def close_goal(
    actor: Actor, goal: str, *, now: datetime, outcome: str, reason: str, key: str | None = None
) -> Receipt:
    """A signed-in person ends the goal; final."""
    call = Call("goal.close", [outcome, reason], key)
    return _perform(
        actor,
        goal,
        call,
        lambda draft: rules.close_goal(draft, outcome=outcome, reason=reason),
        now,
    )


def _perform(
    actor: Actor, goal: str, call: Call, rule: Callable[[Draft], object], now: datetime
) -> Receipt:
    def work(draft: Draft) -> dict[str, Any]:
        rule(draft)
        settle_draft(draft)
        return goal_json(draft.state)

    return perform(actor, goal, call, work, now=now)


def _require_project(slug: str | None) -> None:
    if slug and not Project.objects.filter(slug=slug).exists():
        raise invalid(f"There is no project {slug!r}.", "Create it first.", fields=["project"])


def _free_slug(given: dict[str, Any]) -> str:
    """The slug that was asked for, or a free one made of the title."""
    wanted = given.get("slug")
    if wanted:
        if not _SLUG.fullmatch(wanted):
            raise invalid(
                f"slug {wanted!r} may hold small letters, digits and hyphens only.",
                fields=["slug"],
            )
        if Goal.objects.filter(slug=wanted).exists():
            raise Conflict("exists", f"There is a goal {wanted!r} already.", "Choose another slug.")
        return str(wanted)
    base = slugify(str(given.get("title", "")))[:60].strip("-") or "goal"
    alike = Goal.objects.filter(Q(slug=base) | Q(slug__startswith=f"{base}-"))
    taken = set(alike.values_list("slug", flat=True))
    if base not in taken:
        return base
    return next(f"{base}-{n}" for n in range(2, len(taken) + 3) if f"{base}-{n}" not in taken)
