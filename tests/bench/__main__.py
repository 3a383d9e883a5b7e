"""`make bench`: what the hot paths cost, as comparisons within one run on this machine."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from loopx_web.client import LoopX, nothing
from tests.serving import ServerProcess, environment

GOAL, AGENT = "bench", "executor"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="more runs")
    runs = 200 if parser.parse_args().full else 40
    with tempfile.TemporaryDirectory(prefix="loopx-bench-") as directory:
        data_dir = Path(directory) / "data"
        data_dir.mkdir()
        # Durable writes, as in real use: tests alone run with less.
        with ServerProcess(data_dir, "--no-worker", extra={"LOOPX_SQLITE_SYNC": "FULL"}) as server:
            measure(server, runs)


def measure(server: ServerProcess, runs: int) -> None:
    token = prepare(server)
    settings = {"LOOPX_SERVER": server.url, "LOOPX_TOKEN": token, "LOOPX_GOAL": GOAL}
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {runs} runs each\n")
    start_up(server, settings, runs)
    inside(server, token, runs)


def prepare(server: ServerProcess) -> str:
    """A goal with 200 open todos and an agent that may work on them."""
    owner = (server.data_dir / "owner.key").read_text().strip()
    client = LoopX(server.url, owner)
    client.add_agent(AGENT)
    client.create_goal(
        "Measure", acceptance=["It is measured"], slug=GOAL, title="Bench", agents=[AGENT]
    )
    token = client.make_token(AGENT)
    client.add_todos([{"title": f"Step {number}"} for number in range(200)], goal=GOAL)
    return token


def start_up(server: ServerProcess, settings: dict[str, str], runs: int) -> None:
    """Whole processes in turn, so that a drift of the machine meets both alike."""
    program = shutil.which("loopx", path=str(Path(sys.executable).parent)) or "loopx"
    ours = [program, "should-run", "--agent", AGENT, "--json"]
    bare = [sys.executable, "-c", "pass"]
    env = environment(server.data_dir, settings)
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    for _ in range(runs):
        for name, argv in (("bare", bare), ("ours", ours)):
            times[name].append(_timed(argv, env))
    bare_ms, ours_ms = (statistics.median(times[name]) * 1000 for name in ("bare", "ours"))
    answer = subprocess.run(ours, env=env, capture_output=True, check=True).stdout
    print("loopx should-run, whole process with the answer (median)")
    print(f"  python -c pass      {bare_ms:7.1f} ms")
    print(f"  loopx should-run    {ours_ms:7.1f} ms   {ours_ms - bare_ms:+.1f} ms")
    print(f"  answer              {len(answer):7d} bytes\n")


def inside(server: ServerProcess, token: str, runs: int) -> None:
    """Calls over a loopback connection, one after the other, with 200 open todos."""
    client = LoopX(server.url, token)
    health = _calls(client.health, runs)
    decisions = _calls(lambda: client.should_run(GOAL, AGENT), runs)
    turns = _calls(lambda: _settle_one(client), runs)
    print("over HTTP, one caller (median and 95th percentile)")
    for name, values in (
        ("health", health),
        ("should-run, 200 todos", decisions),
        ("a settled turn (2 calls)", turns),
    ):
        print(f"  {name:<26}{_middle(values):7.1f} ms {_high(values):7.1f} ms")


def _settle_one(client: LoopX) -> None:
    with client.turn(goal=GOAL, agent=AGENT) as turn:
        turn.complete(
            evidence=[{"kind": "test", "verdict": "supports", "summary": "measured"}],
            continuation=nothing("one of many"),
        )


def _timed(argv: list[str], env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def _calls(call: Callable[[], object], runs: int) -> list[float]:
    call()
    values = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        values.append((time.perf_counter() - start) * 1000)
    return values


def _middle(values: list[float]) -> float:
    return statistics.median(values)


def _high(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95) - 1]


if __name__ == "__main__":
    main()
