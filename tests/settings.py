"""The application's settings on a scratch directory; LOOPX_TEST_DATABASE picks another engine."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_SCRATCH = tempfile.mkdtemp(prefix="loopx-tests-")
atexit.register(shutil.rmtree, _SCRATCH, ignore_errors=True)

# Nothing of the person who runs the tests may reach them, and nothing of theirs be touched.
for _name in [name for name in os.environ if name.startswith("LOOPX_")]:
    if not _name.startswith("LOOPX_TEST_"):
        del os.environ[_name]
os.environ["LOOPX_DATA_DIR"] = _SCRATCH
os.environ["LOOPX_DATABASE"] = os.environ.get("LOOPX_TEST_DATABASE", "")
# A power cut in the middle of the tests harms nobody.
os.environ["LOOPX_SQLITE_SYNC"] = "NORMAL"

from loopx_web.settings import *  # noqa: E402, F403
from loopx_web.settings import HUEY  # noqa: E402

# Slow on purpose elsewhere; here it would be most of the run.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Tasks run at once, in the caller; worker processes of tests that start one have the real queue.
HUEY = {**HUEY, "immediate": True}
