"""`python -m loopx_web.client`: the command where no console script is installed."""

from __future__ import annotations

import sys

from loopx_web.client.main import main

sys.exit(main())
