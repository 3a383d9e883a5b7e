from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from loopx_web.client import encode, memory
from loopx_web.client.config import Config
from tests.loopx_web.client.conftest import Cli
from tests.loopx_web.client.standin import Seen, refused, serving

# Everything `loopx should-run` may load beyond what a bare interpreter has.
ALLOWED = {"__future__", "_socket", "time", "loopx_web", "loopx_web.client"} | {
    f"loopx_web.client.{name}"
    for name in ("config", "encode", "finishing", "flags", "hot", "main", "memory", "raw")
}
PROBE = """
import sys
before = set(sys.modules)
from loopx_web.client.main import main
code = main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
sys.exit(code)
"""
DECISION = {"goal": "apollo", "outcome": "deliver", "reason": "work_ready", "digest": "d1"}
HEADERS = {"X-LoopX-Outcome": "deliver", "X-LoopX-Digest": "d1"}
TURN = {"X-LoopX-Turn": "t-1", "X-LoopX-Epoch": "3", "X-LoopX-Todo": "T4"}


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize(
    "words",
    [
        ["should-run"],
        ["quota", "should-run", "--explain", "--shown", "G1@1.0"],
        ["wait", "--timeout", "5"],
        ["turn", "begin", "--todo", "T4"],
        ["turn", "renew", "t-1", "--epoch", "3"],
        ["turn", "finish", "t-1", "--epoch=3", "--result", "no_change", "--summary", "nothing"],
        ["todo", "claim", "T4"],
    ],
)
def test_the_hot_path_loads_next_to_nothing(room: Path, words: list[str], form: list[str]) -> None:
    body = DECISION if form else "deliver · work_ready\n"
    with serving(lambda _: (200, HEADERS | TURN, body)) as server:
        settings = ["--server", server.url, "--goal", "apollo", "--agent", "executor"]
        ran = subprocess.run(
            [sys.executable, "-c", PROBE, *words, *settings, *form],
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    assert set(ran.stderr.split()) <= ALLOWED
    assert ran.stdout == (json.dumps(body) + "\n" if form else body)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [("deliver", 0), ("self_repair", 0), ("ask", 10), ("wait", 11), ("quiet", 12), ("stop", 13)],
)
def test_exit_code_of_the_decision_only_on_request(cli: Cli, outcome: str, code: int) -> None:
    with serving(lambda _: (200, {"X-LoopX-Outcome": outcome}, f"{outcome}\n")) as server:
        call = ["should-run", "--server", server.url, "--goal", "apollo"]
        assert cli(*call).returncode == 0
        assert cli(*call, "--exit-code").returncode == code


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (409, "goal_not_active", 1),
        (422, "invalid", 1),
        (404, "not_found", 1),
        (401, "unauthenticated", 4),
        (403, "agent_mismatch", 4),
    ],
)
def test_refusals_are_said_in_words_or_as_problem(
    cli: Cli, status: int, code: str, expected: int
) -> None:
    with serving(lambda _: refused(status, code, owner="proposer")) as server:
        call = ["should-run", "--server", server.url, "--goal", "apollo"]
        spoken, machine = cli(*call), cli(*call, "--json")
    assert (spoken.returncode, machine.returncode) == (expected, expected)
    assert spoken.stderr.splitlines() == [f"{code}: A fact.", "  owner: proposer", "  Do this."]
    assert json.loads(machine.stderr)["code"] == code
    assert spoken.stdout == machine.stdout == ""


def test_no_server_is_exit_3_with_a_remedy(cli: Cli) -> None:
    with serving(lambda _: None) as gone:
        url = gone.url
    ran = cli("should-run", "--server", url, "--goal", "apollo", "--agent", "executor")
    assert ran.returncode == 3
    assert "loopx serve" in ran.stderr
    assert json.loads(cli("--json", "wait", "--server", url, "--goal", "a").stderr)["code"] == (
        "unreachable"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["should-run"],
        ["should-run", "--goal"],
        ["should-run", "--goal", "a", "--bogus"],
        ["should-run", "--goal", "a", "--slots", "many"],
        ["todo", "claim", "--goal", "a", "--agent", "b"],
        ["turn", "finish", "--goal", "a"],
        ["turn", "finish", "t", "--epoch", "1", "--result", "completed", "--evidence", "good"],
        [
            "turn",
            "finish",
            "t",
            "--epoch",
            "1",
            "--result",
            "completed",
            "--successor",
            "x",
            "--nothing-more",
            "y",
        ],
        ["no-such-command"],
    ],
)
def test_usage_errors_are_exit_2(cli: Cli, words: list[str]) -> None:
    ran = cli(*words)
    assert ran.returncode == 2
    assert ran.stderr and not ran.stdout


