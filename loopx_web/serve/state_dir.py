"""The data directory: private to its user, writable, and free of a second server."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from platformdirs import user_data_path

from loopx_web import env
from loopx_web.serve.failure import StartFailure

OWNER_KEY = "owner.key"
QUEUE = "queue.sqlite3"


def choose(option: str | None) -> Path:
    """--data-dir, then LOOPX_DATA_DIR, then the user's own place."""
    chosen = option or env.text("LOOPX_DATA_DIR") or user_data_path("loopx-web")
    return Path(chosen).expanduser().absolute()


def prepare(directory: Path) -> None:
    """Makes the directory 0700 and its files 0600; refuses one that cannot be written."""
    os.umask(0o077)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _try_to_write(directory)
        _close_to_others(directory)
    except OSError as error:
        raise StartFailure(
            f"The data directory {directory} cannot be used: {error.strerror}. Nothing was "
            "changed. Make it writable for this user, or choose another with --data-dir."
        ) from error
    env.kept_secret(directory / OWNER_KEY, prefix="lxo_")
    _refuse_damaged_queue(directory / QUEUE)


def _try_to_write(directory: Path) -> None:
    with tempfile.TemporaryFile(dir=directory):
        pass
    for path in directory.glob("*.sqlite3"):
        if not os.access(path, os.W_OK):
            raise PermissionError(13, f"{path.name} is read-only")


def _refuse_damaged_queue(path: Path) -> None:
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as queue:
            queue.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise StartFailure(
            f"The queue {path} cannot be used: {error}. It holds only reminders of work that the "
            "worker finds again by itself: move the file away and start again."
        ) from error


def _close_to_others(directory: Path) -> None:
    if os.name != "posix":
        return
    directory.chmod(0o700)
    for path in directory.iterdir():
        if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o077:
            path.chmod(0o600)
