"""A stand-in Feishu, a board set up on it, and cards made for the test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from kanban.queries import projected
from kanban.queries.projected import ProjectedCard, ProjectedGoal
from projections.models import Board, Request, Watch
from projections.requests import run_request
from projections.sync import Outcome, sync
from tests.standin.feishu import StandIn
from tests.standin.world import Table

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@dataclass
class Cards:
    """The source of cards: what the kernel would hold, set by the test."""

    by_goal: dict[str, dict[str, ProjectedCard]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    def put(self, *refs: str, goal: str = "apollo", **facts: Any) -> None:
        for ref in refs:
            known: dict[str, Any] = {"kind": "gate" if ref[0] == "G" else "advancement"}
            known |= {"title": f"Card {ref}", "lane": "ready", "priority": 2, "updated": NOW}
            card = ProjectedCard(goal=goal, ref=ref, **{**known, **facts})
            self.by_goal.setdefault(goal, {})[ref] = card
        self.versions[goal] = self.versions.get(goal, 0) + 1

    def drop(self, ref: str, goal: str = "apollo") -> None:
        del self.by_goal[goal][ref]
        self.versions[goal] += 1

    def card_set(self, goal: str, now: datetime) -> ProjectedGoal | None:
        if goal not in self.by_goal:
            return None
        return ProjectedGoal(self.versions[goal], list(self.by_goal[goal].values()))

    def version(self, goal: str) -> int | None:
        return self.versions.get(goal)


@pytest.fixture
def feishu(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with StandIn() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("LOOPX_FEISHU_PAUSE_MS", "0")
        yield server


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Cards:
    made = Cards()
    monkeypatch.setattr(projected, "version_of", made.version)
    return made


def make_board(slug: str = "team", goal: str = "apollo", **facts: Any) -> Board:
    board = Board.objects.create(slug=slug, title=f"Board {slug}", created_at=NOW, **facts)
    Watch.objects.create(board=board, goal=goal)
    return board


@dataclass
class Asked:
    """A request as it ended."""

    status: str
    report: dict[str, Any]
    error: dict[str, Any]


def ask(board: Board, action: str, *, execute: bool = True) -> Asked:
    request = Request.objects.create(
        board=board, action=action, execute=execute, by="person:owner", created_at=timezone.now()
    )
    run_request(request.pk)
    request.refresh_from_db()
    return Asked(request.status, request.report or {}, request.error or {})


@pytest.fixture
def board(db: None, feishu: StandIn) -> Board:
    made = make_board()
    request = ask(made, "setup")
    assert request.status == "done", request.error
    feishu.journal.clear()
    made.refresh_from_db()
    return made


def run(board: Board, cards: Cards, *, asked: bool = True) -> Outcome:
    return sync(board.pk, asked=asked, source=cards.card_set, sleep=lambda seconds: None)


def cards_table(feishu: StandIn) -> Table:
    return feishu.world.only_base().table_named("Cards")


def titles(feishu: StandIn) -> dict[str, str]:
    """Key → title of every row, and one row per key."""
    rows = cards_table(feishu).rows()
    keys = [row.get("Key", "") for row in rows]
    assert len(keys) == len(set(keys)), f"doubles: {sorted(keys)}"
    return {row["Key"]: row.get("Title", "") for row in rows}
