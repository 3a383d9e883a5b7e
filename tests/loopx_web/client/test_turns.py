"""Turns that go wrong: what only a scripted server can bring about."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopx_web.client import Conflict, LeaseLost, LoopX
from loopx_web.client.runner import Job, Outcome, run_turn
from tests import waiting
from tests.loopx_web.client.standin import Script, Seen, refused, serving

Answer = tuple[int, dict[str, str], Any]
TURN = {
    "id": "t-1",
    "todo": "T4",
    "epoch": 3,
    "packet": {"objective": "Find it"},
}
LOOPX = [sys.executable, "-m", "loopx_web.client"]
DONE = {"type": "none", "rationale": "done"}


def server(
    finish: Callable[[Seen], Answer] | None = None, renew: Callable[[Seen], Answer] | None = None
) -> Callable[[Seen], Answer]:
    def answer(seen: Seen) -> Answer:
        if seen.path.endswith("/finish"):
            return finish(seen) if finish else (200, {}, {"receipt": {}, "turn": {"id": "t-1"}})
        if seen.path.endswith("/renew"):
            return renew(seen) if renew else (200, {}, TURN)
        return 200, {}, TURN

    return answer


def finishes(script: Script) -> list[Any]:
    return [seen.body for seen in script.seen if seen.path.endswith("/finish")]


def client(script: Script) -> LoopX:
    return LoopX(script.url, "lxa_x", goal="apollo", agent="executor")


def run(script: Script, code: str, **options: Any) -> Outcome:
    job = Job([sys.executable, "-c", code], **options)
    return run_turn(client(script), "apollo", "executor", job)


def result(**fields: Any) -> str:
    return f"import os; open(os.environ['LOOPX_RESULT'], 'w').write({json.dumps(fields)!r})"


def test_an_exception_gives_the_turn_back(room: Path) -> None:
    with serving(server()) as script:
        with pytest.raises(ZeroDivisionError), client(script).turn():
            raise ZeroDivisionError("by zero")
        assert finishes(script)[0]["result"] == "failed"
        assert finishes(script)[0]["summary"] == "ZeroDivisionError: by zero"


def test_a_turn_left_without_a_result_is_given_back(room: Path) -> None:
    with serving(server()) as script:
        with client(script).turn():
            pass
        assert [body["result"] for body in finishes(script)] == ["failed"]


def test_asking_names_the_todo(room: Path) -> None:
    with serving(server()) as script:
        with client(script).turn() as turn:
            turn.ask({"question": "Publish 0.2?", "free_text": True})
        body = finishes(script)[0]
    assert (body["result"], body["epoch"]) == ("asked", 3)
    assert body["gates"][0]["blocks"] == {"todos": ["T4"]}


def test_a_lost_lease_is_noticed_and_nothing_is_written_back(room: Path) -> None:
    with serving(server(renew=lambda _: refused(409, "lease_lost"))) as script:
        with pytest.raises(LeaseLost), client(script).turn(lease_seconds=1) as turn:
            waiting.until(lambda: turn._renewal and turn._renewal.lost, "the refusal")
            turn.check_lease()
        assert finishes(script) == []


def test_a_refused_write_reaches_the_caller_and_the_turn_goes_back(room: Path) -> None:
    answers = [refused(409, "gate_open"), (200, {}, {"receipt": {}})]
    with serving(server(finish=lambda _: answers.pop(0))) as script:
        with pytest.raises(Conflict), client(script).turn() as turn:
            turn.complete(evidence=["E1"], continuation=DONE)
        assert [body["result"] for body in finishes(script)] == ["completed", "failed"]


def test_the_command_gets_the_packet_and_writes_the_result(room: Path) -> None:
    code = """
