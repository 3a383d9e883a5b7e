"""`python -m …drive NAME[!]…`: supervises these parts (! marks a vital one)."""

from __future__ import annotations

import os
import sys

from loopx_web.serve.supervisor import Part, Supervisor
from tests.loopx_web.serve.parts import report


def part(word: str) -> Part:
    name = word.rstrip("!")
    return Part(name, f"tests.loopx_web.serve.parts.{name}", vital=word.endswith("!"))


supervisor = Supervisor(
    [part(word) for word in sys.argv[1:]],
    environment=os.environ,
    wait_until_ready=lambda: True,
    on_line=lambda line: report("line", line),
    on_ready=lambda: report("ready"),
    say=lambda message: report("said", message),
    back_off=(0.05, 0.1),
)
code = supervisor.run()
report("ended", str(code))
sys.exit(code)
