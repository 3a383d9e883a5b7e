from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from loopx_web.serve import timer
from loopx_web.serve.timer import Due, Timer
from tests import waiting


class Calls:
    """Stands where the settling is: notes each pass, and answers as it is told."""

    def __init__(self, answer: Callable[[datetime], datetime | None]) -> None:
        self.answer = answer
        self.at: list[datetime] = []
        self.threads: set[int] = set()

    def __call__(self, now: datetime) -> datetime | None:
        self.at.append(now)
        self.threads.add(threading.get_ident())
        return self.answer(now)


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def run() -> Iterator[Callable[[Due], Timer]]:
    started: list[Timer] = []

    def start(due: Due) -> Timer:
        made = Timer(due, now)
        started.append(made)
        made.start()
        return made

    yield start
    for made in started:
        made.stop()
        assert not made.is_alive()


def test_it_passes_at_the_instant_it_was_told(run: Callable[[Due], Timer]) -> None:
    calls = Calls(lambda at: at + timedelta(milliseconds=20))
    run(calls)
    waiting.until(lambda: len(calls.at) >= 4, "passes at the known instants")
    assert calls.threads.isdisjoint({threading.get_ident()})


def test_it_looks_again_where_no_instant_is_known(
    run: Callable[[Due], Timer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timer, "LONGEST_PAUSE", timedelta(milliseconds=10))
    calls = Calls(lambda _: None)
    run(calls)
    waiting.until(lambda: len(calls.at) >= 3, "another look")


def test_an_instant_far_away_does_not_stop_it_from_looking(
    run: Callable[[Due], Timer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timer, "LONGEST_PAUSE", timedelta(milliseconds=10))
    calls = Calls(lambda at: at + timedelta(days=1))
    run(calls)
    waiting.until(lambda: len(calls.at) >= 3, "another look")


def test_a_failure_is_logged_and_tried_again(
    run: Callable[[Due], Timer],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(timer, "PAUSE_AFTER_FAILURE", timedelta(milliseconds=10))

    def fail(_: datetime) -> datetime | None:
        raise RuntimeError("the disk is full")

    calls = Calls(fail)
    run(calls)
    waiting.until(lambda: len(calls.at) >= 2, "a second attempt")
    assert "the disk is full" in caplog.text
