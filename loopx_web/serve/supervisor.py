"""Runs the web process and the worker as children: restarts, forwards signals, stops cleanly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import FrameType

STOP_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# huey lets a running task finish; see worker.py.
STOP_SECONDS = 25.0
ECHO_SECONDS = 1.0
BACK_OFF_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)
# A child that ran this long has recovered: its next failure starts the back-off anew.
SETTLED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Part:
    """A child to run; the server lives and dies with one that is `vital`."""

    name: str
    module: str
    vital: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    part: Part
    code: int


@dataclass(frozen=True, slots=True)
class Due:
    """A part whose back-off is over."""

    part: Part


@dataclass(frozen=True, slots=True)
class Ready:
    pass


@dataclass(frozen=True, slots=True)
class Line:
    """What the vital part wrote on its standard output."""

    text: str


@dataclass(frozen=True, slots=True)
class Stop:
    signum: int


Event = Ended | Due | Ready | Line | Stop


def python(module: str, *arguments: str) -> list[str]:
    """Runs a module with this interpreter; -P keeps what lies in the working directory out."""
    return [sys.executable, "-P", "-m", module, *arguments]


class Supervisor:
    """One loop over one queue of events; threads only put events on it."""

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        environment: Mapping[str, str],
        wait_until_ready: Callable[[], bool],
        on_ready: Callable[[], None],
        on_line: Callable[[str], None],
        say: Callable[[str], None],
        back_off: Sequence[float] = BACK_OFF_SECONDS,
    ) -> None:
        self.parts = parts
        self.environment = environment
        self.wait_until_ready = wait_until_ready
        self.on_ready = on_ready
        self.on_line = on_line
        self.say = say
        self.back_off = back_off
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.running: dict[Part, subprocess.Popen[bytes]] = {}
        self.started: dict[Part, float] = {}
        self.failures: dict[Part, int] = {}
        self.stopping = False

    def run(self) -> int:
        """Until a signal (0) or the end of a vital part (1)."""
        before = self._listen_to_signals()
        try:
            # The vital ones first: the others would only make the first answer come later.
            self._start_parts(vital=True)
            threading.Thread(target=self._report_ready, daemon=True).start()
            return self._loop()
        finally:
            self._stop_all()
            for signum, handler in before.items():
                signal.signal(signum, handler)

    def _listen_to_signals(
        self,
    ) -> dict[int, Callable[[int, FrameType | None], object] | int | None]:
        numbers = [getattr(signal, name) for name in STOP_SIGNALS if hasattr(signal, name)]
        return {number: signal.signal(number, self._on_signal) for number in numbers}

    def _on_signal(self, signum: int, _frame: FrameType | None) -> None:
        # SimpleQueue.put is re-entrant, so a handler may call it.
        self.events.put(Stop(signum))

    def _report_ready(self) -> None:
        if self.wait_until_ready():
            self.events.put(Ready())

    def _loop(self) -> int:
        while True:
            match self._next_event():
                case Stop():
                    return 0
                case Ready():
                    self.on_ready()
                    self._start_parts(vital=False)
                case Line(text):
                    self.on_line(text)
                case Due(part):
                    self._start(part)
                case Ended(part, code) if part.vital:
                    self.say(f"The {part.name} process ended ({describe(code)}); stopping.")
                    return 1
                case Ended(part, code):
                    self._restart_later(part, code)

    def _next_event(self) -> Event:
        while True:
            try:
                # The limit lets Windows see Ctrl-C; elsewhere a signal ends the wait by itself.
                return self.events.get(timeout=1.0)
            except Empty:
                continue

    def _start_parts(self, *, vital: bool) -> None:
        for part in self.parts:
            if part.vital is vital:
                self._start(part)

    def _start(self, part: Part) -> None:
        process = subprocess.Popen(
            python("loopx_web.serve.child", part.module),
            stdin=subprocess.PIPE,
            # Our standard output carries the two lines that scripts read, and nothing else.
            stdout=subprocess.PIPE if part.vital else sys.stderr.fileno(),
            stderr=sys.stderr.fileno(),
            env=dict(self.environment),
            # Ctrl-C goes to the supervisor alone, which then stops each child once.
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self.running[part] = process
        self.started[part] = time.monotonic()
        threading.Thread(target=self._watch, args=(part, process), daemon=True).start()

    def _watch(self, part: Part, process: subprocess.Popen[bytes]) -> None:
        for line in process.stdout or ():
            self.events.put(Line(line.decode(errors="replace").rstrip()))
        self.events.put(Ended(part, process.wait()))

    def _restart_later(self, part: Part, code: int) -> None:
        self.running.pop(part, None)
        if time.monotonic() - self.started[part] >= SETTLED_SECONDS:
            self.failures[part] = 0
        failures = self.failures.get(part, 0)
        self.failures[part] = failures + 1
        pause = self.back_off[min(failures, len(self.back_off) - 1)]
        self.say(f"The {part.name} ended ({describe(code)}); starting it again in {pause:g} s.")
        timer = threading.Timer(pause, self.events.put, (Due(part),))
        timer.daemon = True
        timer.start()

    def _stop_all(self) -> None:
        for process in self.running.values():
            process.terminate()
        began = time.monotonic()
        for part, process in self.running.items():
            if not self._wait(process, began):
                self.say(f"The {part.name} was ended before it had finished.")
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()

    def _wait(self, process: subprocess.Popen[bytes], began: float) -> bool:
        """False at the deadline, or when a second signal asks to hurry."""
        while process.poll() is None:
            passed = time.monotonic() - began
            # A terminal, make and timeout send the first signal twice.
            if passed >= STOP_SECONDS or (self._told_again() and passed >= ECHO_SECONDS):
                return False
            try:
                process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
        return True

    def _told_again(self) -> bool:
        try:
            return isinstance(self.events.get_nowait(), Stop)
        except Empty:
            return False


def describe(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
