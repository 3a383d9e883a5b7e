"""The data directory: private to its user, writable, and free of a second server."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from platformdirs import user_data_path

from loopx_web import env
from loopx_web.serve.failure import StartFailure

OWNER_KEY = "owner.key"


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


def _try_to_write(directory: Path) -> None:
    with tempfile.TemporaryFile(dir=directory):
        pass
    for path in directory.glob("*.sqlite3"):
        if not os.access(path, os.W_OK):
            raise PermissionError(13, f"{path.name} is read-only")


def _close_to_others(directory: Path) -> None:
    if os.name != "posix":
        return
    directory.chmod(0o700)
    for path in directory.iterdir():
        if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o077:
            path.chmod(0o600)
