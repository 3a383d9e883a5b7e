"""The one error of the server commands: a sentence for the person at the terminal."""

from __future__ import annotations

REFUSED = 1
USAGE = 2


class StartFailure(Exception):
    """Says what is in the way, which fact shows it, and what to do."""

    def __init__(self, message: str, code: int = REFUSED) -> None:
        super().__init__(message)
        self.code = code
