"""Faults at random, many runs: at the end the table equals the source, one row per card."""

from __future__ import annotations

import random

import pytest

from projections.models import Attempt, Board, Row
from tests.projections.conftest import Cards, cards_table, run, titles
from tests.standin.feishu import StandIn

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FAULTS = (
    ("lost_answer", "batch_create"),
    ("lost_answer", "batch_update"),
    ("lost_answer", "batch_delete"),
    ("cut", "batch_create"),
    ("cut", "batch_update"),
    ("cut", "search"),
    ("conflict", "batch_"),
    ("too_many", "batch_"),
    ("html_502", "batch_create"),
    ("html_502_applied", "batch_create"),
    ("html_502_applied", "batch_delete"),
    ("token_expired", ""),
    ("throttle", "batch_"),
)


@pytest.mark.parametrize("seed", range(12))
def test_ends_equal(
    seed: int, board: Board, cards: Cards, feishu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.feishu.client._backoff", lambda attempt: 0.0)
    dice = random.Random(seed)
    cards.put(*(f"T{n}" for n in range(20)))
    for step in range(12):
        for kind, match in dice.choices(FAULTS, k=dice.randint(0, 3)):
            feishu.fault(kind, match, times=dice.choice((1, 1, 2, 7)), reset=0)
        change(dice, cards, step)
        by_hand(dice, feishu)
        run(board, cards)
        if dice.random() < 0.3:
            feishu.service.faults.clear()
    feishu.service.faults.clear()
    # What nobody changed since is not read back yet: drift is found by reconciliation.
    cards.put(*cards.by_goal["apollo"], title="At last")
    for _ in range(2):
        outcome = run(board, cards)
    assert outcome.status == "done", outcome.error
    expected = {f"apollo/{ref}": "At last" for ref in cards.by_goal["apollo"]}
    assert titles(feishu) == expected
    assert Attempt.objects.count() == 0
    assert set(Row.objects.values_list("key", flat=True)) == set(expected)
    assert feishu.journal.misbehaviour == []


def change(dice: random.Random, cards: Cards, step: int) -> None:
    known = list(cards.by_goal["apollo"])
    cards.put(*dice.sample(known, 3), title=f"Step {step}")
    cards.put(*(f"T{100 + step * 10 + n}" for n in range(dice.randint(0, 5))))
    for ref in dice.sample(known, dice.randint(0, 2)):
        cards.drop(ref)


def by_hand(dice: random.Random, feishu: StandIn) -> None:
    """Somebody with the right to edit deletes a row."""
    records = cards_table(feishu).records
    if records and dice.random() < 0.3:
        del records[dice.choice(list(records))]
