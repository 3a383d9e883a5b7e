"""The server's part of `loopx doctor`: one line a check, each failure with its remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from loopx_web.env import BadSetting
from loopx_web.serve import lock, start, state_dir

Check = dict[str, str | bool]


def checks(*, deep: bool) -> list[Check]:
    """Empty where no server has kept its state on this machine."""
    directory = state_dir.choose(None)
    if not directory.is_dir():
        return []
    found = list(_directory(directory))
    try:
        start.django()
    except BadSetting as error:
        return [*found, _check("settings", False, str(error), "Correct or unset that variable.")]
    found += _database()
    if not all(check["ok"] for check in found):
        return found
    found += _worker(directory)
    return [*found, *_ledger()] if deep else found


def _check(name: str, ok: bool, fact: str, remedy: str = "") -> Check:
    return {"name": name, "ok": ok, "fact": fact, "remedy": remedy}


def _directory(directory: Path) -> Iterator[Check]:
    if not os.access(directory, os.W_OK | os.X_OK):
        yield _check("data directory", False, f"{directory} is read-only", "Make it writable.")
    elif os.name == "posix" and directory.stat().st_mode & 0o077:
        remedy = f"Run `chmod -R go= {directory}`; the next `loopx serve` does so too."
        yield _check("data directory", False, f"others may read {directory}", remedy)
    else:
        yield _check("data directory", True, str(directory))


def _database() -> Iterator[Check]:
    from django.db import DatabaseError, connection

    from loopx_web.serve.failure import StartFailure
    from loopx_web.serve.prepare import unapplied

    try:
        missing = unapplied()
    except StartFailure as failure:
        yield _check("migrations", False, str(failure), "Install the newer version again.")
    except DatabaseError as error:
        remedy = "Start the database, or correct LOOPX_DATABASE; a damaged file: restore a backup."
        yield _check("database", False, str(error).strip(), remedy)
    else:
        yield _check("database", True, connection.vendor)
        fact = f"{len(missing)} to apply, first {missing[0]}" if missing else "all applied"
        yield _check("migrations", not missing, fact, "Start `loopx serve` or `loopx web`.")


def _worker(directory: Path) -> Iterator[Check]:
    from huey.contrib.djhuey import HUEY

    running = lock.holder(directory / lock.WORKER)
    served = lock.holder(directory / lock.SERVER)
    if running:
        waiting = HUEY.pending_count()
        yield _check("worker", True, f"process {running.split()[0]}, {waiting} tasks waiting")
    elif served:
        remedy = "Start `loopx worker`, unless one runs on another machine."
        yield _check("worker", False, "none on this machine", remedy)
    else:
        yield _check("worker", True, "no server runs on this machine")


def _ledger() -> Iterator[Check]:
    from django.db import connection

    from kanban.queries.snapshot import goal_slugs
    from loopx_web.serve.verify import check

    if connection.vendor == "sqlite":
        yield from _file(connection.settings_dict["NAME"])
    for slug in goal_slugs():
        result = check(slug)
        findings = [str(item["what"]) for item in result["findings"]]
        fact = findings[0] if findings else f"{result['version']} events agree with the tables"
        remedy = "Keep the database, run `loopx verify`, and restore a backup beside it."
        yield _check(f"ledger of {slug}", not findings, fact, remedy)


def _file(path: object) -> Iterator[Check]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check(1)")
        said = str(cursor.fetchone()[0])
    remedy = "Keep the file and its -wal, and put a backup in its place."
    yield _check("database file", said == "ok", f"{path}: {said}", remedy)
