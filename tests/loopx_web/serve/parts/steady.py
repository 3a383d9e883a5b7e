"""Runs until SIGTERM, and says so."""

from __future__ import annotations

import signal
import sys

from tests.loopx_web.serve.parts import report


def stop(*_: object) -> None:
    report("stopped")
    sys.exit(0)


signal.signal(signal.SIGTERM, stop)
print("hello", flush=True)
report("steady")
signal.pause()
