"""What holds of every goal at every moment (the numbers are the design's)."""

from __future__ import annotations

import re
from collections import Counter

from kanban.kernel import gate, quota, turn
from kanban.kernel.actor import agent, person
from kanban.kernel.conditions import _needs
from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask
from kanban.kernel.draft import Draft
from kanban.kernel.execution import execution
from kanban.kernel.frontier import member_of, unsettled
from kanban.kernel.lanes import LANES, gate_lane, lane_of
from kanban.kernel.settle import settle
from kanban.kernel.state import State, Todo
from tests.kanban.kernel.build import World

SETTLED = ("chosen", "rejected", "expired", "withdrawn")


def check(world: World, before: State, keys: tuple[str, ...] = ("", "b")) -> None:
    """All of them, for the state as every reader sees it now."""
    state = world.settled
    assert settle(state, world.moment) == (state, [])
    ownership(state, before)
    for todo in state.todos.values():
        closing(world, state, todo)
    successions(state)
    assert state.goal.version >= len(world.changes) == world.state.goal.version
    answers(state, before)
    for name in state.members:
        if member_of(state, name):
            for key in keys:
                decisions(world, state, name, key)
    for item in unsettled(state):
        answerable(world, state, item.ref)
    assert {lane_of(state, todo) for todo in state.todos.values()} <= {*LANES}
    assert {gate_lane(item) for item in state.gates.values()} <= {*LANES}


def ownership(state: State, before: State) -> None:
    """1: one claim per todo, one live turn per execution, epochs never fall."""
    live = [t for t in state.turns.values() if t.status == "live"]
    assert all(n == 1 for n in Counter((t.agent, t.execution) for t in live).values())
    assert all(n == 1 for n in Counter(t.gap for t in live if t.gap).values())
    for todo in state.todos.values():
        assert bool(todo.owner) == bool(todo.claim_form)
        assert (todo.claim_form == "lease") == (todo.lease_until is not None)
        assert not (todo.owner and todo.status in ("done", "superseded", "dropped"))
        was = before.todos.get(todo.ref)
        if was:
            assert todo.epoch >= was.epoch
            changed = (todo.owner, todo.execution) != (was.owner, was.execution)
            assert not (todo.owner and changed) or todo.epoch > was.epoch
        on_it = [t for t in live if t.todo == todo.ref]
        assert len(on_it) <= 1, on_it
    for entry in state.entries.values():
        booked = state.turns[entry.turn].status
        assert (entry.status == "reserved") == (booked == "live"), entry


def closing(world: World, state: State, todo: Todo) -> None:
    """2: done means evidence and a continuation, or a person's word."""
    if todo.status != "done":
        return
    by_person = todo.override_note or todo.kind == "user_action"
    proven = any(todo.ref in item.supports for item in state.evidence.values())
    assert by_person or proven, todo
    reviewed = any(
        change.kind == "todo.accepted" or state.turns[change.subject].reason == "review_ready"
        for change in world.changes
        if change.kind in ("todo.accepted", "turn.finished") and ("todo", todo.ref) in change.rows
    )
    assert by_person or reviewed or todo.successors or todo.rationale, todo


def successions(state: State) -> None:
    """3: no cycles, no lost or doubled successor."""
    for todo in state.todos.values():
        for heirs in (todo.successors, todo.superseded_by):
            assert len({*heirs}) == len(heirs)
            assert {*heirs} <= state.todos.keys()
    edges = {ref: [*_needs(todo)] for ref, todo in state.todos.items()}
    assert not any(cyclic(edges, ref) for ref in edges)
    onward = {ref: [*todo.successors, *todo.superseded_by] for ref, todo in state.todos.items()}
    assert not any(cyclic(onward, ref) for ref in onward)


def cyclic(edges: dict[str, list[str]], start: str) -> bool:
    seen: set[str] = set()
    waiting = [*edges[start]]
    while waiting:
        ref = waiting.pop()
        if ref == start:
            return True
        if ref not in seen:
            seen.add(ref)
            waiting += edges[ref]
    return False


def within_quota(state: State, name: str, world: World) -> None:
    """4: called where a reservation was just made."""
    for policy in quota.policies_for(state, name):
        use = quota.usage(state, policy, world.moment)
        assert use.spent + use.reserved <= use.allowed, (policy, use)


def answers(state: State, before: State) -> None:
    """6: an answer in effect is a person's or a declared default, and never changes."""
    for item in state.gates.values():
        if item.status in ("chosen", "rejected"):
            by_default = item.answered_by == "default" and item.default_option == item.option
            assert item.answered_by.startswith("person:") or by_default, item
            assert not by_default or item.kind in ("direction", "resource")
        was = before.gates.get(item.ref)
        if was and was.status in SETTLED:
            assert item == was or item.received_by != was.received_by
            said = ("status", "outcome", "option", "answer_text", "answered_by", "answered_at")
            assert all(getattr(item, name) == getattr(was, name) for name in said)
    closing_questions = [g for g in unsettled(state) if g.purpose == "closure"]
    assert len(closing_questions) <= 1


def decisions(world: World, state: State, name: str, key: str) -> None:
    """9: exactly one decision; a yes is taken at once; a question shown becomes waiting."""
    by = execution(name, key)
    decision = decide(state, Ask(by), world.moment)
    assert [step.result for step in decision.trace].count("decided") == 1
    tags = tuple(question.tag for question in decision.verdict.questions)
    shown = decide(state, Ask(by, shown=tags), world.moment)
    assert shown.digest == decision.digest
    assert decision.outcome != "ask" or not tags or shown.outcome == "wait"
    if decision.may_begin:
        draft = Draft(state, now=world.moment, actor=agent(name))
        begun, _ = turn.begin_turn(draft, Ask(by), turn_id="trial", lease_seconds=900)
        assert draft.state.turns[begun.id].status == "live"
        if decision.reason != "resume_turn":
            within_quota(draft.state, name, world)
            again = decide(draft.state, Ask(by), world.moment)
            assert again.verdict.turn == begun or again.reason in ("gate_open",), again
    elif decision.outcome in ("wait", "quiet") and not decision.verdict.stop:
        # Ended by an instant, or by something that is named: work, a peer, a person.
        assert decision.wake_at or NAMES.search(decision.verdict.explanation), decision


NAMES = re.compile(r"[TG][0-9]|person|agent|peer|third|slots of|watches|reported a limit")


def answerable(world: World, state: State, ref: str) -> None:
    """9: every open question can be answered by a person."""
    item = state.gates[ref]
    if item.status == "provisional" or state.goal.status not in ("active", "paused"):
        return
    draft = Draft(state, now=world.moment, actor=person("second"))
    option = item.options[0]["key"] if item.options else ""
    gate.answer_gate(
        draft, ref, outcome="chosen", option=option, words="Go.", revision=item.revision
    )
    assert draft.state.gates[ref].status == "provisional"
