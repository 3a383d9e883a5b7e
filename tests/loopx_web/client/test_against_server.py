"""The command and the Python client against a real `loopx serve`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from loopx_web import client
from loopx_web.client import LoopX, NotNow, nothing, successors
from loopx_web.client.config import project_file, read_flat, token_file
from tests.serving import ServerProcess

Cli = Callable[..., subprocess.CompletedProcess[str]]
NUMBERS = count(1)
PROOF = {"kind": "test", "verdict": "supports", "summary": "41 tests pass"}


@pytest.fixture
def owner(cli: Cli, server: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command, in a fresh directory, beside the server's data directory."""
    monkeypatch.setenv("LOOPX_DATA_DIR", str(server.data_dir))
    monkeypatch.setenv("LOOPX_SERVER", server.url)
    return cli


@pytest.fixture
def goal(owner: Cli) -> str:
    """A goal with two todos, of which the second waits for the first; this directory is bound."""
    slug = f"apollo-{next(NUMBERS)}"
    done(owner("agent", "add", f"{slug}-a", "--host-kind", "shell"))
    done(
        owner(
            "start-goal",
            "--goal-text",
            "Land safely",
            "--slug",
            slug,
            "--acceptance",
            "Landed",
            "--todo",
            "Measure",
            "--with-agent",
            f"{slug}-a",
        )
    )
    done(owner("connect", "--goal", slug, "--agent", f"{slug}-a"))
    return slug


