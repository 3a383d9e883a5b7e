"""Ends at once, with a fault."""

from __future__ import annotations

import sys

from tests.loopx_web.serve.parts import report

report("brief")
sys.exit(3)
