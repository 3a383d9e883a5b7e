"""The example's modules are plain files in a folder, as its programs see them."""

from __future__ import annotations

import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "auto-research"
sys.path.insert(0, str(EXAMPLE))
