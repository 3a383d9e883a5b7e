"""Secrets of the app and of the cards stay where they are."""

from __future__ import annotations

import json
import logging
from dataclasses import fields
from typing import Any

import pytest
from django.core import serializers

from kanban.queries.projected import ProjectedCard
from projections.models import Attempt, Board, Request, Row
from tests.projections.conftest import Cards, ask, run
from tests.standin.feishu import StandIn

pytestmark = pytest.mark.django_db

CANARY = "ghp_" + "c4N4rYc4N4rYc4N4rYc4N4rYc4N4rYc4N4rY"
FREE_TEXTS = ("title", "owner", "question", "answer", "evidence", "handoff")


def test_the_app_secret_is_in_no_log_row_or_receipt(
    board: Board, cards: Cards, feishu: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    cards.put("T1")
    feishu.fault("token_expired", "batch_create")
    feishu.fault("lost_answer", "batch_create", skip=1)
    run(board, cards)
    feishu.fault("error", "batch_update", code=91403, status=403)
    cards.put("T1", title="Changed")
    run(board, cards)
    ask(board, "doctor")
    kept = [
        *Board.objects.all(),
        *Request.objects.all(),
        *Row.objects.all(),
        *Attempt.objects.all(),
    ]
    stored = serializers.serialize("json", kept)
    tokens = list(feishu.world.tokens)
    for secret in (feishu.app_secret, *tokens):
        assert secret not in caplog.text
        assert secret not in stored
    assert "91403" in stored


def test_a_secret_in_any_text_of_a_card_does_not_leave(
    board: Board, cards: Cards, feishu: StandIn
) -> None:
    texts: dict[str, Any] = dict.fromkeys(FREE_TEXTS, f"see {CANARY} here")
    lists: dict[str, Any] = {"options": (CANARY, "No"), "waits_for": (f"T2 {CANARY}",)}
    cards.put("T1", lane="working", verdict="supports", **texts, **lists)
    assert {*texts, *lists} <= {field.name for field in fields(ProjectedCard)}
    run(board, cards)
    report = ask(board, "preview").report
    sent = "".join(call.body for call in feishu.journal.calls)
    assert "withheld" in sent
    assert CANARY not in sent
    assert CANARY not in json.dumps(report)
    assert CANARY[:20] not in serializers.serialize("json", [*Row.objects.all()])
