"""One turn around a command: begin, run, renew meanwhile, finish; never left open."""

from __future__ import annotations

import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopx_web.client import packets, words
from loopx_web.client.errors import Conflict, Invalid, LeaseLost, LoopXError
from loopx_web.client.results import Settled
from loopx_web.client.sdk import LoopX
from loopx_web.client.turns import Turn

RESULT_LIMIT = 1024 * 1024
TAIL_LIMIT = 2000
GRACE_SECONDS = 5.0
TICK_SECONDS = 0.2
TIMED_OUT, NOT_FOUND = 124, 127  # exit codes, as the shell has them
# What a command's result file may say; the fence and the check are the runner's own.
RESULT_FIELDS = frozenset(
    {
        "result",
        "outcome",
        "summary",
        "evidence",
        "continuation",
        "todos",
        "gates",
        "block",
        "poll",
        "limited_until",
        "usage",
    }
)
KEPT_ON_FAILURE = ("evidence", "usage", "limited_until")


@dataclass(frozen=True)
class Job:
    """What to run in each turn, and how long it may take."""

    command: Sequence[str]
    timeout: float | None = None
    check: str = ""
    begin: Mapping[str, Any] = field(default_factory=dict)
    quiet_stdout: bool = False  # the command's output goes to stderr, ours stays clean


@dataclass(frozen=True)
class Outcome:
    result: str
    summary: str
    turn: str
    todo: str
    settled: Settled | None = None
    refused: LoopXError | None = None

    @property
    def moved(self) -> bool:
        """False makes the loop back off: nothing came of this turn."""
        return self.result in {"completed", "progress", "asked", "blocked"} and not self.refused


class Interrupted(KeyboardInterrupt):
    """SIGTERM, treated like Ctrl-C: the turn goes back before the process ends."""


def run_turn(loopx: LoopX, goal: str, agent: str, job: Job) -> Outcome:
    """Runs the command under one turn. Raises NotNow when there is nothing to begin."""
    with (
        tempfile.TemporaryDirectory(prefix="loopx-") as folder,
        loopx.turn(goal, agent, **job.begin) as turn,
    ):
        files = Files(Path(folder), turn)
        try:
            code, ended = _run(job, turn, _environment(loopx, goal, agent, turn, files), files)
        except LeaseLost as lost:
            turn.settled = Settled(raw={})  # someone else's now: there is nothing to give back
            return Outcome("failed", f"stopped: {lost.detail}", turn.id, turn.todo, refused=lost)
        if not files.result.exists() and (found := _finished_by_command(loopx, turn)):
            return found
        report = read_report(files.result, code, ended)
        if job.check and report["result"] == "completed":
            report = _checked(job, report)
        return _settle(turn, report)


class Files:
    """Where packet and result of one turn lie."""

    def __init__(self, folder: Path, turn: Turn) -> None:
        self.packet = folder / "packet.json"
        self.text = folder / "packet.txt"
        self.result = folder / "result.json"
        self.packet.write_text(json.dumps(turn.packet, ensure_ascii=False), encoding="utf-8")
        self.text.write_text(f"{packets.packet(turn.packet)}\n", encoding="utf-8")


def _environment(loopx: LoopX, goal: str, agent: str, turn: Turn, files: Files) -> dict[str, str]:
    return os.environ | {
        "LOOPX_SERVER": loopx.wire.server,
        "LOOPX_GOAL": goal,
        "LOOPX_AGENT": agent,
        "LOOPX_EXECUTION_KEY": loopx.execution_key,
        "LOOPX_TURN": turn.id,
        "LOOPX_EPOCH": str(turn.epoch),
        "LOOPX_TODO": turn.todo,
        "LOOPX_PACKET": str(files.packet),
        "LOOPX_RESULT": str(files.result),
    }


def _run(job: Job, turn: Turn, environment: dict[str, str], files: Files) -> tuple[int, str]:
    """Exit code of the command and, if we ended it, why."""
    deadline = time.monotonic() + job.timeout if job.timeout else None
    try:
        process = _start(job, environment, files)
    except OSError as error:
        return NOT_FOUND, f"The command could not be started: {error}."
    try:
        while True:
            try:
                return process.wait(TICK_SECONDS), ""
            except subprocess.TimeoutExpired:
                turn.check_lease()
            if deadline and time.monotonic() > deadline:
                return stop_group(
                    process
                ), f"It ran longer than {words.duration(job.timeout or 0)}."
    finally:
        stop_group(process)


def _start(job: Job, environment: dict[str, str], files: Files) -> subprocess.Popen[bytes]:
    with files.text.open("rb") as packet:
        return subprocess.Popen(
            list(job.command),
            stdin=packet,
            stdout=sys.stderr if job.quiet_stdout else None,
            env=environment,
            # A group of its own: what the command started ends with it.
            start_new_session=True,
        )