import json, os, sys
packet = json.load(open(os.environ["LOOPX_PACKET"]))
said = [packet["objective"], sys.stdin.readline().strip(), os.environ["LOOPX_TODO"]]
body = {"result": "progress", "summary": "|".join(said), "evidence": ["E1"]}
json.dump(body, open(os.environ["LOOPX_RESULT"], "w"))
"""
    with serving(server()) as script:
        outcome = run(script, code)
    assert outcome.moved
    assert outcome.summary == "Find it|objective  Find it|T4"


@pytest.mark.parametrize(
    ("code", "expected", "words"),
    [
        ("pass", "no_change", "without writing a result"),
        ("raise SystemExit(3)", "failed", "exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "failed", "SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "failed", "signal 40"),
        ("import os; os.mkfifo(os.environ['LOOPX_RESULT'])", "failed", "no regular file"),
        ("import os; os.mkdir(os.environ['LOOPX_RESULT'])", "failed", "no regular file"),
        (
            "import os; open(os.environ['LOOPX_RESULT'], 'w').write('[' * 100_000)",
            "failed",
            "not JSON",
        ),
        (result(result="completed") + "; raise SystemExit(1)", "failed", "exit code 1"),
        ("import os; open(os.environ['LOOPX_RESULT'], 'w').write('{')", "failed", "not JSON"),
        (result(summary="?"), "failed", "`result`"),
        (result(result="completed", epoch=9), "failed", "epoch"),
    ],
)
def test_what_a_command_leaves_decides(room: Path, code: str, expected: str, words: str) -> None:
    with serving(server()) as script:
        outcome = run(script, code)
        body = finishes(script)[0]
    assert (outcome.result, body["result"]) == (expected, expected)
    assert words in body["summary"]
    assert not outcome.moved


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(room: Path) -> None:
    code = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("child", "w").write(str(child.pid))
time.sleep(60)
"""
    with serving(server()) as script:
        outcome = run(script, code, timeout=1.0)
    assert outcome.result == "failed" and "longer than 1 s" in outcome.summary
    waiting.until(lambda: gone(int((room / "child").read_text())), "the child's end")


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True


def test_a_lost_lease_stops_the_command(room: Path) -> None:
    with serving(server(renew=lambda _: refused(409, "lease_lost"))) as script:
        outcome = run(script, "import time; time.sleep(60)", begin={"lease_seconds": 1})
        assert finishes(script) == []
    assert outcome.refused and outcome.refused.code == "lease_lost"


def test_a_failed_check_makes_completion_progress(room: Path) -> None:
    done = result(result="completed", evidence=["E1"], continuation=DONE)
    with serving(server()) as script:
        assert run(script, done, check="false").result == "progress"
        assert run(script, done, check="true").result == "completed"
        failed, passed = finishes(script)
    assert failed["check"]["exit_code"] == 1 and "continuation" not in failed
    assert passed["check"]["exit_code"] == 0 and passed["continuation"] == DONE


@pytest.mark.parametrize(
    ("code", "results"),
    [("gate_open", ["completed", "progress"]), ("evidence_required", ["completed", "failed"])],
)
def test_a_refused_result_still_gives_the_turn_back(
    room: Path, code: str, results: list[str]
) -> None:
    answers = [refused(409, code), (200, {}, {"receipt": {}})]
    with serving(server(finish=lambda _: answers.pop(0))) as script:
        outcome = run(script, result(result="completed", evidence=["E1"], continuation=DONE))
        assert [body["result"] for body in finishes(script)] == results
    assert outcome.refused and not outcome.moved


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_ended_runner_gives_the_turn_back(room: Path, sign: signal.Signals, code: int) -> None:
    with serving(server()) as script:
        settings = ["--server", script.url, "--goal", "apollo", "--agent", "executor"]
        command = [sys.executable, "-c", "open('started', 'w'); import time; time.sleep(60)"]
        process = subprocess.Popen(
            [*LOOPX, "turn", "run", *settings, "--", *command],
            env=os.environ | {"LOOPX_TOKEN": "lxa_x"},
        )
        waiting.until((room / "started").exists, "the command's start")
        process.send_signal(sign)
        assert process.wait(20) == code
        assert [body["result"] for body in finishes(script)] == ["failed"]


def test_the_loop_backs_off_and_stops_when_told(room: Path) -> None:
    decisions: list[dict[str, Any]] = [
        {"outcome": "deliver", "digest": "d1"},
        {"outcome": "ask", "digest": "d2", "questions": [{"ref": "G1", "tag": "G1@1.0"}]},
        {"outcome": "wait", "digest": "d3"},
        {"outcome": "quiet", "reason": "goal_closed", "digest": "d4", "stop": True},
    ]
    lock = threading.Lock()

    def answer(seen: Seen) -> Answer:
        if "/wait?" not in seen.path:
            return server()(seen)
        with lock:
            return 200, {}, decisions.pop(0) | {"goal": "apollo", "reason": "r"}

    with serving(answer) as script:
        settings = ["--server", script.url, "--goal", "apollo", "--agent", "executor"]
        ran = subprocess.run(
            [*LOOPX, "--json", "run", *settings, "--backoff", "0.1", "--", "true"],
            env=os.environ | {"LOOPX_TOKEN": "lxa_x"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["turns"] == 1
    assert "G1@1.0" in ran.stderr and "stop · r" in ran.stderr
    waits = [seen.path for seen in script.seen if "/wait?" in seen.path]
    assert "after=d2" in waits[2] and "shown=G1%401.0" in waits[2]
