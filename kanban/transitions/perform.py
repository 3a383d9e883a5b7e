"""The one way to write: settle, check, decide in the kernel, save rows and events, wake."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from kanban.kernel.actor import SYSTEM, Actor, require_operator
from kanban.kernel.draft import Draft
from kanban.kernel.errors import Stale, missing
from kanban.kernel.settle import settle_draft
from kanban.kernel.state import TABLES
from kanban.queries.snapshot import ledger_time, load
from kanban.store.ledger import insert_goal, lock_creation, lock_goal, save
from kanban.store.receipts import find_receipt, keep_receipt
from kanban.store.write import write
from kanban.transitions.receipt import Receipt

Work = Callable[[Draft], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Call:
    """How a transition was asked for: its route, its request, and what the caller relies on."""

    route: str
    request: Any = None
    key: str | None = None
    subject: tuple[str, str] | None = None  # the object that `expect_version` is about
    expect_version: int | None = None


def perform(actor: Actor, goal: str, call: Call, work: Work, *, now: datetime) -> Receipt:
    """Runs `work` on the settled draft of a goal and saves all of it, or nothing.

    Raises what the rule refuses with; a stored receipt under the same key is returned instead.
    """
    _refuse_viewer(actor)
    return _finish(write(lambda: _carry_out(actor, goal, call, work, now)))


def perform_together(
    actor: Actor,
    writes: Iterable[tuple[str, Call, Work]],
    *,
    now: datetime,
    alongside: Callable[[], object] | None = None,
) -> list[Receipt]:
    """Several goals' writes in one transaction, `alongside` for rows that belong to no goal.

    The receipts come in the order of the goals' slugs, which is the order of locking: so two
    such writes cannot hold each other up.
    """
    _refuse_viewer(actor)
    ordered = sorted(writes, key=lambda write: write[0])

    def once() -> list[Receipt]:
        if alongside:
            alongside()
        return [_carry_out(actor, goal, call, work, now) for goal, call, work in ordered]

    return [_finish(receipt) for receipt in write(once)]


def _carry_out(actor: Actor, goal: str, call: Call, work: Work, now: datetime) -> Receipt:
    lock_goal(goal)
    if stored := _replay(actor, goal, call):
        return stored
    loaded = load(goal)
    draft = Draft(loaded.state, now=ledger_time(loaded.state, now), actor=actor)
    _check_version(draft, call)
    settle_draft(draft)
    body = work(draft)
    settle_draft(draft)
    save(draft, goal_id=loaded.goal_id, head_hash=loaded.head_hash, request_id=call.key or "")
    return _keep(actor, goal, call, _receipt(draft, body), now)


def perform_first(
    actor: Actor, choose_slug: Callable[[], str], call: Call, work: Work, *, now: datetime
) -> Receipt:
    """The same for the write that brings a goal into being, under a slug chosen inside it."""
    _refuse_viewer(actor)

    def once() -> Receipt:
        lock_creation()
        if stored := _replay(actor, "", call):
            return stored
        slug = choose_slug()
        goal_id = insert_goal(slug)
        loaded = load(slug)
        draft = Draft(loaded.state, now=now, actor=actor)
        body = work(draft)
        save(draft, goal_id=goal_id, head_hash=loaded.head_hash, request_id=call.key or "")
        return _keep(actor, "", call, _receipt(draft, body), now)

    return _finish(write(once))


def settle_goal(goal: str, *, now: datetime) -> Receipt:
    """Writes down what time alone has changed; the worker's timer calls it."""
    return perform(SYSTEM, goal, Call("settle"), lambda draft: {}, now=now)


def _refuse_viewer(actor: Actor) -> None:
    if actor.is_person:
        require_operator(actor, "Changing anything")


def _replay(actor: Actor, goal: str, call: Call) -> Receipt | None:
    if not call.key:
        return None
    stored = find_receipt(str(actor), f"{goal} {call.route}", call.key, call.request)
    return Receipt.from_json(stored) if stored else None


def _keep(actor: Actor, goal: str, call: Call, receipt: Receipt, now: datetime) -> Receipt:
    if call.key:
        route = f"{goal} {call.route}"
        keep_receipt(str(actor), route, call.key, call.request, receipt.as_json(), now)
    return receipt


def _receipt(draft: Draft, body: dict[str, Any]) -> Receipt:
    before, after = draft.before.goal.version, draft.state.goal.version
    return Receipt(draft.state.goal.slug, after, tuple(range(before + 1, after + 1)), body)


def _check_version(draft: Draft, call: Call) -> None:
    """If-Match, before settling: the object must be as the caller saw it."""
    if call.expect_version is None or call.subject is None:
        return
    name, ref = call.subject
    state = draft.state
    row = state.goal if name == "goal" else getattr(state, TABLES[name].name).get(ref)
    if row is None:
        raise missing(name, ref)
    if row.version != call.expect_version:
        raise Stale(
            "stale_version",
            f"{ref or draft.state.goal.slug} is at version {row.version} now, "
            f"not {call.expect_version}.",
            "Look at it again, then decide whether your change still fits.",
            current_version=row.version,
        )


def _finish(receipt: Receipt) -> Receipt:
    if receipt.events and not receipt.replayed:
        _wake()(receipt.goal, receipt.version)
    return receipt


@cache
def _wake() -> Callable[[str, int], None]:
    wake: Callable[[str, int], None] = import_string(settings.LOOPX_WAKE)
    return wake
