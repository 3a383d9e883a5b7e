"""Typed readers of the environment; each raises on a value it cannot read."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class BadSetting(ValueError):
    """A LOOPX_* variable holds something that cannot be used; the message names it."""


def text(name: str, default: str = "") -> str:
    """The variable, or the content of the file that NAME_FILE points to, or the default."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise BadSetting(f"{name}_FILE: cannot read {path}: {error.strerror}") from error
    return os.environ.get(name, default)


def integer(name: str, default: int, *, low: int, high: int) -> int:
    raw = text(name)
    if not raw:
        return default
    try:
        value = int(raw)
    except ValueError:
        raise BadSetting(f"{name}: {raw!r} is not a whole number") from None
    if not low <= value <= high:
        raise BadSetting(f"{name}: {value} is not between {low} and {high}")
    return value


def boolean(name: str, default: bool) -> bool:
    raw = text(name).lower()
    if not raw:
        return default
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise BadSetting(f"{name}: {raw!r} is neither true nor false")


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = text(name, default)
    if value not in allowed:
        raise BadSetting(f"{name}: {value!r} is none of {', '.join(allowed)}")
    return value


def words(name: str, default: list[str]) -> list[str]:
    raw = text(name)
    return [word.strip() for word in raw.split(",") if word.strip()] if raw else default


def database(url: str, data_dir: Path, sqlite_sync: str) -> dict[str, object]:
    """Django's DATABASES entry: SQLite in the data directory, or `postgresql://…`."""
    if not url:
        return sqlite(data_dir / "loopx.sqlite3", sqlite_sync)
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path)), sqlite_sync)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise BadSetting(f"LOOPX_DATABASE: {parts.scheme!r} is neither postgresql nor sqlite")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": None,
        # Without the check every thread answers one 500 after PostgreSQL drops its back ends.
        "CONN_HEALTH_CHECKS": True,
    }


def sqlite(path: Path, sync: str) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            # DEFERRED loses most concurrent writes to "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": f"PRAGMA journal_mode=WAL;PRAGMA synchronous={sync};"
            "PRAGMA journal_size_limit=67108864;",
        },
        # A real file: an in-memory database behaves differently under threads.
        "TEST": {"NAME": str(path.with_name(f"test-{os.getpid()}.sqlite3"))},
    }


def queue(url: str, path: Path) -> dict[str, Any]:
    """huey's configuration: SQLite in its own file, or `redis://…`."""
    common: dict[str, Any] = {
        "name": "loopx",
        "results": False,
        # Left out, huey would take settings.DEBUG.
        "immediate": False,
        "consumer": {"workers": 1, "max_delay": 0.5, "flush_locks": True},
    }
    if not url:
        return {**common, "huey_class": "huey.SqliteHuey", "filename": str(path), "fsync": False}
    if urlsplit(url).scheme not in {"redis", "rediss"}:
        raise BadSetting(f"LOOPX_QUEUE: {url.split(':')[0]!r} is not redis")
    return {**common, "huey_class": "huey.RedisHuey", "connection": {"url": url}}


def kept_secret(path: Path, prefix: str = "") -> str:
    """A random secret that is made on first use and kept in a 0600 file."""
    try:
        kept = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return _new_secret(path, prefix + secrets.token_urlsafe(48))
    except (OSError, ValueError) as error:
        raise BadSetting(f"cannot read {path}: {_reason(error)}") from error
    if not kept:
        # Not made anew by itself: who has the old one would be locked out without a word.
        raise BadSetting(f"{path} is empty. Put its content back, or remove it to get a new one.")
    return kept


def private_directory(path: Path) -> Path:
    """The directory, made 0700 if there was none."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(
            f"cannot make the directory {path}: {_reason(error)}. "
            "Choose another with LOOPX_DATA_DIR or --data-dir."
        ) from error
    return path


def _new_secret(path: Path, value: str) -> str:
    private_directory(path.parent)
    try:
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(value)
        try:
            # Two processes may start at once: the first link decides, nobody reads half of it.
            os.link(draft, path)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip()
        finally:
            os.unlink(draft)
    except OSError as error:
        raise BadSetting(
            f"cannot write {path}: {_reason(error)}. "
            "Choose another directory with LOOPX_DATA_DIR or --data-dir."
        ) from error
    return value


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
