"""What follows a commit never harms it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from loopx_web import wake
from projections import tasks
from tests.loopx_web.serving import until

# The thread of the hints looks after its connection, which earlier tests may have opened.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Stands where the queue would: what is asked of the worker, in order."""
    asked: list[str] = []
    monkeypatch.setattr(tasks, "hint", asked.append)
    settle()
    asked.clear()
    yield asked
    wake._listeners.clear()
    settle()


def settle() -> None:
    """Hints that earlier commits left behind are over when this returns."""
    wake._hinter.submit(int).result()


def test_without_a_hub_the_hint_is_given_before_the_process_may_end(hints: list[str]) -> None:
    wake.wake("apollo", 3)
    assert hints == ["apollo"]


def test_the_hub_hears_each_commit(hints: list[str]) -> None:
    heard: list[tuple[str, int]] = []

    def listener(goal: str, version: int) -> None:
        heard.append((goal, version))

    wake.listen(listener)
    wake.wake("apollo", 3)
    wake.wake("apollo", 4)
    wake.forget(listener)
    wake.wake("apollo", 5)
    assert heard == [("apollo", 3), ("apollo", 4)]


def test_where_requests_are_served_a_burst_gives_few_hints_and_one_after_its_last_commit(
    monkeypatch: pytest.MonkeyPatch, hints: list[str]
) -> None:
    held = threading.Event()
    committed: list[int] = []
    seen: list[int] = []

    def slow(goal: str) -> None:
        seen.append(len(committed))
        held.wait(5)
        hints.append(goal)

    monkeypatch.setattr(tasks, "hint", slow)
    wake.listen(lambda _goal, _version: None)
    for version in range(50):
        committed.append(version)
        wake.wake("apollo", version)
    held.set()
    until(lambda: seen and seen[-1] == 50 and len(hints) == len(seen))
    assert len(hints) <= 3


@pytest.mark.parametrize("place", ["listener", "hint"])
def test_what_fails_there_does_not_reach_the_writer(
    place: str, monkeypatch: pytest.MonkeyPatch, hints: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_args: object) -> None:
        raise RuntimeError("broken")

    if place == "listener":
        wake.listen(fails)
    else:
        monkeypatch.setattr(tasks, "hint", fails)
    wake.wake("apollo", 3)
    assert "apollo" in caplog.text
