"""Set-up: additive, idempotent, view only; nothing before a person said so."""

from __future__ import annotations

import pytest

from projections.feishu.sdk import load
from projections.models import Board
from tests.projections.conftest import Cards, ask, cards_table, make_board, run
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db


def test_preview_of_setup_creates_nothing(feishu: StandIn) -> None:
    board = make_board()
    request = ask(board, "setup", execute=False)
    assert request.report["steps"][0] == {"action": "create", "what": "base Board team"}
    assert feishu.world.bases == {}
    assert not Board.objects.get().enabled


def test_setup_makes_base_table_kanban_view_and_restricts_sharing(
    board: Board, feishu: StandIn
) -> None:
    base = feishu.world.only_base()
    assert [table.name for table in base.tables.values()] == ["Cards"], "the blank table is gone"
    table = cards_table(feishu)
    assert [field.name for field in table.fields][:4] == ["Key", "Title", "Kind", "Status"]
    status = table.field_named("Status")
    assert status is not None
    assert [option.name for option in status.options] == [
        "Needs you",
        "Ready",
        "Working",
        "Waiting",
        "Done",
    ]
    kanban = next(view for view in table.views if view.type == "kanban")
    assert kanban.group == [{"field": status.id, "desc": False}]
    assert base.public["link_share_entity"] == "tenant_readable"
    assert base.public["external_access_entity"] == "closed"
    assert board.enabled
    assert board.url.endswith(base.token)


def test_setup_twice_changes_nothing(board: Board, feishu: StandIn) -> None:
    before = board.place
    report = ask(board, "setup").report
    board.refresh_from_db()
    assert board.place == before
    assert {step["action"] for step in report["steps"]} == {"keep"}
    writes = [call for call in feishu.journal.calls if call.method in {"PUT", "PATCH", "DELETE"}]
    assert writes == []


def test_setup_adds_a_deleted_column_and_leaves_foreign_ones(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    table = cards_table(feishu)
    table.fields = [field for field in table.fields if field.name != "Owner"]
    field = table.field_named("Answer")
    assert field is not None
    field.name = "Renamed by hand"
    cards.put("T1", owner="executor")
    outcome = run(board, cards)
    assert outcome.report["missing_columns"] == ["Owner"]
    board.refresh_from_db()
    assert (board.health, board.error_code) == ("degraded", "missing_column")
    assert len(table.records) == 1, "the rest still syncs"
    ask(board, "setup")
    names = [field.name for field in table.fields]
    assert names.count("Owner") == 1
    assert "Renamed by hand" in names
    assert "Answer" not in names


def test_an_answer_lost_while_the_table_was_made_makes_no_second_one(feishu: StandIn) -> None:
    board = make_board()
    feishu.fault("lost_answer", "POST /open-apis/bitable/v1/apps/:app/tables")
    assert ask(board, "setup").status == "failed"
    assert ask(board, "setup").status == "done"
    base = feishu.world.only_base()
    assert [table.name for table in base.tables.values()] == ["Cards"]


def test_grouping_refused_is_left_to_a_person(feishu: StandIn) -> None:
    board = make_board()
    feishu.fault("error", "/group", code=1254800, status=400)
    report = ask(board, "setup").report
    assert [s["what"] for s in report["steps"] if s["action"] == "by hand"] != []


def test_without_credentials_the_worker_says_which_settings(
    feishu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOPX_FEISHU_APP_SECRET")
    error = ask(make_board(), "setup").error
    assert error["code"] == "no_credentials"
    assert "LOOPX_FEISHU_APP_SECRET" in error["hint"]


def test_wrong_secret_is_final_and_named(feishu: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    load().tokens.cache.set(f"self_tenant_token:{feishu.app_id}", "", 0)
    monkeypatch.setenv("LOOPX_FEISHU_APP_SECRET", "not-the-secret")
    board = make_board()
    request = ask(board, "setup")
    assert request.error["code"] == "10014"
    board.refresh_from_db()
    assert board.health == "broken"
    assert "not-the-secret" not in str(request.error) + board.error_detail


def test_plain_http_to_another_machine_is_refused(
    feishu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPX_FEISHU_BASE_URL", "http://feishu.example")
    assert ask(make_board(), "setup").error["code"] == "bad_setting"


def test_doctor_finds_widened_sharing(board: Board, feishu: StandIn) -> None:
    assert ask(board, "doctor").report["ok"]
    feishu.world.only_base().public["link_share_entity"] = "tenant_editable"
    findings = ask(board, "doctor").report["findings"]
    assert [finding["check"] for finding in findings if not finding["ok"]] == ["sharing"]


def test_a_column_whose_type_was_changed_gets_a_neighbour(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    table = cards_table(feishu)
    status = table.field_named("Status")
    assert status is not None
    status.type = 1
    cards.put("T1")
    assert run(board, cards).report["missing_columns"] == ["Status"]
    report = ask(board, "setup").report
    assert {"action": "create", "what": "column Status (LoopX)"} in report["steps"]
    cards.put("T1", lane="working")
    assert run(board, cards).status == "done"
    (row,) = table.rows()
    assert row["Status (LoopX)"] == "Working"


def test_a_viewer_feishu_does_not_take_is_left_to_a_person(feishu: StandIn) -> None:
    board = make_board(viewers=["ou_known", "ou_unknown"])
    feishu.fault("error", "POST /open-apis/drive/v1", skip=1, code=1063001, status=400)
    steps = ask(board, "setup").report["steps"]
    assert {"action": "set", "what": "ou_known may view"} in steps
    assert [step["action"] for step in steps if "ou_unknown" in step["what"]] == ["by hand"]
    assert feishu.world.only_base().members[0]["perm"] == "view"
