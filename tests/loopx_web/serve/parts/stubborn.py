"""Does not stop for SIGTERM."""

from __future__ import annotations

import signal

from tests.loopx_web.serve.parts import report

signal.signal(signal.SIGTERM, signal.SIG_IGN)
report("stubborn")
while True:
    signal.pause()
