"""The pages of projections: for signed-in people, and nothing there sends by being looked at."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from projections.models import Board, Request
from tests.projections.conftest import Cards, make_board, run
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("owner"))
    return client


def test_strangers_are_sent_to_sign_in(client: Client) -> None:
    for path in ("/projections/", "/projections/team/", "/projections/team/preview"):
        assert client.get(path).status_code == 302


def test_an_empty_list_says_how_to_make_one(owner: Client) -> None:
    assert "lark-kanban setup" in owner.get("/projections/").content.decode()


def test_a_board_shows_state_lag_and_address(board: Board, cards: Cards, owner: Client) -> None:
    cards.put("T1")
    run(board, cards)
    cards.put("T2")
    page = owner.get("/projections/team/").content.decode()
    assert "https://example.feishu.cn/base/" in page
    assert "Sync now" in page
    assert "1 event behind" in owner.get("/projections/").content.decode()


def test_the_last_error_comes_with_its_remedy(
    board: Board, cards: Cards, owner: Client, feishu: StandIn
) -> None:
    cards.put("T1")
    feishu.world.only_base().owner = "another_app"
    run(board, cards)
    page = owner.get("/projections/team/").content.decode()
    assert "91403" in page
    assert "full access" in page
    owner.cookies["loopx_language"] = "zh-hans"
    assert owner.get("/projections/team/").status_code == 200


def test_switching_off_and_asking_for_a_check(board: Board, cards: Cards, owner: Client) -> None:
    cards.put("T1")
    owner.post("/projections/team/act", {"action": "off"})
    board.refresh_from_db()
    assert not board.enabled
    owner.post("/projections/team/act", {"action": "doctor"})
    assert Request.objects.filter(action="doctor", by="person:owner", status="done").exists()
    assert owner.post("/projections/team/act", {"action": "dance"}).status_code == 422
    assert owner.get("/projections/team/act").status_code == 405


def test_preview_shows_exact_cells_and_sends_nothing(
    cards: Cards,
    owner: Client,
    feishu: StandIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kanban.queries.projected.load", cards.card_set)
    make_board()
    cards.put("T1", title="Read /home/anna/notes.md <b>")
    page = owner.get("/projections/team/preview").content.decode()
    assert "Read [withheld: path] &lt;b&gt;" in page
    assert "/home/anna" not in page
    assert feishu.journal.calls == []
