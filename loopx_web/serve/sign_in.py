"""`loopx sign-in`: a new one-time link for the owner of this data directory."""

from __future__ import annotations

from pathlib import Path

from loopx_web.serve import lock, options, start, state_dir
from loopx_web.serve.address import Address
from loopx_web.serve.failure import StartFailure


def main(argv: list[str]) -> int:
    made = options.parser("sign-in", "Prints a sign-in link: it works once, for ten minutes.")
    directory = state_dir.choose(made.parse_args(argv).data_dir)
    start.at(str(directory))
    return start.run("sign-in", lambda: link(directory))


def link(directory: Path) -> int:
    if not (directory / state_dir.OWNER_KEY).exists():
        raise StartFailure(f"No LoopX has run in {directory} yet. Start it with `loopx serve`.")
    start.django()
    from loopx_web.serve.prepare import sign_in_path

    print(f"Sign in: {address(directory)}{sign_in_path()}")
    return 0


def address(directory: Path) -> str:
    """Where the running server answers, else where the settings put it."""
    from django.conf import settings

    running = lock.holder(directory / lock.SERVER)
    if running:
        return running.partition(" ")[2].rstrip("/")
    return Address(settings.HOST, settings.PORT, bool(settings.TLS_CERT)).url
