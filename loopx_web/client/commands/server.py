"""Commands of the server: started by name, so that the client itself imports none of it."""

from __future__ import annotations

import sys
from importlib import import_module


def main(argv: list[str]) -> int:
    name = argv[0].replace("-", "_")
    try:
        module = import_module(f"loopx_web.serve.{name}")
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing.startswith("loopx_web"):
            print(f"loopx {argv[0]}: this installation has no {missing}.", file=sys.stderr)
        else:
            print(
                f"loopx {argv[0]}: the server part needs {missing}, which is not installed here. "
                "Install the whole distribution: pip install loopx-web",
                file=sys.stderr,
            )
        return 1
    return int(module.main(argv[1:]) or 0)
