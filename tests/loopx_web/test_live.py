"""The hub: no news lost, none twice, and nothing shown to who may not see it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_web.live import stream
from loopx_web.live.listener import APART, JITTER, Stream
from loopx_web.live.position import decode, encode
from tests.loopx_web.serving import Event, Events, until
from tests.loopx_web.standin import AGENT, OWNER, Running, World, digest, running

WAIT = "/api/v1/goals/apollo/wait"
SHOULD_RUN = "/api/v1/goals/apollo/should-run"


@pytest.fixture
def live() -> Iterator[Running]:
    with running() as one:
        yield one


def message(events: Events) -> Event:
    """The next event that is news."""
    while (event := events.next()) is not None:
        if event.name == "":
            return event
    raise AssertionError("the stream ended")


class TestPosition:
    @given(st.dictionaries(st.integers(1, 2**40), st.integers(0, 2**40), max_size=50))
    def test_success(self, position: dict[int, int]) -> None:
        assert decode(encode(position)) == position

    @given(st.text(max_size=40))
    def test_fail_garbage(self, text: str) -> None:
        found = decode(text)
        assert found is None or all(v >= 0 for v in found.values())

    def test_too_many_goals_give_no_id(self) -> None:
        assert encode({n * 1000: 10**9 for n in range(5000)}) == ""


class TestOwed:
    """At most one event per goal, stream and 300 ms: the first at once, the rest together."""

    def test_first_at_once_then_together(self) -> None:
        one = Stream()
        one.note("a", 1, 2)
        assert [(goal, owed.version) for goal, owed in one.take(100.0)] == [("a", 2)]
        one.note("a", 1, 3)
        one.note("a", 1, 4)
        assert one.take(100.0 + APART - 0.01) == []
        [(_, owed)] = one.take(100.0 + APART + JITTER)
        assert owed.version == 4

    def test_goals_do_not_hold_up_each_other(self) -> None:
        one = Stream()
        one.note("a", 1, 2)
        one.take(100.0)
        one.note("b", 2, 2)
        assert [goal for goal, _ in one.take(100.0)] == ["b"]

    def test_what_was_sent_is_not_owed_again(self) -> None:
        one = Stream()
        one.sent = {1: 3}
        one.note("a", 1, 3)
        one.note("a", 1, 2)
        assert one.owed == {}


class TestStream:
    def test_greets_with_all_heads(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            hello = events.next()
        assert hello is not None
        assert (hello.name, hello.data) == ("hello", {"heads": {"apollo": 1, "gemini": 1}})

    def test_a_commit_of_this_process_arrives(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            live.world.commit("apollo")
            assert message(events).data == {"goal": "apollo", "version": 2}

    @pytest.mark.parametrize("marks", [True, False])
    def test_a_commit_of_another_process_arrives(self, live: Running, marks: bool) -> None:
        live.world.marks = marks
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            live.world.commit("gemini", here=False)
            assert message(events).data["goal"] == "gemini"

    def test_a_burst_ends_in_its_last_version_and_in_few_events(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            began = time.monotonic()
            for _ in range(200):
                last = live.world.commit("apollo")
            seen = [message(events)]
            while seen[-1].data["version"] < last:
                seen.append(message(events))
            took = time.monotonic() - began
        assert len(seen) <= took / APART + 2

    def test_resumes_without_gap_or_double(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            live.world.commit("apollo")
            last = message(events).id
        live.world.commit("gemini")
        live.world.commit("gemini")
        with Events(live.served, Authorization=OWNER, Last_Event_ID=last) as events:
            hello = events.next()
            assert hello is not None and hello.name == "hello"
            # The id of the greeting still stands before what was missed.
            assert decode(hello.id) == {1: 2, 2: 1}
            missed = message(events)
            assert missed.data == {"goal": "gemini", "version": 3}
            live.world.commit("apollo")
            assert message(events).data["version"] == 3

    def test_resumes_after_a_restart(self) -> None:
        world = World()
        with running(world) as first, Events(first.served, Authorization=OWNER) as events:
            hello = events.next()
            assert hello is not None
        world.commit("apollo", here=False)
        with (
            running(world) as second,
            Events(second.served, Authorization=OWNER, Last_Event_ID=hello.id) as events,
        ):
            assert message(events).data == {"goal": "apollo", "version": 2}

    def test_a_garbled_id_is_a_new_start(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER, Last_Event_ID="junk/;") as events:
            hello = events.next()
        assert hello is not None and hello.data["heads"]["apollo"] == 1

    def test_commits_during_the_connect_are_not_lost(self, live: Running) -> None:
        live.world.hold = threading.Event()
        with ThreadPoolExecutor(1) as room:
            opening = room.submit(Events, live.served, Authorization=OWNER)
            until(lambda: live.world.asked["/_live/who"] == 1)
            version = live.world.commit("apollo")
            live.world.hold.set()
            with opening.result() as events:
                hello = events.next()
        assert hello is not None and hello.data["heads"]["apollo"] == version

    def test_an_agent_hears_only_of_its_goals(self, live: Running) -> None:
        with Events(live.served, Authorization=AGENT) as events:
            hello = events.next()
            assert hello is not None and hello.data == {"heads": {"apollo": 1}}
            live.world.commit("gemini")
            live.world.commit("apollo")
            assert message(events).data["goal"] == "apollo"

    def test_new_rights_take_effect(self, live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stream, "ASK_SOON", 0.05)
        with Events(live.served, Authorization=AGENT) as events:
            events.next()
            live.world.rights[AGENT] = ["apollo", "gemini"]
            live.world.commit("gemini")
            assert message(events).data == {"goal": "gemini", "version": 2}

    def test_lost_rights_end_it(self, live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stream, "ASK_AGAIN", 0.1)
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            del live.world.rights[OWNER]
            assert events.next() is None

    def test_who_is_nobody_gets_the_refusal(self, live: Running) -> None:
        answer = live.served.get("/api/v1/events/stream", Authorization="Bearer wrong")
        assert (answer.status, answer.json["code"]) == (401, "unauthenticated")
        until(lambda: not live.front.hub.streams)

    def test_a_new_goal_is_news(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            live.world.goals["skylab"] = type(live.world.goals["apollo"])(3, 0)
            live.world.commit("skylab")
            assert message(events).data["goal"] == "skylab"

    def test_a_passing_instant_is_news(self, live: Running) -> None:
        at = datetime.now(UTC) + timedelta(seconds=0.6)
        live.world.goals["apollo"].next_at = at
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            event = message(events)
        assert event.data == {"goal": "apollo", "version": 1, "at": at.isoformat()}
        assert datetime.now(UTC) >= at

    def test_beats_while_nothing_happens(
        self, live: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stream, "BEAT", 0.05)
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            beat = events.next()
        assert beat is not None and (beat.name, beat.data) == ("beat", {})

    def test_who_leaves_is_forgotten(self, live: Running) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            assert live.front.hub.connected() == 1
        until(lambda: live.front.hub.connected() == 0)

    def test_a_failing_database_ends_nothing(
        self, live: Running, caplog: pytest.LogCaptureFixture
    ) -> None:
        with Events(live.served, Authorization=OWNER) as events:
            events.next()
            live.world.broken = True
            until(lambda: "cannot read the database: disk gone" in caplog.text)
            live.world.commit("apollo")
            assert message(events).data["version"] == 2


class TestWait:
    def test_another_digest_answers_at_once(self, live: Running) -> None:
        answer = live.served.get(f"{WAIT}?agent=a&after=other&timeout=60", Authorization=AGENT)
        assert (answer.status, answer.json["outcome"]) == (200, "wait")
        assert answer.json["asked"] == {"agent": ["a"]}

    def test_without_after_it_is_should_run(self, live: Running) -> None:
        assert live.served.get(WAIT, Authorization=AGENT).json["digest"] == digest("wait")

    def test_holds_until_the_decision_is_another(self, live: Running) -> None:
        path = f"{WAIT}?after={digest('wait')}&timeout=60"
        with ThreadPoolExecutor(1) as room:
            waiting = room.submit(live.served.get, path, Authorization=AGENT)
            until(lambda: live.world.answered[SHOULD_RUN] == 1)
            live.world.commit("apollo")  # another version, the same decision
            until(lambda: live.world.answered[SHOULD_RUN] == 2)
            assert not waiting.done()
            live.world.commit("apollo", "deliver")
            answer = waiting.result(5)
        assert (answer.json["outcome"], answer.json["version"]) == ("deliver", 3)
        # The answer is on its way before the server has put the waiter away.
        until(lambda: not live.front.hub.waiters)

    def test_another_process_wakes_it(self, live: Running) -> None:
        path = f"{WAIT}?after={digest('wait')}&timeout=60"
        with ThreadPoolExecutor(1) as room:
            waiting = room.submit(live.served.get, path, Authorization=AGENT)
            until(lambda: live.front.hub.waiters)
            live.world.commit("apollo", "deliver", here=False)
            assert waiting.result(5).json["outcome"] == "deliver"

    def test_a_commit_during_the_first_decision_is_not_lost(self, live: Running) -> None:
        live.world.hold = threading.Event()
        path = f"{WAIT}?after={digest('deliver')}&timeout=60"
        live.world.goals["apollo"].says = "deliver"
        with ThreadPoolExecutor(1) as room:
            waiting = room.submit(live.served.get, path, Authorization=AGENT)
            until(lambda: live.world.asked[SHOULD_RUN])
            live.world.commit("apollo", "ask")
            live.world.hold.set()
            assert waiting.result(5).json["outcome"] == "ask"

    def test_decides_again_at_wake_at(self, live: Running) -> None:
        path = f"{WAIT}?after={digest('wait')}&timeout=60"
        live.world.wake_at = datetime.now(UTC) + timedelta(seconds=0.4)
        with ThreadPoolExecutor(1) as room:
            waiting = room.submit(live.served.get, path, Authorization=AGENT)
            until(lambda: live.world.answered[SHOULD_RUN] == 1)
            live.world.goals["apollo"].says = "deliver"  # by the clock alone: no version
            assert waiting.result(5).json["outcome"] == "deliver"
        assert datetime.now(UTC) >= live.world.wake_at

    def test_an_instant_in_the_past_does_not_spin(self, live: Running) -> None:
        live.world.wake_at = datetime.now(UTC) - timedelta(seconds=60)
        live.served.get(f"{WAIT}?after={digest('wait')}&timeout=1", Authorization=AGENT)
        assert live.world.asked[SHOULD_RUN] <= 6

    def test_the_timeout_answers_with_the_same_digest(self, live: Running) -> None:
        path = f"{WAIT}?after={digest('wait')}&timeout=1"
        answer = live.served.get(path, Authorization=AGENT)
        assert (answer.status, answer.json["digest"]) == (200, digest("wait"))

    def test_a_refusal_is_passed_on(self, live: Running) -> None:
        assert live.served.get(WAIT, Authorization="Bearer wrong").status == 401
        path = "/api/v1/goals/gemini/wait?after=x&timeout=60"
        assert live.served.get(path, Authorization=AGENT).json["code"] == "not_found"

    def test_a_revoked_token_is_refused_at_the_next_decision(self, live: Running) -> None:
        path = f"{WAIT}?after={digest('wait')}&timeout=60"
        with ThreadPoolExecutor(1) as room:
            waiting = room.submit(live.served.get, path, Authorization=AGENT)
            until(lambda: live.world.asked[SHOULD_RUN])
            del live.world.rights[AGENT]
            live.world.commit("apollo", "deliver")
            assert waiting.result(5).status == 401

    def test_text_for_who_wants_text(self, live: Running) -> None:
        path = f"{WAIT}?after=other"
        answer = live.served.get(path, Authorization=AGENT, Accept="text/plain")
        assert answer.body == b"wait"

    def test_who_ask_the_same_share_a_decision(self, live: Running) -> None:
        path = f"{WAIT}?agent=a&after={digest('wait')}&timeout=60"
        count = 12
        live.world.hold = threading.Event()
        with ThreadPoolExecutor(count) as room:
            waiting = [
                room.submit(live.served.get, path, Authorization=AGENT) for _ in range(count)
            ]
            until(lambda: live.front.hub.connected() == count)
            live.world.hold.set()
            until(lambda: live.world.answered[SHOULD_RUN])
            live.world.commit("apollo", "deliver")
            answers = {one.result(5).json["outcome"] for one in waiting}
        assert answers == {"deliver"}
        assert live.world.asked[SHOULD_RUN] < count / 2

    def test_other_credentials_share_nothing(self, live: Running) -> None:
        live.served.get(WAIT, Authorization=AGENT)
        assert live.served.get(WAIT, Authorization="Bearer wrong").status == 401

    @pytest.mark.parametrize(
        "query",
        ["timeout=121", "timeout=-1", "timeout=x", "timeout=1&timeout=2", "after=a&after=b"],
    )
    def test_a_wrong_parameter_is_named(self, live: Running, query: str) -> None:
        answer = live.served.get(f"{WAIT}?{query}", Authorization=AGENT)
        assert (answer.status, answer.json["code"]) == (422, "invalid")

    def test_who_leaves_is_forgotten(self, live: Running) -> None:
        with live.served.connect() as connection:
            request = f"GET {WAIT}?after={digest('wait')} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            connection.sendall(f"{request}Authorization: {AGENT}\r\n\r\n".encode())
            until(lambda: live.front.hub.connected() == 1)
        until(lambda: live.front.hub.connected() == 0)


class TestEnd:
    def test_streams_end_and_waiters_are_answered(self) -> None:
        path = f"{WAIT}?after={digest('wait')}&timeout=60"
        with ThreadPoolExecutor(1) as room:
            with running() as live:
                events = Events(live.served, Authorization=OWNER)
                events.next()
                waiting = room.submit(live.served.get, path, Authorization=AGENT)
                until(lambda: live.front.hub.waiters)
                until(lambda: live.world.asked[SHOULD_RUN])
            assert waiting.result(1).json["digest"] == digest("wait")
            assert events.next() is None
            events.close()

    def test_nobody_is_let_in_after_it(self, live: Running) -> None:
        live.front.hub.close()
        until(lambda: live.front.hub.closing)
        answer = live.served.get(WAIT, Authorization=AGENT)
        assert (answer.status, answer.json["code"]) == (503, "busy")
