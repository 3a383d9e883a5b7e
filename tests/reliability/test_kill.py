"""A writer killed at any moment: what it was told is kept, and nothing is half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from django.db import connection

from kanban.models import StoredReceipt, Todo
from kanban.transitions import todos
from tests.kanban.store.ledger import GOAL, NOW, OWNER, assert_sound, make_goal
from tests.reliability.contenders import ROOT, database_url

WRITER = """
import sys
import django
django.setup()
from kanban.transitions import todos
from tests.kanban.store.ledger import GOAL, NOW, OWNER
for number in range(100_000):
    key = f"{sys.argv[1]} {number}"
    todos.add_todos(OWNER, GOAL, [{"title": key}, {"title": "its twin"}], now=NOW, key=key)
    print(key, flush=True)
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_writer_loses_nothing_that_was_acknowledged() -> None:
    make_goal(0)
    acknowledged: list[str] = []
    for round_number in range(8):
        acknowledged += write_and_kill(str(round_number), after=3 + round_number)
        assert_sound()
        titles = list(Todo.objects.values_list("title", flat=True))
        assert {*acknowledged} <= {*titles}
        # Each pair came whole, and with its receipt.
        assert titles.count("its twin") == len(titles) / 2 == StoredReceipt.objects.count()
    again = todos.add_todos(
        OWNER,
        GOAL,
        [{"title": acknowledged[0]}, {"title": "its twin"}],
        now=NOW,
        key=acknowledged[0],
    )
    assert again.replayed


def write_and_kill(name: str, *, after: int) -> list[str]:
    """Lets a process write, kills it after so many answers, and returns what it had heard."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LOOPX_TEST_DATABASE": database_url(connection.settings_dict),
        "PYTHONPATH": str(ROOT),
    }
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, name], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert writer.stdout
    heard = [writer.stdout.readline().strip() for _answer in range(after)]
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate()
    return heard + [line for line in rest.splitlines() if line]
