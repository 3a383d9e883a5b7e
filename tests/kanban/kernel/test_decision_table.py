"""The decision table: every row that is built, each as the smallest world that leads to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from kanban.kernel import goal, review, todo
from kanban.kernel.decide import decide
from kanban.kernel.decision import Ask, Decision, fold
from kanban.kernel.execution import execution
from kanban.kernel.rules import RULES
from kanban.kernel.turn import NotNow
from tests.kanban.kernel.build import AGENT, NOTE, OWNER, PEER, World

Given = dict[str, Any]
Case = Callable[[], tuple[World, Given]]
ROWS: list[tuple[str, int, str, Case]] = []


def row(name: str, rule: int, expected: str) -> Callable[[Case], Case]:
    """Adds a row: the number of the rule that decides, and what it says."""

    def add(case: Case) -> Case:
        ROWS.append((name, rule, expected, case))
        return case

    return add


def change(world: World, **given: object) -> None:
    world.do(OWNER, goal.change_member, "agent", dict(given))


def policy(world: World, agent: str = "", **given: object) -> None:
    world.do(OWNER, goal.set_policy, agent, dict(given))


def gated(world: World, **blocks: object) -> str:
    return world.ask(blocks=blocks)


@row("paused goal", 1, "quiet goal_paused")
def _() -> tuple[World, Given]:
    world = World()
    world.do(OWNER, goal.pause_goal)
    return world, {}


@row("stopped goal", 1, "quiet goal_stopped")
def _() -> tuple[World, Given]:
    world = World()
    world.do(OWNER, goal.stop_goal, reason="Enough.")
    return world, {}


@row("achieved goal", 1, "quiet goal_closed")
def _() -> tuple[World, Given]:
    world = World()
    world.do(OWNER, goal.close_goal, outcome="achieved", reason="Done.")
    return world, {}


@row("abandoned goal", 1, "quiet goal_closed")
def _() -> tuple[World, Given]:
    world = World()
    world.do(OWNER, goal.close_goal, outcome="abandoned", reason="No use.")
    return world, {}


@row("paused agent", 2, "quiet agent_paused")
def _() -> tuple[World, Given]:
    world = World()
    change(world, work_mode="paused")
    return world, {}


@row("provider limit until an instant", 2, "quiet agent_limited")
def _() -> tuple[World, Given]:
    world = World()
    change(world, limited_until=world.now + timedelta(hours=1))
    return world, {}


@row("provider limit without an end", 2, "quiet agent_limited")
def _() -> tuple[World, Given]:
    world = World()
    change(world, limit_unknown=True)
    return world, {}


@row("outside active hours", 2, "quiet outside_active_hours")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, active_hours={"mon": [["10:00", "18:00"]]})
    return world, {}


@row("unsound records", 3, "wait health_blocked")
def _() -> tuple[World, Given]:
    world = World()
    world.state = replace(world.state, findings=("T1 claims a lease without a deadline",))
    return world, {}


@row("a question covers the goal", 4, "ask gate_open")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    gated(world, goal=True)
    return world, {}


@row("a question covers this agent", 4, "ask gate_open")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    gated(world, agent="agent")
    return world, {}


@row("a question covers all it could do", 4, "ask gate_open")
def _() -> tuple[World, Given]:
    world = World()
    gated(world, todos=[world.add()])
    return world, {}


@row("a question grants the scope that all it could do needs", 4, "ask gate_open")
def _() -> tuple[World, Given]:
    world = World()
    ref = world.add(decision_scopes=["publish:x"])
    world.ask(kind="publish", decision_scope="publish:x", blocks={"todos": [ref]})
    return world, {}


@row("a question covers the live turn's todo", 4, "ask gate_open")
def _() -> tuple[World, Given]:
    world = World()
    ref = world.add()
    world.add("Something else")
    world.begin(todo=ref)
    gated(world, todos=[ref])
    return world, {}


@row("a provisional answer still blocks", 4, "ask gate_open")
def _() -> tuple[World, Given]:
    world = World()
    ref = gated(world, todos=[world.add()])
    world.answer(ref, undo_seconds=20)
    return world, {}


@row("all shown", 4, "wait awaiting_answer")
def _() -> tuple[World, Given]:
    world = World()
    gated(world, todos=[world.add()])
    return world, {"shown": ("G1@1.1",)}


@row("a live turn", 5, "deliver resume_turn")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    world.begin()
    return world, {}


@row("a live repair turn", 5, "deliver resume_turn")
def _() -> tuple[World, Given]:
    world = World()
    world.begin()
    return world, {}


@row("share 0", 6, "quiet quota_paused")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, share=0)
    world.add()
    return world, {}


@row("no slot left", 6, "quiet quota_exhausted")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, slots=1)
    world.add()
    world.work("progress")
    return world, {}


@row("more slots asked for than are allowed", 6, "quiet quota_exhausted")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, slots=1)
    world.add()
    return world, {"slots": 2}


@row("no slot left of the agent's own", 6, "quiet quota_exhausted")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, "agent", slots=1)
    world.add()
    world.work("progress")
    return world, {}


@row("token budget spent", 6, "quiet token_budget_exhausted")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, token_budget=100)
    world.add()
    world.work("progress", usage={"tokens_in": 60, "tokens_out": 40})
    return world, {}


@row("money budget spent", 6, "quiet cost_budget_exhausted")
def _() -> tuple[World, Given]:
    world = World()
    policy(world, cost_budget_micros=1_000_000)
    world.add()
    world.work("progress", usage={"cost_usd": 1})
    return world, {}


@row("its question was sent back", 7, "self_repair needs_info")
def _() -> tuple[World, Given]:
    world = World()
    ref = gated(world, todos=[world.add()])
    world.send_back(ref)
    return world, {}


@row("three turns without progress", 7, "self_repair stalled")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    for result in ("failed", "no_change", "failed"):
        world.work(result)
    return world, {}


@row("three turns with surface work only", 7, "self_repair surface_streak")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    for _turn in range(3):
        world.work("progress", outcome="surface_only")
    return world, {}


@row("a due monitor", 8, "deliver monitor_due")
def _() -> tuple[World, Given]:
    world = World()
    world.monitor()
    world.add()
    return world, {}


@row("two unchanged polls give work the way", 9, "deliver work_ready")
def _() -> tuple[World, Given]:
    world = World()
    for target in ("the queue", "the mail", "the logs"):
        world.monitor(target=target)
    for _turn in range(2):
        world.work("no_change")
    world.add()
    return world, {}


@row("a runnable todo", 9, "deliver work_ready")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    return world, {}


@row("another author's work in review", 9, "deliver review_ready")
def _() -> tuple[World, Given]:
    world = World()
    submitted(world, world.add(), PEER)
    return world, {}


@row("nobody asked for a decision it needs", 10, "self_repair decision_gap")
def _() -> tuple[World, Given]:
    world = World()
    world.add(decision_scopes=["publish:x"])
    return world, {}


@row("all closed, a criterion unmet", 10, "self_repair acceptance_gap")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    world.work(evidence=[NOTE])
    return world, {}


@row("a person's todo", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    world.add("Sign the contract", kind="user_action", waits_for="the owner")
    return world, {}


@row("a person's todo, shown", 11, "wait awaiting_person")
def _() -> tuple[World, Given]:
    world = World()
    ref = world.add("Sign the contract", kind="user_action")
    return world, {"shown": (f"{ref}@{world.todo(ref).version}",)}


@row("a todo blocked on a person", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    ref = world.add()
    world.do(OWNER, todo.block_todo, ref, blocked_on={"person": "the owner"}, reason="Ask her.")
    return world, {}


@row("a todo whose question was rejected", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    world.answer(gated(world, todos=[world.add()]), outcome="rejected")
    return world, {}


@row("the closing question", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    world.work()
    return world, {}


@row("work that no member may take", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    world.add(required_capabilities=["gpu"])
    return world, {}


@row("work outside the goal's write scope", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    world.add(required_write_scopes=["infra"])
    return world, {}


@row("work that waits for something dropped", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World()
    first = world.add()
    world.add("After it", depends_on=[first])
    world.do(OWNER, todo.drop_todo, first, reason="No use.")
    return world, {}


@row("a review that nobody else can do", 11, "ask person_needed")
def _() -> tuple[World, Given]:
    world = World(members=["agent"])
    submitted(world, world.add(), AGENT)
    return world, {}


@row("a peer works", 11, "wait peer_owns_work")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    world.begin(PEER)
    return world, {}


@row("a peer has claimed softly", 11, "wait peer_owns_work")
def _() -> tuple[World, Given]:
    world = World()
    world.claim(world.add(), PEER)
    return world, {}


@row("a peer will review", 11, "wait peer_owns_work")
def _() -> tuple[World, Given]:
    world = World()
    submitted(world, world.add(), AGENT)
    return world, {}


@row("a peer repairs the gap", 11, "wait peer_repairs")
def _() -> tuple[World, Given]:
    world = World()
    world.begin(PEER)
    return world, {}


@row("a peer rewords the question that covers the goal", 11, "wait peer_repairs")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    world.send_back(gated(world, goal=True))
    world.begin(PEER)
    return world, {}


@row("a peer writes where this would", 11, "wait scope_busy")
def _() -> tuple[World, Given]:
    world = World()
    held = world.add(required_write_scopes=["src"], bound_agent="peer")
    world.begin(PEER)
    world.add("There too", required_write_scopes=["src/app"], bound_agent="agent")
    world.do(OWNER, todo.update_todo, held, {"bound_agent": ""}, None, None)
    return world, {"todo": "T2"}


@row("it waits for other work", 11, "wait dependency")
def _() -> tuple[World, Given]:
    world = World()
    first = world.add(bound_agent="peer")
    world.add("After it", depends_on=[first])
    return world, {}


@row("a deferred todo", 11, "wait not_due")
def _() -> tuple[World, Given]:
    world = World()
    later = world.now + timedelta(hours=3)
    world.add(resume_when={"type": "time", "at": later})
    return world, {}


@row("a monitor that is not due", 11, "wait not_due")
def _() -> tuple[World, Given]:
    world = World()
    world.monitor()
    world.work("no_change")
    return world, {}


@row("only a peer has the capability", 11, "wait no_capability")
def _() -> tuple[World, Given]:
    world = World()
    world.do(OWNER, goal.change_member, "peer", {"capabilities": ("gpu",)})
    world.add(required_capabilities=["gpu"])
    return world, {}


@row("an agent that only watches", 11, "wait monitor_only")
def _() -> tuple[World, Given]:
    world = World()
    world.add()
    change(world, work_mode="monitor_only")
    return world, {}


def submitted(world: World, ref: str, who: object) -> None:
    author = AGENT if who is AGENT else PEER
    owned = world.claim(ref, author)
    by = execution(author.name)
    world.do(author, review.submit_todo, ref, evidence=[NOTE], by=by, epoch=owned.epoch)


def at(case: Case) -> tuple[World, Decision]:
    world, ask = case()
    return world, world.decide(**ask)


named = pytest.mark.parametrize(
    ("rule", "expected", "case"),
    [pytest.param(rule, expected, case, id=name) for name, rule, expected, case in ROWS],
)


@named
def test_each_row_decides_as_the_table_says(rule: int, expected: str, case: Case) -> None:
    _, decision = at(case)
    assert f"{decision.outcome} {decision.reason}" == expected, decision.verdict
    decided = [step.number for step in decision.trace if step.result == "decided"]
    assert decided == [rule]


@named
def test_the_verdict_is_the_fold_of_the_trace(rule: int, expected: str, case: Case) -> None:
    _, decision = at(case)
    assert [step.rule for step in decision.trace] == [name for name, _ in RULES]
    assert fold(decision.trace) == RULES[rule - 1][0]
    results = [step.result for step in decision.trace]
    assert results == ["passed"] * (rule - 1) + ["decided"] + ["not reached"] * (11 - rule)


@named
def test_the_same_state_gives_the_same_decision(rule: int, expected: str, case: Case) -> None:
    world, ask = case()
    state, asked = world.settled, Ask(execution("agent"), **ask)
    first = decide(state, asked, world.moment)
    again = decide(state, asked, world.moment)
    assert first == again
    assert first.digest == again.digest
    assert world.settled == state


@named
def test_a_yes_is_accepted_and_a_no_is_not(rule: int, expected: str, case: Case) -> None:
    """Begin decides by the same function: what it refuses with is never a yes."""
    world, ask = case()
    if world.decide(**ask).may_begin:
        assert world.begin(**ask).status == "live"
        return
    with pytest.raises(NotNow) as caught:
        world.begin(**{name: value for name, value in ask.items() if name != "todo"})
    assert not caught.value.decision.may_begin


@named
def test_showing_the_questions_turns_asking_into_waiting(
    rule: int, expected: str, case: Case
) -> None:
    world, ask = case()
    asking = world.decide(**ask | {"shown": ()})
    tags = tuple(question.tag for question in asking.verdict.questions)
    shown = world.decide(**ask | {"shown": tags})
    if asking.outcome == "ask":
        assert asking.verdict.notify
        assert shown.outcome == ("wait" if tags else "ask")
        assert not tags or not shown.verdict.notify
    else:
        assert shown == asking
    assert shown.digest == asking.digest


@named
def test_every_wait_says_what_ends_it(rule: int, expected: str, case: Case) -> None:
    _, decision = at(case)
    if decision.outcome in ("wait", "quiet"):
        assert decision.wake_at or decision.verdict.explanation
    if decision.outcome == "quiet":
        assert decision.verdict.stop == (decision.reason in ("goal_stopped", "goal_closed"))
    assert decision.next_check_seconds >= 1


def test_every_reason_of_the_table_is_reached() -> None:
    built = """
        goal_paused goal_stopped goal_closed agent_paused agent_limited outside_active_hours
        health_blocked gate_open awaiting_answer resume_turn quota_paused quota_exhausted
        token_budget_exhausted cost_budget_exhausted needs_info stalled surface_streak
        monitor_due work_ready review_ready decision_gap acceptance_gap person_needed
        awaiting_person peer_owns_work peer_repairs scope_busy dependency not_due no_capability
        monitor_only
        """.split()
    assert {expected.split()[1] for _, _, expected, _ in ROWS} == {*built}