def _finished_by_command(loopx: LoopX, turn: Turn) -> Outcome | None:
    """The command may have called `loopx turn finish` itself, as the packet tells it to."""
    state = loopx.turn_state(turn.id)
    if state.status != "finished":
        return None
    turn.settled = Settled(raw={})
    return Outcome(state.result or "finished", state.summary or "", turn.id, turn.todo)


def stop_group(process: subprocess.Popen[bytes]) -> int:
    """Ends the command and whatever it started: first asked, then made to."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        _signal_group(process.pid, sign)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    _signal_group(process.pid, signal.SIGKILL)
    return process.wait()


def _signal_group(group: int, sign: signal.Signals) -> None:
    try:
        os.killpg(group, sign)
    except (ProcessLookupError, PermissionError):
        return


def read_report(path: Path, code: int, ended: str) -> dict[str, Any]:
    """The body of `finish` from the result file; a command that failed never completes."""
    report, trouble = _read_result(path)
    if ended or code:
        trouble = ended or _exit_words(code)
    if trouble:
        said = report.get("summary")
        failed: dict[str, Any] = {name: report[name] for name in KEPT_ON_FAILURE if name in report}
        return failed | {"result": "failed", "summary": f"{trouble} {said}" if said else trouble}
    if not report:
        return {"result": "no_change", "summary": "The command ended without writing a result."}
    return report


def _exit_words(code: int) -> str:
    if code < 0:
        return f"The command was ended by {_signal_name(-code)}."
    return f"The command ended with exit code {code}."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return f"signal {number}"


def _read_result(path: Path) -> tuple[dict[str, Any], str]:
    try:
        # Opening a pipe would wait for ever, with the lease renewed meanwhile.
        if not stat.S_ISREG(path.stat().st_mode):
            return {}, "The result file is no regular file."
        with path.open("rb") as file:
            content = file.read(RESULT_LIMIT + 1)
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, f"The result file cannot be read: {error.strerror}."
    if len(content) > RESULT_LIMIT:
        return {}, "The result file is larger than 1 MiB."
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        return {}, f"The result file is not JSON: {error}."
    if not isinstance(data, dict) or not isinstance(data.get("result"), str):
        return {}, "The result file needs a JSON object with a `result`."
    unknown = sorted(data.keys() - RESULT_FIELDS)
    if unknown:
        return {}, f"The result file has fields that nobody knows: {', '.join(unknown)}."
    return data, ""


def _checked(job: Job, report: dict[str, Any]) -> dict[str, Any]:
    """Runs the acceptance check; without exit 0 the work is progress, not completion."""
    try:
        ran = subprocess.run(
            shlex.split(job.check),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=job.timeout,
            check=False,
        )
        code, output = ran.returncode, ran.stdout
    except subprocess.TimeoutExpired as late:
        code, output = TIMED_OUT, late.output or b""
    except OSError as error:
        code, output = NOT_FOUND, str(error).encode()
    tail = output.decode(errors="replace").strip()[-TAIL_LIMIT:]
    check = {"exit_code": code, "summary": tail or f"exit code {code}"}
    if code == 0:
        return report | {"check": check}
    return _less(report, f"The check `{job.check}` ended with {code}.") | {"check": check}


def _settle(turn: Turn, report: dict[str, Any]) -> Outcome:
    """Finishes; what the server refuses is given back as progress, then as failed."""
    refused: LoopXError | None = None
    while True:
        body = dict(report)
        result = str(body.pop("result"))
        try:
            settled = turn.finish(result, **body)
        except LeaseLost as lost:
            turn.settled = Settled(raw={})
            return Outcome("failed", lost.detail, turn.id, turn.todo, refused=lost)
        except (Conflict, Invalid) as error:
            if result == "failed" and report.keys() <= {"result", "summary"}:
                raise
            refused = refused or error
            report = _after_refusal(report, error)
        else:
            summary = str(body.get("summary") or "")
            return Outcome(result, summary, turn.id, turn.todo, settled, refused)


def _after_refusal(report: dict[str, Any], error: LoopXError) -> dict[str, Any]:
    note = f"Its result was refused: {error}"
    if error.code == "gate_open" and report["result"] == "completed":
        return _less(report, note)  # a question came up meanwhile: the slice counts, done it is not
    return {"result": "failed", "summary": note[:TAIL_LIMIT]}


def _less(report: dict[str, Any], note: str) -> dict[str, Any]:
    said = report.get("summary")
    lesser = {name: value for name, value in report.items() if name != "continuation"}
    return lesser | {"result": "progress", "summary": f"{said} {note}" if said else note}
