"""What every server command does first: load Django, and turn a bad setting into one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from loopx_web.env import BadSetting
from loopx_web.serve.failure import USAGE, StartFailure


def run(command: str, body: Callable[[], int]) -> int:
    try:
        return body()
    except StartFailure as failure:
        message, code = str(failure), failure.code
    except BadSetting as error:
        message, code = str(error), USAGE
    except KeyboardInterrupt:
        return 130
    print(f"loopx {command}: {message}", file=sys.stderr, flush=True)
    return code


def django() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loopx_web.settings")
    import django

    django.setup()


def at(data_dir: str) -> None:
    """Settings read the directory from the environment, so a flag goes there first."""
    os.environ["LOOPX_DATA_DIR"] = data_dir