def test_a_lost_reply_is_asked_for_again_under_the_same_key(cli: Cli) -> None:
    asked: Counter[str] = Counter()

    def answer(seen: Seen) -> tuple[int, dict[str, str], object] | None:
        asked[seen.headers["idempotency-key"]] += 1
        return None if asked.total() == 1 else (201, TURN, "Turn t-1\n")

    with serving(answer) as server:
        ran = cli(
            "turn", "begin", "--server", server.url, "--goal", "apollo", "--agent", "executor"
        )
    assert ran.returncode == 0
    assert list(asked.values()) == [2]


def test_a_busy_server_is_asked_again(cli: Cli) -> None:
    answers = [refused(503, "busy"), (200, HEADERS, "deliver\n")]
    with serving(lambda _: answers.pop(0)) as server:
        assert cli("should-run", "--server", server.url, "--goal", "a").stdout == "deliver\n"


def test_questions_shown_are_sent_along_next_time(cli: Cli, room: Path) -> None:
    (room / ".loopx").mkdir()
    (room / ".loopx" / "project.json").write_text('{"goal": "apollo", "agent": "executor"}')
    headers = {"X-LoopX-Outcome": "ask", "X-LoopX-Tags": "G3@2.1,G4@1.0"}
    with serving(lambda _: (200, headers, "ask\n")) as server:
        cli("should-run", "--server", server.url)
        cli("should-run", "--server", server.url)
        cli("should-run", "--server", server.url, "--agent", "proposer")
    first, second, other = (seen.path for seen in server.seen)
    assert "shown" not in first and "shown" not in other
    assert second.endswith("shown=G3%402.1&shown=G4%401.0")


def test_a_turn_begun_here_is_finished_without_naming_it(cli: Cli, room: Path) -> None:
    (room / ".loopx").mkdir()
    (room / ".loopx" / "project.json").write_text('{"goal": "apollo", "agent": "executor"}')
    with serving(lambda _: (200, TURN, "ok\n")) as server:
        cli("turn", "begin", "--server", server.url)
        config = Config({"server": server.url})
        assert memory.turn(config) == ("t-1", "3", "T4")
        assert memory.epoch(config, "T4") == "3"
        finish = ["turn", "finish", "--server", server.url, "--result", "completed"]
        cli(
            *finish,
            "--evidence",
            "E2",
            "--evidence",
            "test supports: 41 pass",
            "--successor",
            "T9",
            "--successor",
            'Say "why"',
            "--tokens-in",
            "12",
        )
        assert memory.turn(config) == ("", "", "")
        assert cli(*finish).returncode == 2
    seen = server.seen[1]
    assert seen.path == "/api/v1/turns/t-1/finish"
    assert seen.body == {
        "epoch": 3,
        "result": "completed",
        "evidence": ["E2", {"kind": "test", "verdict": "supports", "summary": "41 pass"}],
        "continuation": {
            "type": "successors",
            "todos": [{"ref": "T9"}, {"title": 'Say "why"'}],
        },
        "usage": {"tokens_in": 12},
    }


def test_a_finish_body_from_standard_input_is_put_under_the_fence(cli: Cli, room: Path) -> None:
    with serving(lambda _: (200, {}, "ok\n")) as server:
        ran = cli(
            "turn",
            "finish",
            "t-1",
            "--epoch",
            "7",
            "--body",
            "-",
            "--server",
            server.url,
            "--execution-key",
            "s 1",
            stdin='{"result": "failed", "summary": "no luck"}\n',
        )
    assert ran.returncode == 0, ran.stderr
    assert server.seen[0].body == {
        "epoch": 7,
        "execution_key": "s 1",
        "result": "failed",
        "summary": "no luck",
    }


def test_wait_asks_again_until_there_is_something_to_do(cli: Cli) -> None:
    answers = [
        (200, {"X-LoopX-Outcome": "wait", "X-LoopX-Digest": "d1"}, "wait\n"),
        (200, {"X-LoopX-Outcome": "quiet", "X-LoopX-Digest": "d2"}, "quiet\n"),
        (200, {"X-LoopX-Outcome": "deliver", "X-LoopX-Digest": "d3"}, "deliver\n"),
    ]
    with serving(lambda _: answers.pop(0)) as server:
        ran = cli("wait", "--server", server.url, "--goal", "apollo")
    assert ran.stdout == "deliver\n"
    asked = [seen.path.partition("after=")[2][:2] for seen in server.seen]
    assert asked == ["", "d1", "d2"]


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        'quo"te \\ back',
        "line\nbreak\ttab\x01",
        "漢字 ключ",
        {"a": [1, 2.5, None, True]},
        [],
    ],
)
def test_written_json_reads_back(value: object) -> None:
    assert json.loads(encode.dumps(value)) == value
