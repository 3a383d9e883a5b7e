"""Random walks over the pure kernel: agents, people, clocks, repeats and late writebacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kanban.kernel import claim, completion, evidence, gate, goal, rank, review, todo, turn
from kanban.kernel.actor import Actor, agent, person
from kanban.kernel.errors import CODES, LoopxError
from kanban.kernel.execution import Execution, execution
from kanban.kernel.replay import differences, replay, verify_chain
from kanban.kernel.state import Turn
from tests.kanban.kernel.build import (
    AGENT,
    NOTE,
    OUTSIDER,
    OWNER,
    PEER,
    PROOF,
    YES_NO,
    World,
    events_of,
)
from tests.kanban.kernel.invariants import check, within_quota

T = TypeVar("T")
THIRD = agent("third")
PICK = st.integers(0, 50)
AGENTS = st.sampled_from([AGENT, PEER, THIRD])
ANYBODY = st.sampled_from([AGENT, PEER, THIRD, OWNER, OWNER, OUTSIDER])
PEOPLE = st.sampled_from([OWNER, OWNER, OWNER, AGENT, person("second")])
KEYS = st.sampled_from(["", "b"])
SCOPES = st.sampled_from([(), ("src",), ("src/app",), ("docs/**",), ("infra",)])
DECIDED = st.sampled_from([(), (), ("publish:x",), ("risk:y",)])
TOKENS = st.integers(0, 60)
NOTES = st.sampled_from(["", "I did it."])
LEASES = st.sampled_from([None, 30, 900])
RESULTS = st.sampled_from(turn.RESULTS)
OUTCOMES = st.sampled_from(["", "surface_only", "outcome_progress"])
SPANS = st.sampled_from([1, 10, 20, 61, 900, 3600, 2 * 3600, 25 * 3600, 8 * 24 * 3600])
QUESTION = {"question": "Shall we publish version 2 now?", "options": YES_NO, "free_text": True}


def pick(items: Iterable[T], number: int) -> T | None:
    found = list(items)
    return found[number % len(found)] if found else None


class Walk(RuleBasedStateMachine):
    """One goal; every act may be refused, by a code of the contract and without a trace."""

    def __init__(self) -> None:
        super().__init__()
        self.world = self.make_world()
        self.before = self.world.settled
        self.old_turns: list[Turn] = []

    def make_world(self) -> World:
        return World(members=["agent", "peer", "third"])

    def act(self, actor: Actor, work: Callable[..., Any], *args: Any, **given: Any) -> Any:
        self.before = self.world.settled
        unchanged = self.world.state
        try:
            done = self.world.do(actor, work, *args, **given)
        except LoopxError as refusal:
            assert refusal.code in CODES, refusal
            assert self.world.state is unchanged
            return None
        writes = self.world.state.goal.version > unchanged.goal.version
        assert actor is not OUTSIDER or not writes or self.world.state == self.before
        return done

    def ref(self, number: int) -> str:
        return pick(self.world.state.todos, number) or "T9"

    def hand(self, actor: Actor, ref: str, key: str, stale: bool = False) -> dict[str, Any]:
        held = self.world.state.todos.get(ref)
        epoch = held.epoch - stale if held else 0
        by = execution(actor.name, key) if actor.is_agent else None
        return {"by": by, "epoch": epoch}

    @initialize(
        scopes=st.lists(SCOPES, min_size=3, max_size=3),
        decided=st.lists(DECIDED, min_size=3, max_size=3),
    )
    def begin_with_work(
        self, scopes: list[tuple[str, ...]], decided: list[tuple[str, ...]]
    ) -> None:
        for write, judged in zip(scopes, decided, strict=True):
            self.world.add(required_write_scopes=write, decision_scopes=judged)

    # Time.

    @rule(seconds=SPANS)
    def pass_time(self, seconds: int) -> None:
        self.before = self.world.settled
        self.world.pass_time(seconds=seconds)

    @rule(seconds=SPANS)
    def clock_runs_back(self, seconds: int) -> None:
        self.world.now -= timedelta(seconds=seconds)
        # What was written stays written; what was only read may be read differently.
        self.before = self.world.settled

    @rule()
    def settle(self) -> None:
        self.before = self.world.settled
        self.world.do(OWNER, lambda draft: None)
        assert self.world.state == self.before

    # Work.

    @rule(
        actor=ANYBODY,
        priority=st.integers(0, 3),
        scopes=SCOPES,
        decided=DECIDED,
        needs=st.lists(PICK, max_size=2),
        bound=st.sampled_from(["", "", "peer"]),
        kind=st.sampled_from(["advancement"] * 4 + ["user_action", "monitor"]),
        later=st.booleans(),
    )
    def add(
        self,
        actor: Actor,
        priority: int,
        scopes: tuple[str, ...],
        decided: tuple[str, ...],
        needs: list[int],
        bound: str,
        kind: str,
        later: bool,
    ) -> None:
        if len(self.world.state.todos) >= 12:
            return
        given: dict[str, Any] = {
            "title": "Do it",
            "kind": kind,
            "priority": priority,
            "required_write_scopes": scopes,
            "decision_scopes": decided,
            "depends_on": [ref for n in needs if (ref := pick(self.world.state.todos, n))],
            "bound_agent": bound,
        }
        if kind == "monitor":
            given["monitor"] = {"target": "the queue", "cadence_seconds": 600}
        elif later:
            at = self.world.now + timedelta(hours=1)
            given["resume_when"] = {"type": "time", "at": at}
        self.act(actor, todo.add_todo, given)

    @rule(
        actor=ANYBODY, number=PICK, key=KEYS, lease=st.sampled_from([None, 30, 900]), scopes=SCOPES
    )
    def claim(
        self, actor: Actor, number: int, key: str, lease: int | None, scopes: tuple[str, ...]
    ) -> None:
        by = execution(actor.name, key)
        given = {"lease_seconds": lease, "write_scopes": scopes}
        self.act(actor, claim.claim_todo, self.ref(number), by, **given)

    @rule(who=AGENTS, key=KEYS, number=st.none() | PICK, slots=st.sampled_from([1, 1, 2]))
    def begin(self, who: Actor, key: str, number: int | None, slots: int) -> None:
        self.before = self.world.settled
        wanted = "" if number is None else self.ref(number)
        with suppress(LoopxError):
            begun = self.world.begin(who, key, todo=wanted, slots=slots)
            if begun.id not in self.before.turns:
                within_quota(self.world.state, who.name, self.world)
            self.old_turns.append(begun)

    @precondition(lambda self: self.old_turns)
    @rule(number=PICK, result=RESULTS, outcome=OUTCOMES, tokens=TOKENS, form=PICK)
    def finish(self, number: int, result: str, outcome: str, tokens: int, form: int) -> None:
        """Any turn that ever began, so most of them late."""
        begun = pick(self.old_turns, number)
        assert begun
        gated = QUESTION | {"blocks": {"todos": [begun.todo] if begun.todo else []}}
        forms: list[dict[str, Any]] = [
            {"type": "none", "rationale": "Nothing follows."},
            {"type": "successors", "todos": [{"title": "Next"}]},
            {"type": "successors", "todos": [{"ref": self.ref(number)}]},
            {"type": "handoff", "to": {"agent": "peer"}, "next_step": "Go on"},
            {"type": "gate", "gate": QUESTION},
        ]
        body = {
            "result": result,
            "outcome": outcome,
            "summary": "So it went.",
            "evidence": [PROOF],
            "continuation": pick(forms, form),
            "block": {"until": {"type": "manual"}},
            "gates": [gated] if result == "asked" else [],
            "usage": {"tokens_in": tokens},
        }
        by = Execution(begun.agent, begun.execution)
        done = self.act(agent(begun.agent), turn.finish_turn, begun.id, by, body, epoch=begun.epoch)
        live = self.before.turns[begun.id].status == "live" if begun.id in self.before.turns else 0
        assert done is None or live, "a dead turn wrote back"

    @rule(who=AGENTS, key=KEYS, result=RESULTS, outcome=OUTCOMES, tokens=TOKENS, form=PICK)
    def work(self, who: Actor, key: str, result: str, outcome: str, tokens: int, form: int) -> None:
        """A whole turn, which random beginnings and endings seldom make."""
        started = len(self.old_turns)
        self.begin(who, key, None, 1)
        if len(self.old_turns) > started:
            self.finish(started, result, outcome, tokens, form)

    @precondition(lambda self: self.old_turns)
    @rule(number=PICK, seconds=st.sampled_from([30, 900, 3600]))
    def renew(self, number: int, seconds: int) -> None:
        begun = pick(self.old_turns, number)
        assert begun
        by = Execution(begun.agent, begun.execution)
        self.act(agent(begun.agent), turn.renew_turn, begun.id, by, lease_seconds=seconds)

    @rule(
        actor=ANYBODY,
        number=PICK,
        key=KEYS,
        stale=st.booleans(),
        note=st.sampled_from(["", "I did."]),
    )
    def complete(self, actor: Actor, number: int, key: str, stale: bool, note: str) -> None:
        ref = self.ref(number)
        hand = self.hand(actor, ref, key, stale)
        done: dict[str, Any] = {
            "evidence": [NOTE],
            "continuation": {"type": "none", "rationale": "x"},
        }
        held = self.world.settled.todos.get(ref)
        self.act(actor, completion.complete_todo, ref, **done, **hand, override_note=note)
        left = self.world.state.todos.get(ref)
        if actor.is_agent and held and left and left.status == "done" != held.status:
            # 8: only the holder, under its present epoch and execution.
            assert (held.owner, held.epoch) == (actor.name, hand["epoch"])
            assert held.execution in ("", hand["by"].mark)

    @rule(
        actor=ANYBODY,
        number=PICK,
        other=PICK,
        key=KEYS,
        what=st.sampled_from(
            "release block_time block_gate block_person block_todo unblock defer resume submit "
            "accept return supersede drop reopen reassign place update".split()
        ),
    )
    def operate(self, actor: Actor, number: int, other: int, key: str, what: str) -> None:
        ref, second = self.ref(number), self.ref(other)
        hand = self.hand(actor, ref, key)
        why = {"reason": "So it is."}
        later = {"type": "time", "at": self.world.now + timedelta(hours=1)}
        asked = pick(self.world.state.gates, other) or "G9"
        blocks: dict[str, dict[str, Any]] = {
            "block_time": {"until": later},
            "block_gate": {"gate": asked},
            "block_person": {"person": "the owner"},
            "block_todo": {"until": {"type": "todo_done", "ref": second}},
        }
        work: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
            "release": (claim.release_todo, (ref, hand["by"], hand["epoch"]), why),
            "unblock": (todo.unblock_todo, (ref,), {}),
            "defer": (todo.defer_todo, (ref,), {"resume_when": later} | hand),
            "resume": (todo.resume_todo, (ref,), {}),
            "submit": (review.submit_todo, (ref,), {"evidence": [NOTE]} | hand),
            "accept": (review.accept_todo, (ref,), {}),
            "return": (review.return_todo, (ref,), why),
            "supersede": (todo.supersede_todo, (ref,), {"successors": [second]} | why | hand),
            "drop": (todo.drop_todo, (ref,), why | hand),
            "reopen": (todo.reopen_todo, (ref,), why),
            "reassign": (claim.reassign_todo, (ref, "third"), why | hand),
            "place": (rank.place_todo, (ref,), {"before": second}),
            "update": (
                todo.update_todo,
                (ref, {"depends_on": [second], "decision_scopes": ["risk:y"]}, *hand.values()),
                {},
            ),
        }
        if what in blocks:
            self.act(actor, todo.block_todo, ref, blocked_on=blocks[what], **why, **hand)
        else:
            rule_, args, given = work[what]
            self.act(actor, rule_, *args, **given)

    # Questions.

    @rule(
        actor=ANYBODY,
        number=PICK,
        covers=st.sampled_from(["todo", "todo", "goal", "agent", "nothing"]),
        scope=st.sampled_from(["", "publish:x", "risk:y"]),
        ends=st.sampled_from(["", "", "expiry", "default"]),
        on_reject=st.sampled_from(["block", "drop"]),
    )
    def ask(
        self, actor: Actor, number: int, covers: str, scope: str, ends: str, on_reject: str
    ) -> None:
        if len(self.world.state.gates) >= 10:
            return
        given = QUESTION | {"decision_scope": scope, "on_reject": on_reject, "kind": "direction"}
        name = actor.name if actor.is_agent else "peer"
        blocks = {"todo": {"todos": [self.ref(number)]}, "goal": {"goal": True}}
        given["blocks"] = blocks.get(covers, {"agent": name} if covers == "agent" else {})
        if ends:
            given["expire_at"] = self.world.now + timedelta(hours=25)
        if ends == "default":
            given["default_option"] = "no"
        self.act(actor, gate.ask_gate, given)

    @precondition(lambda self: self.world.state.gates)
    @rule(
        actor=PEOPLE,
        number=PICK,
        outcome=st.sampled_from(["chosen", "chosen", "rejected", "needs_info"]),
        undo=st.sampled_from([0, 20]),
        old=st.sampled_from([0, 0, 0, 1]),
    )
    def answer(self, actor: Actor, number: int, outcome: str, undo: int, old: int) -> None:
        ref = pick(self.world.state.gates, number) or "G9"
        asked = self.world.state.gates.get(ref)
        option = asked.options[0]["key"] if asked and outcome == "chosen" else ""
        self.act(
            actor,
            gate.answer_gate,
            ref,
            outcome=outcome,
            option=option,
            words="Because.",
            undo_seconds=undo,
            revision=max(1, asked.revision - old) if asked else 1,
        )
        if actor.is_agent and asked:
            assert self.world.state.gates[ref].answered_by == asked.answered_by

    @precondition(lambda self: self.world.state.gates)
    @rule(
        actor=st.one_of(PEOPLE, ANYBODY),
        number=PICK,
        what=st.sampled_from("undo send withdraw revise narrow received".split()),
    )
    def treat(self, actor: Actor, number: int, what: str) -> None:
        ref = pick(self.world.state.gates, number) or "G9"
        work: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
            "undo": (gate.undo_answer, (ref,), {}),
            "send": (gate.send_now, (ref,), {}),
            "withdraw": (gate.withdraw_gate, (ref,), {"reason": "Moot."}),
            "revise": (gate.revise_gate, (ref, {"question": "Publish version 3 instead?"}), {}),
            "narrow": (gate.revise_gate, (ref, {"blocks": {}}), {}),
        }
        if what == "received":
            if actor.is_agent and actor is not OUTSIDER:
                self.act(actor, gate.receive_answer, ref, actor.name)
            return
        rule_, args, given = work[what]
        self.act(actor, rule_, *args, **given)

    # Evidence and the goal.

    @precondition(lambda self: len(self.world.state.evidence) < 20)
    @rule(
        who=AGENTS,
        verdict=st.sampled_from(["supports", "supports", "contradicts"]),
        seconds=st.sampled_from([None, 600]),
        number=PICK,
    )
    def prove(self, who: Actor, verdict: str, seconds: int | None, number: int) -> None:
        supports = ["A1", *([self.ref(number)] if self.world.state.todos else [])]
        given = PROOF | {"verdict": verdict, "valid_seconds": seconds, "supports": supports}
        self.act(who, evidence.add_evidence, given)

    @precondition(lambda self: self.world.state.evidence)
    @rule(who=AGENTS, number=PICK)
    def invalidate(self, who: Actor, number: int) -> None:
        ref = pick(self.world.state.evidence, number) or "E9"
        self.act(who, evidence.invalidate_evidence, ref, reason="It was wrong.")

    @rule(
        actor=ANYBODY,
        what=st.sampled_from(
            "pause resume resume slots tokens share_off share_on mode_pause mode_active watch "
            "delegate remove enrol criterion objective".split()
        ),
    )
    def govern(self, actor: Actor, what: str) -> None:
        policy, member = goal.set_policy, goal.change_member
        work: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
            "pause": (goal.pause_goal, ()),
            "resume": (goal.resume_goal, ()),
            "slots": (policy, ("", {"slots": 3})),
            "tokens": (policy, ("agent", {"token_budget": 100})),
            "share_off": (policy, ("peer", {"share": 0.0})),
            "share_on": (policy, ("peer", {"share": 1.0})),
            "mode_pause": (member, ("agent", {"work_mode": "paused"})),
            "mode_active": (member, ("agent", {"work_mode": "active"})),
            "watch": (member, ("third", {"work_mode": "monitor_only"})),
            "delegate": (member, ("peer", {"delegated": goal.DELEGABLE})),
            "remove": (goal.remove_member, ("third",)),
            "enrol": (goal.register_member, (self.world.state.members["third"],)),
            "criterion": (goal.update_criterion, ("A1", {"text": f"It works, {self.world.now}"})),
            "objective": (goal.update_goal, ({"write_scope": ["src", "docs", "infra"]},)),
        }
        rule_, args = work[what]
        self.act(actor, rule_, *args)

    @invariant()
    def holds(self) -> None:
        check(self.world, self.before)

    def teardown(self) -> None:
        events = events_of(self.world)
        head = events[-1].hash
        assert verify_chain(events, version=self.world.state.goal.version, head=head) is None
        assert differences(replay("apollo", events), self.world.state) == []
