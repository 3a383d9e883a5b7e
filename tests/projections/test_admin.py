"""Targets in the administration: what a person sets there takes effect in the next sync."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from projections.models import Board
from tests.projections.conftest import Cards, cards_table, run
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db


def test_another_audience_takes_cells_back(
    board: Board, cards: Cards, feishu: StandIn, client: Client
) -> None:
    cards.put("T1", owner="executor")
    run(board, cards)
    client.force_login(User.objects.create_superuser("owner"))
    watch = board.watches.get()
    form = {
        "slug": board.slug,
        "title": board.title,
        "sink": "feishu",
        "language": "en",
        "audience": "outside",
        "link_sharing": "tenant",
        "viewers": "[]",
        "enabled": "on",
        "watches-TOTAL_FORMS": "1",
        "watches-INITIAL_FORMS": "1",
        "watches-0-id": watch.pk,
        "watches-0-board": board.pk,
        "watches-0-goal": watch.goal,
    }
    path = f"/admin/projections/board/{board.pk}/change/"
    assert client.get(path).status_code == 200
    assert client.post(path, form).status_code == 302
    run(board, cards, asked=False)
    (row,) = cards_table(feishu).rows()
    assert "Owner" not in row


def test_where_a_board_lives_and_its_secrets_are_not_shown(board: Board, client: Client) -> None:
    client.force_login(User.objects.create_superuser("owner"))
    page = client.get(f"/admin/projections/board/{board.pk}/change/").content.decode()
    assert "standin-secret" not in page
    assert board.place["app_token"] not in page
