"""The in-memory world of the kernel's tests, on the real store instead."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from kanban.kernel.actor import Actor
from kanban.kernel.codec import decode_rows
from kanban.kernel.draft import Draft
from kanban.kernel.event import Event
from kanban.kernel.state import Change
from kanban.queries.events import goal_events
from kanban.queries.snapshot import load
from kanban.transitions.perform import Call, perform, perform_first
from tests.kanban.kernel.build import World

P = ParamSpec("P")
R = TypeVar("R")

_numbers = itertools.count(1)


class LedgerWorld(World):
    """Every act is a transition: settled, saved, logged, and read back."""

    def __init__(self, **given: Any) -> None:
        self.slug = f"walk-{next(_numbers)}"
        super().__init__(**given)

    def do(
        self,
        actor: Actor,
        rule: Callable[Concatenate[Draft, P], R],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        results: list[R] = []

        def work(draft: Draft) -> dict[str, Any]:
            results.append(rule(draft, *args, **kwargs))
            return {}

        call = Call("walk")
        if self.changes:
            perform(actor, self.slug, call, work, now=self.now)
        else:
            perform_first(actor, lambda: self.slug, call, work, now=self.now)
        self.state = load(self.slug).state
        news = goal_events(self.slug, since=len(self.changes))
        self.changes += [change_of(event) for event in news]
        return results[-1]


def change_of(event: Event) -> Change:
    rows = decode_rows(event.data, event.texts)
    return Change(event.kind, event.subject, event.actor, event.at, rows)
