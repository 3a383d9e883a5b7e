"""The small rules: text, write scopes, ranks, active hours, when to look again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanban.kernel import rank, scopes, text
from kanban.kernel.rank import first_rank, rank_between
from kanban.kernel.schedule import is_active_hour, opens_at
from kanban.kernel.state import Policy
from tests.kanban.kernel.build import OWNER, World, refused


def test_text_is_normalised_and_never_cut() -> None:
    assert text.body("e\u0301\r\nline\ttab\rend") == "é\nline\ttab\nend"
    assert text.title("  two\n  lines  ") == "two lines"
    assert text.title("x" * 300) == "x" * 300


@pytest.mark.parametrize("bad", ["a\x00b", "a\x07b", "a\x1bb", "a\x7fb", "a\x85b", "a\ud800b"])
def test_control_characters_and_lone_surrogates_are_refused(bad: str) -> None:
    with refused("invalid"):
        text.title(bad)
    with refused("invalid"):
        text.body(bad)


def test_over_the_limit_is_refused() -> None:
    with refused("invalid"):
        text.title("x" * 301)
    with refused("invalid"):
        text.title(" ")
    with refused("invalid"):
        text.body("é" * 33_000)
    with refused("invalid"):
        text.note("x" * 4_001, "reason")


@pytest.mark.parametrize(
    ("scope", "allowed", "inside"),
    [
        ("src/app", "src", True),
        ("src", "src/app", False),
        ("src/application", "src/app", False),
        ("src/app/x.py", "src/*", True),
        ("src/*", "src/*", True),
        ("src/*.py", "src/*", True),
        ("src/**", "src", True),
        ("**", "src", False),
        ("src/**", "**", True),
        ("**", "**", True),
        ("src/docs", "**/docs", True),
        ("src/app", "**/docs", False),
        ("src/**/docs", "**/docs", False),
        ("a/b/docs/x", "**/docs", True),
        ("src/b/test/x", "src/**/test", True),
        ("lib/test", "src/**/test", False),
        ("Src", "src", False),
    ],
)
def test_a_scope_lies_within_another(scope: str, allowed: str, inside: bool) -> None:
    assert scopes.within(scope, [allowed]) is inside


PATHS = st.lists(st.sampled_from(["a", "b", "ab", "*", "a*", "**"]), min_size=1, max_size=4)


@given(PATHS, PATHS)
def test_overlap_is_symmetric_and_follows_from_lying_within(
    left: list[str], right: list[str]
) -> None:
    one, other = "/".join(left), "/".join(right)
    assert scopes.overlaps(one, other) == scopes.overlaps(other, one)
    if scopes.within(one, [other]):
        assert scopes.overlaps(one, other)


@given(st.lists(st.integers(0, 30), max_size=120))
def test_ranks_always_find_a_place_between(places: list[int]) -> None:
    ranks = [first_rank("T1"), first_rank("T2")]
    for place in places:
        index = place % (len(ranks) + 1)
        before = ranks[index - 1] if index else ""
        after = ranks[index] if index < len(ranks) else ""
        ranks.insert(index, rank_between(before, after))
    assert all(low < high for low, high in pairwise(ranks))


def test_squeezing_into_one_gap_for_ever_stays_short() -> None:
    world = World()
    refs = [world.add(f"Todo {number}") for number in range(4)]
    for turn in range(500):
        moved, other = refs[2 + turn % 2], refs[3 - turn % 2]
        world.do(OWNER, rank.place_todo, moved, before=other)
        world.do(OWNER, rank.place_todo, moved, after=refs[0])
        order = sorted(refs, key=lambda ref: world.state.todos[ref].rank)
        assert order[:2] == [refs[0], moved]
    assert max(len(item.rank) for item in world.state.todos.values()) <= rank.LONGEST


def test_moving_takes_the_neighbours_priority() -> None:
    world = World()
    a, b = world.add("A", priority="P0"), world.add("B", priority="P3")
    world.do(OWNER, rank.place_todo, b, before=a)
    assert world.todo(b).priority == 0
    assert world.todo(b).rank < world.todo(a).rank
    world.do(OWNER, rank.place_todo, b, priority="P1")
    assert world.todo(b).priority == 1
    events = len(world.changes)
    world.do(OWNER, rank.place_todo, b, before=b)
    assert len(world.changes) == events


BERLIN: dict[str, Any] = {"time_zone": "Europe/Berlin"}
NIGHT = Policy(active_hours={"sun": [["01:30", "03:30"]], "mon": [["09:00", "24:00"]]}, **BERLIN)


def berlin(day: int, hour: int, minute: int = 0, *, month: int = 3, fold: int = 0) -> datetime:
    zone = ZoneInfo("Europe/Berlin")
    return datetime(2026, month, day, hour, minute, tzinfo=zone, fold=fold).astimezone(UTC)


def test_active_hours_follow_the_wall_clock_over_the_spring_gap() -> None:
    # On 29 March 2026 the clock jumps from 02:00 to 03:00.
    opening = berlin(29, 1, 30)
    assert not is_active_hour(NIGHT, opening - timedelta(minutes=1))
    assert is_active_hour(NIGHT, opening)
    assert is_active_hour(NIGHT, opening + timedelta(minutes=59))
    assert not is_active_hour(NIGHT, opening + timedelta(hours=1))
    assert opens_at(NIGHT, opening + timedelta(hours=1)) == berlin(30, 9)


def test_active_hours_last_longer_over_the_autumn_fold() -> None:
    # On 25 October 2026 the hour from 02:00 to 03:00 comes twice.
    opening = berlin(25, 1, 30, month=10)
    assert is_active_hour(NIGHT, opening + timedelta(hours=2, minutes=59))
    assert not is_active_hour(NIGHT, opening + timedelta(hours=3))


def test_the_next_opening_is_inside_and_later() -> None:
    assert is_active_hour(Policy(), berlin(1, 3))
    assert opens_at(NIGHT, berlin(30, 9)) == berlin(5, 1, 30, month=4)
    never = Policy(active_hours={"mon": []})
    assert not is_active_hour(never, berlin(30, 9))
    assert opens_at(never, berlin(30, 9)) is None


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)))
def test_an_opening_is_always_an_active_moment(moment: datetime) -> None:
    now = moment.replace(tzinfo=UTC)
    at = opens_at(NIGHT, now)
    assert at is not None
    assert at > now
    # 02:15 does not exist in the spring gap; its opening is the first moment after it.
    assert is_active_hour(NIGHT, at)


def test_looking_again_slows_down_and_is_cut_to_the_next_instant() -> None:
    world = World()
    world.claim(world.add(), key="one")
    other = world.add("Later", resume_when={"type": "time", "at": world.now + timedelta(hours=9)})
    assert world.todo(other).status == "deferred"
    world.begin(key="two", todo="T1")
    waits = []
    for minutes in (0, 10, 600):
        world.pass_time(minutes=minutes)
        waits.append(world.decide(todo=other).next_check_seconds)
    assert waits[0] == 30
    assert waits[1] == 150
    assert waits[2] >= 1


def test_failures_in_a_row_back_off() -> None:
    world = World()
    world.add()
    pauses = []
    for _turn in range(2):
        world.work("failed")
        pauses.append(world.decide().next_check_seconds)
    assert pauses == [300, 900]
