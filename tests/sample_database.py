"""`python -m tests.sample_database`: the sample goal in LOOPX_DATA_DIR; prints its references."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def make_sample(data_dir: Path) -> dict[str, str]:
    """Fills a directory before a server starts on it: by name, the references and the `slug`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.sample_database"],
        cwd=ROOT,
        env={**os.environ, "LOOPX_DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "loopx_web.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from tests.sample_goal import SampleGoal

    sample = SampleGoal(datetime.now(UTC))
    sample.build()
    print(json.dumps({"slug": sample.slug, **sample.refs}))


if __name__ == "__main__":
    main()
