"""A sync writes the difference, once, and only records what was confirmed."""

from __future__ import annotations

import pytest

from projections.models import Attempt, Board, Row, Watch
from tests.projections.conftest import Cards, ask, cards_table, make_board, run, titles
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db


def test_first_sync_writes_every_card_in_one_call(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1", title="Baseline", owner="executor", lane="working", waits_for=("T2",))
    cards.put(
        "G1", title="Publish?", question="Publish it?", options=("Yes", "No"), lane="needs_you"
    )
    outcome = run(board, cards)
    assert (outcome.status, outcome.report["added"]) == ("done", 2)
    assert len(feishu.journal.record_writes()) == 1
    rows = {row["Key"]: row for row in cards_table(feishu).rows()}
    assert rows["apollo/T1"]["Status"] == "Working"
    assert rows["apollo/T1"]["Waits for"] == "T2"
    assert rows["apollo/G1"]["Question and options"] == "Publish it?\n• Yes\n• No"
    assert isinstance(rows["apollo/G1"]["Updated"], int)
    assert Watch.objects.get().cursor == cards.versions["apollo"]
    assert feishu.journal.misbehaviour == []


def test_unchanged_cards_are_no_write_and_one_change_is_one_call(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put(*(f"T{n}" for n in range(1, 31)))
    run(board, cards)
    feishu.journal.clear()
    run(board, cards)
    assert feishu.journal.record_writes() == []
    cards.put("T7", title="Changed")
    run(board, cards)
    (call,) = feishu.journal.record_writes()
    assert call.name == "records/batch_update"
    assert titles(feishu)["apollo/T7"] == "Changed"


def test_up_to_date_boards_are_not_even_opened(board: Board, cards: Cards, feishu: StandIn) -> None:
    cards.put("T1")
    run(board, cards)
    feishu.journal.clear()
    assert run(board, cards, asked=False).report == {"goals": 0}
    assert feishu.journal.calls == []


def test_5000_cards_take_ten_record_calls(board: Board, cards: Cards, feishu: StandIn) -> None:
    cards.put(*(f"T{n}" for n in range(5000)))
    assert run(board, cards).report["added"] == 5000
    assert len(feishu.journal.record_writes()) == 10
    assert len(titles(feishu)) == 5000


def test_a_cleared_cell_is_cleared_and_a_gone_card_goes(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1", "T2", owner="executor")
    run(board, cards)
    cards.put("T1", owner="")
    cards.drop("T2")
    run(board, cards)
    (row,) = cards_table(feishu).rows()
    assert row["Key"] == "apollo/T1"
    assert "Owner" not in row


def test_answer_lost_after_the_create_was_applied(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1", "T2")
    feishu.fault("lost_answer", "batch_create")
    assert run(board, cards).status == "done"
    assert set(titles(feishu)) == {"apollo/T1", "apollo/T2"}
    assert len(feishu.journal.named("records/batch_create")) == 1, "found by key, not sent again"
    assert Attempt.objects.count() == 0


def test_connection_cut_before_the_create_was_applied(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1")
    feishu.fault("cut", "batch_create")
    assert run(board, cards).status == "done"
    first, second = feishu.journal.named("records/batch_create")
    assert first.query["client_token"] == second.query["client_token"]
    assert first.body == second.body
    assert set(titles(feishu)) == {"apollo/T1"}


@pytest.mark.parametrize(
    ("kind", "verb"),
    [
        ("conflict", "batch_create"),
        ("too_many", "batch_create"),
        ("html_502", "batch_create"),
        ("html_502_applied", "batch_create"),
        ("token_expired", "batch_create"),
        ("token_expired", "GET"),
        ("html_502", "search"),
    ],
)
def test_passing_troubles(
    board: Board,
    cards: Cards,
    feishu: StandIn,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    verb: str,
) -> None:
    monkeypatch.setattr("projections.feishu.client._backoff", lambda attempt: 0.01)
    cards.put("T1", "T2")
    feishu.fault(kind, verb)
    feishu.fault("lost_answer", "batch_create", skip=1 if kind in {"conflict", "too_many"} else 0)
    outcome = run(board, cards)
    assert outcome.status == "done", outcome.error
    assert set(titles(feishu)) == {"apollo/T1", "apollo/T2"}
    assert feishu.journal.misbehaviour == []


def test_throttling_waits_for_the_reset_named(board: Board, cards: Cards, feishu: StandIn) -> None:
    cards.put("T1")
    feishu.fault("throttle", "batch_create", reset=1)
    assert run(board, cards).status == "done"
    assert feishu.journal.misbehaviour == []


def test_a_long_throttle_is_left_to_a_later_run(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1")
    feishu.fault("throttle", "batch_create", reset=300)
    assert run(board, cards).status == "failed"
    board.refresh_from_db()
    assert board.health == "retrying"
    assert board.retry_at is not None
    assert run(board, cards, asked=False).status == "waiting"
    assert Watch.objects.get().cursor == 0, "not confirmed, so the cursor stays"


def test_lost_update_leaves_the_row_dirty(
    board: Board, cards: Cards, feishu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.feishu.client._backoff", lambda attempt: 0.0)
    cards.put("T1")
    run(board, cards)
    cards.put("T1", title="New")
    feishu.fault("cut", "batch_update", times=5)
    assert run(board, cards).status == "failed"
    assert Row.objects.get().digest == ""
    assert run(board, cards, asked=True).status == "done"
    assert titles(feishu) == {"apollo/T1": "New"}


def test_a_row_deleted_by_hand_comes_back_once(board: Board, cards: Cards, feishu: StandIn) -> None:
    cards.put("T1", "T2")
    run(board, cards)
    table = cards_table(feishu)
    del table.records[next(iter(table.records))]
    cards.put("T1", "T2", title="Both changed")
    assert run(board, cards).status == "done"
    assert titles(feishu) == {"apollo/T1": "Both changed", "apollo/T2": "Both changed"}


def test_lost_permission_stops_until_a_person_acts(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1")
    feishu.world.only_base().owner = "another_app"
    assert run(board, cards).status == "failed"
    board.refresh_from_db()
    assert (board.health, board.error_code) == ("broken", "91403")
    assert "full access" in board.error_remedy
    feishu.journal.clear()
    assert run(board, cards, asked=False).status == "waiting"
    assert feishu.journal.calls == []
    feishu.world.only_base().owner = feishu.app_id
    assert run(board, cards, asked=True).status == "done"
    board.refresh_from_db()
    assert (board.health, board.error_code) == ("ok", "")


def test_nothing_is_sent_before_the_board_is_switched_on(
    db: None, cards: Cards, feishu: StandIn
) -> None:
    board = make_board()
    cards.put("T1")
    assert run(board, cards).status == "off"
    assert ask(board, "sync").error["code"] == "off"
    assert feishu.journal.calls == []


def test_foreign_rows_and_columns_are_left_alone(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    table = cards_table(feishu)
    from tests.standin.world import Field, Record

    note = Field("fldnote", "Their notes", 1)
    table.fields.append(note)
    table.records["recforeign"] = Record("recforeign", {"fldnote": "by hand"}, 0, 0, "ou_person")
    cards.put("T1")
    run(board, cards)
    ours = next(record for key, record in table.records.items() if key != "recforeign")
    ours.cells["fldnote"] = "a remark"
    cards.put("T1", title="Again")
    run(board, cards)
    assert table.records["recforeign"].cells == {"fldnote": "by hand"}
    assert ours.cells["fldnote"] == "a remark"


def test_one_board_for_two_goals_and_a_goal_taken_off(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    Watch.objects.create(board=board, goal="zephyr")
    cards.put("T1")
    cards.put("T1", goal="zephyr", title="Other")
    run(board, cards)
    assert titles(feishu) == {"apollo/T1": "Card T1", "zephyr/T1": "Other"}
    Watch.objects.get(goal="zephyr").delete()
    run(board, cards)
    assert set(titles(feishu)) == {"apollo/T1"}


def test_a_deleted_base_stops_the_board_after_a_few_tries(
    board: Board, cards: Cards, feishu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.feishu.client._backoff", lambda attempt: 0.0)
    feishu.world.bases.clear()
    cards.put("T1")
    assert run(board, cards).status == "failed"
    board.refresh_from_db()
    assert (board.health, board.error_code) == ("broken", "1254040")
    assert len(feishu.journal.calls) == 5, "right after creation it may pass, so it was tried"


def test_a_tenant_with_smaller_batches(
    board: Board, cards: Cards, feishu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.standin.records.MAX_WRITE", 200)
    cards.put(*(f"T{n}" for n in range(450)))
    assert run(board, cards).status == "done"
    assert len(titles(feishu)) == 450


def test_a_key_written_into_another_row_by_hand(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1", "T2")
    run(board, cards)
    table = cards_table(feishu)
    key = table.fields[0].id
    first, second = list(table.records.values())
    del table.records[first.id]
    second.cells[key] = "apollo/T1"
    cards.put("T1", "T2", title="Anew")
    assert run(board, cards).status == "done"
    assert titles(feishu) == {"apollo/T1": "Anew", "apollo/T2": "Anew"}


def test_a_lease_taken_over_ends_the_run_before_the_next_call(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    cards.put("T1")
    feishu.fault("lost_answer", "GET")

    def stolen(seconds: float) -> None:
        Board.objects.filter(pk=board.pk).update(lease_holder="another", lease_epoch=99)

    from projections.feishu import client

    original = client.FeishuClient.__init__

    def with_thief(self: client.FeishuClient, *args: object, **options: object) -> None:
        original(self, *args, **{**options, "sleep": stolen})  # type: ignore[arg-type]

    client.FeishuClient.__init__ = with_thief  # type: ignore[method-assign]
    try:
        assert run(board, cards).status == "busy"
    finally:
        client.FeishuClient.__init__ = original  # type: ignore[method-assign]
    assert len(feishu.journal.calls) == 1
    board.refresh_from_db()
    assert board.lease_holder == "another", "its lease is left alone"
