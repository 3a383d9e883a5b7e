"""Ends with a fault as soon as `steady` runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests import waiting
from tests.loopx_web.serve.parts import reports

waiting.until(lambda: reports(Path(os.environ["REPORTS"]), "steady"), "steady runs")
sys.exit(3)
