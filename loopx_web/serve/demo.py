"""`loopx demo`: the auto-research example, live, on a scratch database."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import loopx_web
from loopx_web.client import LoopX
from loopx_web.serve import state_dir
from loopx_web.serve.failure import StartFailure
from loopx_web.serve.serve import can_show_a_browser

GOAL = "knn-digits"
EXAMPLE = "auto-research"
# Whatever is set for another server has no place here; Feishu may be shown along.
KEPT_PREFIXES = ("LOOPX_FEISHU_", "LOOPX_EXAMPLE_")
STOP_SECONDS = 40
LOOK_SECONDS = 0.1
TEXT = """
A goal, four agents and their first todos are there. They work now; nothing of it is staged.

  Board    {url}/goals/{goal}/
  Sign in  {link}

Look for: two executors on different cards, figures as evidence, a candidate whose advantage does
not hold and is taken back with what was to build on it. After about a minute the evaluator asks
before it publishes: the question stands under "Needs you", and only you can answer it. Then close
the goal there too.
"""
FINISHED = (
    "\nThe goal is closed and every agent has stopped. The board stays; Ctrl-C ends the demo."
)
ENDED_EARLY = "The agents ended early; see above. The goal is not finished."
KEPT = "The demo's data stays in {directory}."


def main(argv: list[str]) -> int:
    chosen = parse(argv)
    try:
        # A plain `kill`, or a closed terminal, then cleans up like Ctrl-C.
        for name in {"SIGTERM", "SIGHUP"} & {*dir(signal)}:
            signal.signal(getattr(signal, name), signal.default_int_handler)
        with scratch(chosen.data_dir, keep=chosen.keep) as directory:
            return show(directory, chosen)
    except StartFailure as failure:
        print(f"loopx demo: {failure}", file=sys.stderr, flush=True)
        return failure.code
    except KeyboardInterrupt:
        return 0


def parse(argv: list[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(
        prog="loopx demo",
        description="Runs a real search by four agents on a scratch database, for you to watch.",
    )
    made.add_argument("--port", type=int, default=0, help="port of the board (default: a free one)")
    made.add_argument("--data-dir", metavar="DIR", help="put the data there, and keep it")
    made.add_argument("--keep", action="store_true", help="do not remove the data at the end")
    made.add_argument("--no-browser", action="store_true", help="do not open the browser")
    made.add_argument("--once", action="store_true", help="end when the goal is closed")
    made.add_argument(
        "--pace", type=float, default=1.5, metavar="S", help="more seconds per turn (default 1.5)"
    )
    return made.parse_args(argv)


@contextmanager
def scratch(chosen: str | None, *, keep: bool) -> Iterator[Path]:
    directory = Path(chosen).absolute() if chosen else Path(tempfile.mkdtemp(prefix="loopx-demo-"))
    try:
        if chosen and directory.exists() and any(directory.iterdir()):
            raise StartFailure(f"{directory} is not empty; a demo starts from nothing.")
        yield directory
    finally:
        if not chosen and not keep:
            shutil.rmtree(directory, ignore_errors=True)
        elif directory.exists():
            print(KEPT.format(directory=directory), flush=True)


def show(directory: Path, chosen: argparse.Namespace) -> int:
    with server(directory, chosen.port) as (link, url):
        owner_key = (directory / state_dir.OWNER_KEY).read_text(encoding="ascii").strip()
        with peers(directory, url, owner_key, chosen.pace) as process:
            wait_for_goal(LoopX(url, owner_key, goal=GOAL), process)
            print(TEXT.format(url=url, goal=GOAL, link=link), flush=True)
            if not chosen.no_browser and can_show_a_browser():
                webbrowser.open(link)
            if process.wait():
                raise StartFailure(ENDED_EARLY)
            if chosen.once:
                return 0
            print(FINISHED, flush=True)
            threading.Event().wait()
    return 0


@contextmanager
def server(directory: Path, port: int) -> Iterator[tuple[str, str]]:
    """A `loopx serve` of its own: (sign-in link, address)."""
    command = [sys.executable, "-m", "loopx_web.client", "serve", "--no-browser"]
    command += ["--data-dir", str(directory), "--port", str(port)]
    with running(command, environment(), stdout=subprocess.PIPE) as process:
        link = line_after(process, "Sign in: ")
        yield link, line_after(process, "LoopX is ready: ").rstrip("/")


@contextmanager
def peers(
    directory: Path, url: str, owner_key: str, pace: float
) -> Iterator[subprocess.Popen[str]]:
    own = {
        "LOOPX_SERVER": url,
        "LOOPX_TOKEN": owner_key,
        "LOOPX_EXAMPLE_OUT": str(directory),
        "LOOPX_EXAMPLE_PACE": str(pace),
    }
    with running([sys.executable, str(example() / "start.py")], environment() | own) as process:
        yield process


def wait_for_goal(loopx: LoopX, process: subprocess.Popen[str]) -> None:
    """So that the board is there when its address is printed."""
    while not loopx.goals().items:
        if process.poll() is not None:
            raise StartFailure(ENDED_EARLY)
        time.sleep(LOOK_SECONDS)


def environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LOOPX_") or name.startswith(KEPT_PREFIXES)
    }


def example() -> Path:
    """The example's directory: in the wheel, else in the source tree."""
    package = Path(loopx_web.__file__).parent
    places = [package / "examples" / EXAMPLE, package.parent / "docs" / "examples" / EXAMPLE]
    for place in places:
        if (place / "start.py").is_file():
            return place
    raise StartFailure("This installation has no example; install the whole distribution.")


@contextmanager
def running(
    command: list[str], environment: dict[str, str], stdout: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A child that Ctrl-C reaches through this process alone, so that it is stopped once."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        text=True,
        start_new_session=os.name == "posix",
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def line_after(process: subprocess.Popen[str], start: str) -> str:
    """The rest of the first output line that begins with `start`."""
    for line in process.stdout or ():
        if line.startswith(start):
            return line[len(start) :].strip()
    raise StartFailure("The server did not start; see above.")
