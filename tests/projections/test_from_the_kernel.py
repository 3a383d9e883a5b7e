"""From a transition to the row in the table, through events, hint and queue."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kanban.kernel import actor
from kanban.queries.snapshot import load
from kanban.transitions.claims import claim_todo
from kanban.transitions.gates import answer_gate, ask_gate
from kanban.transitions.goals import create_goal
from kanban.transitions.members import create_agent
from kanban.transitions.perform import settle_goal
from kanban.transitions.todos import add_todos, drop_todo
from projections import asking
from projections.models import Board, Watch
from projections.tasks import sweep
from tests.projections.conftest import ask, cards_table, make_board
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db(transaction=True)

OWNER = actor.person("owner")
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
QUESTION: dict[str, Any] = {
    "question": "Publish the classifier to the team index?",
    "label": "publishing",
    "kind": "publish",
    "options": [{"key": "yes", "label": "Publish it"}, {"key": "hold", "label": "Hold it back"}],
    "blocks": {"todos": ["T2"]},
}


@pytest.fixture
def goal(feishu: StandIn) -> str:
    create_agent(OWNER, "executor", now=NOW)
    given = {"title": "Apollo", "objective": "Find a better classifier", "agents": ["executor"]}
    slug = create_goal(OWNER, {**given, "slug": "apollo"}, now=NOW).goal
    add_todos(OWNER, slug, [{"title": "Baseline"}, {"title": "Promote the winner"}], now=NOW)
    board = make_board(goal=slug)
    assert ask(board, "setup").status == "done"
    sweep()
    return slug


def rows(feishu: StandIn) -> dict[str, dict[str, Any]]:
    return {row["Key"]: row for row in cards_table(feishu).rows()}


def test_a_transition_is_on_the_table_when_it_returns(goal: str, feishu: StandIn) -> None:
    assert {row["Title"] for row in rows(feishu).values()} >= {"Baseline", "Promote the winner"}
    claim_todo(actor.agent("executor"), goal, "T1", now=NOW, lease_seconds=900)
    row = rows(feishu)["apollo/T1"]
    assert (row["Status"], row["Owner"]) == ("Working", "executor")
    assert Watch.objects.get().cursor == load(goal).state.goal.version


def test_a_question_moves_cards_that_its_event_does_not_name(goal: str, feishu: StandIn) -> None:
    assert rows(feishu)["apollo/T2"]["Status"] == "Ready"
    ref = ask_gate(actor.agent("executor"), goal, QUESTION, now=NOW).body["ref"]
    found = rows(feishu)
    assert found[f"apollo/{ref}"]["Status"] == "Needs you"
    assert found[f"apollo/{ref}"]["Question and options"].endswith("• Hold it back")
    assert (found["apollo/T2"]["Status"], found["apollo/T2"]["Waits for"]) == ("Waiting", ref)
    later = NOW + timedelta(minutes=1)
    answer_gate(OWNER, goal, ref, now=NOW, outcome="chosen", option="yes", revision=1)
    assert "Answer" not in rows(feishu)[f"apollo/{ref}"], "it can still be taken back"
    settle_goal(goal, now=later)
    found = rows(feishu)
    assert found[f"apollo/{ref}"]["Answer"] == "Publish it"
    assert found[f"apollo/{ref}"]["Status"] == "Done"
    assert found["apollo/T2"]["Status"] == "Ready"


def test_a_dropped_card_leaves_the_table(goal: str, feishu: StandIn) -> None:
    drop_todo(OWNER, goal, "T1", now=NOW, reason="no longer wanted")
    assert "apollo/T1" not in rows(feishu)


def test_only_what_changed_is_sent(goal: str, feishu: StandIn) -> None:
    feishu.journal.clear()
    claim_todo(actor.agent("executor"), goal, "T1", now=NOW)
    (call,) = feishu.journal.record_writes()
    assert (call.name, call.body.count("record_id")) == ("records/batch_update", 1)
    feishu.journal.clear()
    sweep()
    assert feishu.journal.calls == []


def test_a_lost_hint_is_found_by_the_sweep(
    goal: str, feishu: StandIn, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.tasks.hint", lambda goal: None)
    claim_todo(actor.agent("executor"), goal, "T1", now=NOW)
    assert rows(feishu)["apollo/T1"]["Status"] == "Ready"
    sweep()
    assert rows(feishu)["apollo/T1"]["Status"] == "Working"


def test_asking_needs_a_person_and_a_known_goal(goal: str) -> None:
    from kanban.kernel.errors import Invalid, NotAllowed, NotFound

    with pytest.raises(NotAllowed):
        asking.ask(actor.agent("executor"), "team", "sync", now=NOW)
    with pytest.raises(NotFound):
        wanted = asking.Wanted(goals=["nowhere"])
        asking.ask(OWNER, "other", "setup", now=NOW, wanted=wanted)
    with pytest.raises(Invalid):
        asking.ask(OWNER, "other", "setup", now=NOW)
    with pytest.raises(NotFound):
        asking.ask(OWNER, "other", "sync", now=NOW)


def test_a_second_board_in_chinese_and_switched_off(goal: str, feishu: StandIn) -> None:
    wanted = asking.Wanted(goals=[goal], language="zh-hans", audience="outside")
    request = asking.ask(OWNER, "partners", "setup", now=NOW, execute=True, wanted=wanted)
    assert request.status == "done"
    board = Board.objects.get(slug="partners")
    facts = asking.present(board)
    assert (facts["lag"], facts["rows"], facts["state"]) == (0, 2, "ok")
    asking.switch(OWNER, "partners", on=False)
    before = len(feishu.world.bases[board.place["app_token"]].tables)
    claim_todo(actor.agent("executor"), goal, "T1", now=NOW)
    facts = asking.present(Board.objects.get(slug="partners"))
    assert (facts["state"], facts["lag"] > 0, before) == ("off", True, 1)


def test_preview_tells_every_cell_and_sends_nothing(goal: str, feishu: StandIn) -> None:
    add_todos(OWNER, goal, [{"title": "Read /home/anna/notes.md"}], now=NOW)
    feishu.journal.clear()
    report = asking.ask(OWNER, "team", "preview", now=NOW).report
    assert report is not None
    assert report["counts"] == {"add": 0, "change": 0, "remove": 0, "withheld": 1, "unchanged": 3}
    (withheld,) = report["withheld"]
    assert (withheld["key"], withheld["column"], withheld["kind"]) == ("apollo/T3", "Title", "path")
    assert feishu.journal.calls == []