def done(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def data(ran: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done(ran))


def test_from_nothing_to_a_settled_turn(owner: Cli, goal: str, room: Path) -> None:
    decision = data(owner("should-run", "--json"))
    assert (decision["outcome"], decision["selected"]) == ("deliver", "T1")
    spoken = done(owner("should-run"))
    assert spoken.startswith("deliver")
    packet = done(owner("turn", "begin"))
    assert "Measure" in packet
    finished = done(
        owner(
            "turn",
            "finish",
            "--result",
            "completed",
            "--evidence",
            "test supports: 41 tests pass",
            "--successor",
            "Fly",
        )
    )
    assert finished
    todos = data(owner("todo", "list", "--json"))["items"]
    assert [(todo["title"], todo["status"]) for todo in todos] == [
        ("Measure", "done"),
        ("Fly", "open"),
    ]
    assert "1 spent" in done(owner("quota", "status"))
    assert "41 tests pass" in done(owner("evidence", "list"))
    assert "Measure" in done(owner("status"))
    assert "turn" in done(owner("history"))
    assert "Land safely" in done(owner("packet"))


def test_connect_binds_once_and_reuses_what_is_there(owner: Cli, goal: str, room: Path) -> None:
    (room / ".git").mkdir()
    before = read_flat(project_file(str(room)))
    token = Path(token_file(before["server"], before["agent"]))
    kept = token.read_text()
    assert token.stat().st_mode & 0o777 == 0o600
    again = data(owner("connect", "--json"))
    assert again["token"] == "kept" and token.read_text() == kept
    assert read_flat(project_file(str(room))) == before
    assert (room / ".gitignore").read_text() == ".loopx/\n"
    refused = owner("connect", "--goal", "another")
    assert refused.returncode == 2 and "--rebind" in refused.stderr
    token.write_text("lxa_revoked")
    assert data(owner("connect", "--json"))["token"].startswith("new")
    assert done(owner("should-run")).startswith("deliver")


def test_an_ask_is_shown_once(owner: Cli, goal: str) -> None:
    done(
        owner(
            "gate",
            "ask",
            "Publish 0.2 to the team index?",
            "--kind",
            "publish",
            "--option",
            "yes=Publish it: everyone gets it",
            "--option",
            "no=Keep it back",
            "--blocks-goal",
        )
    )
    first = owner("should-run", "--exit-code")
    assert first.returncode == 10, first.stderr
    assert "Publish 0.2" in first.stdout and "G1@" in first.stdout
    assert owner("should-run", "--exit-code").returncode == 11
    refused = owner("turn", "begin")
    assert refused.returncode == 1 and refused.stderr.startswith("not_now: ")
    assert "G1" in done(owner("gate", "list"))


def test_a_vague_question_is_refused_with_a_hint(owner: Cli, goal: str) -> None:
    ran = owner("gate", "ask", "Please confirm", "--free-text", "--blocks-goal")
    assert ran.returncode == 1
    assert ran.stderr.startswith("vague_question: ")
    assert len(ran.stderr.splitlines()) > 1


def test_a_token_is_no_person(owner: Cli, goal: str) -> None:
    token = token_file(read_flat(project_file("."))["server"], f"{goal}-a")
    ran = owner("goal", "stop", goal, "--token-file", token, "--json")
    assert ran.returncode == 4
    assert json.loads(ran.stderr)["code"] == "human_required"
    assert owner("goal", "list", LOOPX_TOKEN="lxa_nobody").returncode == 4


def test_closing_is_shown_to_be_a_person_s_act(owner: Cli, goal: str) -> None:
    ran = owner("goal", "close", goal)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "a person's act on the board" in ran.stderr
    assert f"/goals/{goal}/" in ran.stderr
    assert owner("goal", "close", "nowhere", "--json").returncode == 1
    assert data(owner("goal", "show", goal, "--json"))["status"] == "active"


def test_a_check_goes_with_a_completion(owner: Cli, goal: str) -> None:
    done(owner("todo", "update", "T1", "--acceptance-check", "make test", "--as-owner"))
    done(owner("todo", "claim", "T1"))
    flags = ("--evidence", "note: measured", "--nothing-more", "That was all.")
    refused = owner("todo", "complete", "T1", *flags)
    assert refused.returncode == 1 and refused.stderr.startswith("check_required")
    done(owner("todo", "complete", "T1", *flags, "--check-exit", "0"))


def test_what_is_not_recorded_is_not_offered(owner: Cli, goal: str) -> None:
    for words in (("todo", "unblock", "T1"), ("todo", "accept", "T1"), ("goal", "resume")):
        ran = owner(*words, "--reason", "x")
        assert ran.returncode == 2 and "--reason" in ran.stderr


def test_every_operator_reaches_its_route(owner: Cli, goal: str) -> None:
    done(owner("todo", "add", "Second", "--priority", "P1", "--depends-on", "T1"))
    done(owner("todo", "claim", "T1"))
    assert "someone" not in done(owner("todo", "show", "T1"))
    done(owner("todo", "update", "T1", "--body", "Carefully"))
    done(owner("todo", "release", "T1", "--reason", "lunch"))
    claimed = data(owner("todo", "claim-next", "--json"))
    assert claimed["owner"]["agent"] == f"{goal}-a"
    done(owner("todo", "block", "T1", "--reason", "no GPU", "--person", "owner"))
    done(owner("todo", "unblock", "T1", "--as-owner"))
    done(owner("todo", "defer", "T1", "--until", "manual"))
    done(owner("todo", "resume", "T1"))
    done(owner("todo", "submit", "T1", "--evidence", "note: halfway"))
    done(owner("todo", "return", "T1", "--reason", "only half", "--as-owner"))
    done(owner("todo", "move", "T1", "--priority", "P1"))
    done(owner("todo", "complete", "T1", "--evidence", "note: measured", "--successor", "T2"))
    done(owner("todo", "move", "T2", "--priority", "P0", "--as-owner"))
    done(owner("todo", "drop", "T2", "--reason", "not needed", "--as-owner"))
    done(owner("todo", "reopen", "T2", "--reason", "needed", "--as-owner"))
    assert [item["status"] for item in data(owner("todo", "list", "--json"))["items"]] == [
        "done",
        "open",
    ]
    assert owner("todo", "drop", "T9", "--reason", "x").returncode == 1


def test_lifecycle_from_the_terminal(owner: Cli, goal: str) -> None:
    done(owner("goal", "pause", goal, "--reason", "holiday"))
    assert owner("should-run", "--exit-code").returncode == 12
    done(owner("goal", "resume", goal))
    done(owner("agent", "pause", f"{goal}-a"))
    assert "agent_paused" in done(owner("should-run"))
    done(owner("agent", "resume", f"{goal}-a"))
    done(owner("goal", "stop", goal))
    assert owner("should-run", "--exit-code").returncode == 13
    done(owner("goal", "resume", goal))
    assert owner("should-run", "--exit-code").returncode == 0


def test_a_governed_loop_around_a_command(owner: Cli, goal: str, room: Path) -> None:
    body = {
        "result": "completed",
        "evidence": [PROOF | {"supports": ["A1"]}],
        "continuation": {"type": "none", "rationale": "That was all."},
    }
    code = f"import os; open(os.environ['LOOPX_RESULT'], 'w').write({json.dumps(body)!r})"
    ran = owner("--json", "run", "--max-turns", "1", "--", sys.executable, "-c", code)
    assert [turn["result"] for turn in data(ran)["outcomes"]] == ["completed"]
    # Every criterion is met and nothing is open: the system asks whether to close.
    assert owner("should-run", "--exit-code").returncode == 10


def test_a_crash_gives_the_todo_back(owner: Cli, goal: str) -> None:
    ran = owner("turn", "run", "--", sys.executable, "-c", "raise SystemExit(7)")
    assert ran.returncode == 1
    assert "exit code 7" in ran.stdout
    assert data(owner("quota", "status", "--json"))["spent"] == 0


def test_the_command_may_finish_its_turn_itself(owner: Cli, goal: str) -> None:
    finish = "turn finish --result progress --summary half --evidence 'note: looked'"
    ran = owner(
        "turn",
        "run",
        "--json",
        "--",
        "sh",
        "-c",
        f"$PY -m loopx_web.client {finish}",
        PY=sys.executable,
    )
    assert data(ran)["result"] == "progress"
    assert data(owner("todo", "show", "T1", "--json"))["status"] == "open"
    assert owner("turn", "run", "--", "no-such-command").returncode == 2


def test_an_unreadable_command_gives_the_turn_back(owner: Cli, goal: str, room: Path) -> None:
    (room / "script").write_text("no shebang, no program")
    (room / "script").chmod(0o755)
    ran = owner("turn", "run", "--", str(room / "script"))
    assert ran.returncode == 1 and "could not be started" in ran.stdout


@pytest.fixture
def loopx(goal: str, server: ServerProcess, room: Path) -> LoopX:
    return LoopX(goal=goal, agent=f"{goal}-a")


def test_the_python_client_settles_a_turn(loopx: LoopX) -> None:
    decision = loopx.should_run(explain=True)
    assert decision.may_work and decision.trace
    with loopx.turn() as turn:
        assert turn.todo == "T1" and turn.packet
        settled = turn.complete(evidence=[PROOF], continuation=successors("Fly", "Land"))
    assert settled.decision and settled.decision.outcome == "deliver"
    assert {todo.title for todo in loopx.todos(status="open").items} == {"Fly", "Land"}
    assert loopx.evidence().items[0].summary == "41 tests pass"
    assert any(event["kind"].startswith("turn.") for event in loopx.events())


def test_one_of_two_executions_gets_the_todo(loopx: LoopX, goal: str) -> None:
    peer = LoopX(goal=goal, agent=f"{goal}-a")
    with loopx.turn() as turn:
        with pytest.raises(NotNow) as refused:
            peer.begin()
        assert refused.value.decision["outcome"] == "wait"
        with pytest.raises(client.LeaseLost):
            peer.finish(turn.id, turn.epoch, "no_change", summary="not mine")
        turn.progress("half way", evidence=[PROOF])
    assert loopx.quota()["spent"] == 1


def test_wait_returns_at_a_change(loopx: LoopX, goal: str, owner: Cli) -> None:
    with loopx.turn() as turn:
        turn.complete(evidence=[PROOF | {"supports": ["A1"]}], continuation=nothing("All done."))
    before = loopx.should_run()
    assert loopx.wait(after=before.digest, timeout=1).digest == before.digest
    waiter = subprocess.Popen(
        [sys.executable, "-m", "loopx_web.client", "wait", "--after", before.digest],
        stdout=subprocess.PIPE,
        text=True,
    )
    done(owner("todo", "add", "One more", "--as-owner"))
    said, _ = waiter.communicate(timeout=30)
    assert waiter.returncode == 0 and said.strip()


def test_doctor_names_what_it_found(owner: Cli, goal: str) -> None:
    found = {
        check["name"]: check for check in json.loads(owner("doctor", "--json").stdout)["checks"]
    }
    for name in ("python", "server", "token", "goal"):
        assert found[name]["ok"], found[name]
