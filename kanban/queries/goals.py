"""Goals in a list."""

from __future__ import annotations

from typing import Any

from kanban.kernel.present import moment
from kanban.models import Goal


def goal_lines(slugs: list[str], status: str = "") -> list[dict[str, Any]]:
    """In the order of `slugs`, only those of `status` if it is given."""
    goals = Goal.objects.filter(slug__in=slugs)
    if status:
        goals = goals.filter(status=status)
    found = {goal.slug: _line(goal) for goal in goals}
    return [found[slug] for slug in slugs if slug in found]


def _line(goal: Goal) -> dict[str, Any]:
    return {
        "slug": goal.slug,
        "title": goal.title,
        "status": goal.status,
        "revision": goal.revision,
        "version": goal.version,
        "updated_at": moment(goal.updated_at),
    }
