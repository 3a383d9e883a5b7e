"""Before the first request: the database at this version, and a way in for the owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loopx_web.serve.failure import StartFailure

OUR_APPS = frozenset({"kanban", "projections"})


def migrate() -> None:
    """Brings the database up to this version; refuses one that a newer version has written."""
    from django.core.management import call_command
    from django.db import DatabaseError

    try:
        _refuse_damage()
        with _alone():
            if unapplied():
                call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    except DatabaseError as error:
        raise StartFailure(_explain(error)) from error


def _refuse_damage() -> None:
    """A damaged SQLite file may answer for days before anybody reads a broken page of it.

    Takes about a second per gigabyte.
    """
    from django.db import DatabaseError, connection

    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        found = str(cursor.fetchone()[0])
    if found != "ok":
        raise DatabaseError(" ".join(found.removeprefix("*** in database main ***").split()))


def unapplied() -> list[str]:
    """Migrations this version brings and the database lacks."""
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(connection)
    known, applied = set(loader.disk_migrations), set(loader.applied_migrations)
    newer = sorted(key for key in applied - known if key[0] in OUR_APPS)
    if newer:
        raise StartFailure(
            f"The database was written by a newer version of LoopX ({'.'.join(newer[-1])}); this "
            "one would not understand it. Nothing was changed. Install that version again."
        )
    return [".".join(key) for key in sorted(known - applied)]


@contextmanager
def _alone() -> Iterator[None]:
    """One migration at a time where several machines share a database."""
    from django.db import connection

    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext('loopx-web migrate'))")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtext('loopx-web migrate'))")


def _explain(error: Exception) -> str:
    from django.conf import settings
    from django.db import connection

    reason = str(error).strip()
    if connection.vendor == "sqlite":
        file = settings.DATABASES["default"]["NAME"]
        return (
            f"The database {file} cannot be used: {reason}. The file was left as it is. If it is "
            "damaged, keep it, and put a backup in its place; do not delete its -wal file."
        )
    return f"The database of LOOPX_DATABASE cannot be used: {reason}. Nothing was changed."


def sign_in_path() -> str:
    from kanban.queries import clock
    from kanban.transitions.people import mint_sign_in_link

    return f"/sign-in/{mint_sign_in_link(clock.now())}"
