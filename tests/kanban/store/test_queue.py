"""The fair gate: first come, first served in a process; a file lock between processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from kanban.kernel.errors import Busy
from kanban.store import queue
from kanban.store.queue import FairLock, FileLock, WriteQueue
from tests.waiting import until

HOLDER = """
import sys, time
from pathlib import Path
from kanban.store.queue import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.readline()
"""


def test_waiters_enter_in_the_order_in_which_they_came() -> None:
    lock = FairLock()
    assert lock.acquire(1)
    entered: list[int] = []

    def wait(number: int) -> None:
        assert lock.acquire(20)
        entered.append(number)
        lock.release()

    threads = []
    for number in range(20):
        thread = threading.Thread(target=wait, args=[number])
        thread.start()
        until(partial(_queued, lock, number + 1), "the waiter queues")
        threads.append(thread)
    lock.release()
    for thread in threads:
        thread.join()
    assert entered == list(range(20))


def _queued(lock: FairLock, count: int) -> bool:
    return len(lock._waiting) == count


def test_giving_up_leaves_the_queue_in_order() -> None:
    lock = FairLock()
    assert lock.acquire(0)
    assert not lock.acquire(0.01)
    assert not lock._waiting
    lock.release()
    assert lock.acquire(0)


def test_a_writer_that_waits_too_long_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "WAIT_SECONDS", 0.01)
    writers = WriteQueue(tmp_path / "lock")
    refusals: list[str] = []

    def second() -> None:
        try:
            with writers.turn():
                pass
        except Busy as busy:
            refusals.append(busy.code)

    with writers.turn():
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert refusals == ["busy"]
    with writers.turn():
        pass


def test_what_is_raised_inside_frees_both_locks(tmp_path: Path) -> None:
    writers = WriteQueue(tmp_path / "lock")
    with pytest.raises(ZeroDivisionError), writers.turn():
        raise ZeroDivisionError
    with writers.turn():
        pass


def test_the_file_lock_holds_between_processes_and_names_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = hold(path)
    entered = threading.Event()
    lock = FileLock(path)

    def wait() -> None:
        lock.acquire()
        entered.set()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    assert path.read_text().strip() == str(holder.pid)
    assert not entered.wait(0.2)
    holder.communicate("go\n")
    assert entered.wait(10)
    thread.join()
    assert path.read_text().strip() == str(os.getpid())
    assert path.stat().st_mode & 0o077 == 0
    lock.release()


def test_killing_the_holder_frees_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = hold(path)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    lock = FileLock(path)
    thread = threading.Thread(target=lock.acquire, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    lock.release()


def hold(path: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    return holder
