"""A goal in memory and a clock of its own: every act runs as the store would run it."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Concatenate, ParamSpec, TypeVar

import pytest

from kanban.kernel import claim, evidence, gate, goal, todo, turn
from kanban.kernel.actor import Actor, agent, person
from kanban.kernel.codec import encode_rows
from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask, Decision
from kanban.kernel.draft import Draft
from kanban.kernel.errors import LoopxError
from kanban.kernel.event import GENESIS, Event, event_hash
from kanban.kernel.execution import Execution, execution
from kanban.kernel.settle import settle, settle_draft
from kanban.kernel.state import Change, Gate, Member, State, Todo, Turn

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
OWNER = person("owner")
AGENT, PEER, OUTSIDER = agent("agent"), agent("peer"), agent("outsider")
PROOF: dict[str, Any] = {"kind": "test", "summary": "The run passed.", "supports": ["A1"]}
NOTE: dict[str, Any] = {"kind": "note", "summary": "What was found."}
NOTHING_MORE: dict[str, Any] = {"type": "none", "rationale": "Nothing follows."}
YES_NO = [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}]

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def refused(code: str) -> Iterator[pytest.ExceptionInfo[LoopxError]]:
    """The block is refused with this code, and says what to do about it."""
    with pytest.raises(LoopxError) as caught:
        yield caught
    assert caught.value.code == code, caught.value
    assert caught.value.detail


class World:
    """One goal with members; `do` is one transition, `pass_time` moves the clock only."""

    slug = "apollo"

    def __init__(
        self,
        *,
        members: Iterable[str] = ("agent", "peer"),
        write_scope: Iterable[str] = ("src", "docs"),
        acceptance: Iterable[str] = ("It works",),
        now: datetime = NOW,
    ) -> None:
        self.now = now
        self.state = State.empty(self.slug)
        self.changes: list[Change] = []
        self._turns = itertools.count(1)
        given = {
            "title": "Apollo",
            "objective": "Reach the moon",
            "acceptance": list(acceptance),
            "write_scope": list(write_scope),
        }
        self.do(OWNER, goal.create_goal, given)
        for name in members:
            self.do(OWNER, goal.enrol, Member(agent=name))

    def do(
        self,
        actor: Actor,
        rule: Callable[Concatenate[Draft, P], R],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Runs a rule as one transition: all of it is kept, or nothing."""
        draft = Draft(self.state, now=self.moment, actor=actor)
        settle_draft(draft)
        result = rule(draft, *args, **kwargs)
        settle_draft(draft)
        self.state = draft.state
        self.changes += draft.changes
        return result

    @property
    def moment(self) -> datetime:
        return max(self.now, self.state.goal.updated_at or self.now)

    def pass_time(self, **span: float) -> None:
        self.now += timedelta(**span)

    @property
    def settled(self) -> State:
        """The state as every reader sees it now."""
        return settle(self.state, self.moment)[0]

    def decide(self, who: Actor = AGENT, key: str = "", **ask: Any) -> Decision:
        return decide(self.settled, Ask(execution(who.name, key), **ask), self.moment)

    def reason(self, who: Actor = AGENT, key: str = "", **ask: Any) -> str:
        decision = self.decide(who, key, **ask)
        return f"{decision.outcome} {decision.reason}"

    def todo(self, ref: str) -> Todo:
        return self.settled.todos[ref]

    def gate(self, ref: str) -> Gate:
        return self.settled.gates[ref]

    def turn(self, turn_id: str) -> Turn:
        return self.settled.turns[turn_id]

    def set(self, **fields: Any) -> None:
        """Puts the goal's row into a state that only other rules could lead to."""
        self.state = replace(self.state, goal=replace(self.state.goal, **fields))

    # Acts, with what tests seldom care about filled in.

    def add(self, title: str = "Do the next thing", *, actor: Actor = OWNER, **fields: Any) -> str:
        return self.do(actor, todo.add_todo, {"title": title, **fields})

    def monitor(self, **fields: Any) -> str:
        watch = {"target": "the queue", "cadence_seconds": 3600} | fields
        return self.add("Watch the queue", kind="monitor", monitor=watch)

    def claim(self, ref: str, who: Actor = AGENT, key: str = "", **given: Any) -> Todo:
        self.do(who, claim.claim_todo, ref, execution(who.name, key), **given)
        return self.todo(ref)

    def begin(
        self, who: Actor = AGENT, key: str = "", *, lease_seconds: int = 900, **ask: Any
    ) -> Turn:
        begun, _ = self.do(
            who,
            turn.begin_turn,
            Ask(execution(who.name, key), **ask),
            turn_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.slug} {next(self._turns)}")),
            lease_seconds=lease_seconds,
        )
        return begun

    def finish(self, begun: Turn, result: str, *, key: str = "", **given: Any) -> Turn:
        """Ends a turn with what its result needs, as its own execution unless `key` differs."""
        needs: dict[str, dict[str, Any]] = {
            "completed": {"evidence": [PROOF], "continuation": NOTHING_MORE},
            "progress": {"evidence": [NOTE], "summary": "A step further."},
            "no_change": {"summary": "Nothing new."},
            "failed": {"summary": "It broke."},
        }
        body = {"result": result} | needs.get(result, {}) | given
        by = Execution(begun.agent, execution(begun.agent, key).mark)
        return self.do(agent(begun.agent), turn.finish_turn, begun.id, by, body, epoch=begun.epoch)

    def work(self, result: str = "completed", who: Actor = AGENT, **given: Any) -> Turn:
        """A whole turn on whatever is next."""
        return self.finish(self.begin(who), result, **given)

    def ask(self, actor: Actor = AGENT, **given: Any) -> str:
        asked = {"question": "Shall we publish version 2 now?", "options": YES_NO} | given
        return self.do(actor, gate.ask_gate, asked)

    def answer(
        self, ref: str, option: str = "yes", *, outcome: str = "chosen", **given: Any
    ) -> None:
        """A person's answer that is in effect at once, unless `undo_seconds` says otherwise."""
        settings = {"undo_seconds": 0, "revision": self.state.gates[ref].revision} | given
        option = "" if outcome == "needs_info" else option
        self.do(OWNER, gate.answer_gate, ref, outcome=outcome, option=option, **settings)

    def send_back(self, ref: str, words: str = "Which version exactly?") -> None:
        self.answer(ref, outcome="needs_info", words=words)

    def prove(self, **given: Any) -> str:
        return self.do(AGENT, evidence.add_evidence, PROOF | given)


def events_of(world: World) -> list[Event]:
    """The world's changes as the log would hold them."""
    grains = itertools.count()
    events: list[Event] = []
    head = GENESIS
    for version, change in enumerate(world.changes, start=1):
        data, texts = encode_rows(change.rows, lambda: f"{next(grains):032x}")
        fields: dict[str, Any] = {
            "goal": world.state.goal.slug,
            "version": version,
            "kind": change.kind,
            "actor": change.actor,
            "subject": change.subject,
            "data": data,
            "at": change.at,
            "request_id": "",
            "prev_hash": head,
        }
        head = event_hash(**fields)
        events.append(Event(**fields, texts=texts, hash=head))
    return events
