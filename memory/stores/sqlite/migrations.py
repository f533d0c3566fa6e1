"""Migrations and transactions of a SQLite file, and what its errors mean."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from memory.errors import MemoryFailure, NewerStore
from memory.stores.layout import Migration

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
#: Extended codes have the primary one in their low byte.
_PRIMARY_CODE = 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """True if the file itself is damaged."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY_CODE in _DAMAGED


def check(connection: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError if the file is damaged."""
    sql = "SELECT integrity_check = 'ok' FROM pragma_integrity_check (1)"
    try:
        is_whole = connection.execute(sql).fetchall() == [(1,)]
    except UnicodeDecodeError:  # SQLite's error quotes the damage, which is no text
        is_whole = False
    if not is_whole:
        failure = sqlite3.DatabaseError("its integrity check fails")
        failure.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise failure


#: What SQLite answers about rows whose values make no sense; JSON that is none has no code of its
#: own, and text that is no UTF-8 has none at all.
_SENSELESS = _DAMAGED | {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH}


def may_be_unreadable(error: Exception) -> bool:
    """True if the reason for the error may be what stands in the file."""
    if isinstance(error, sqlite3.Error):
        code: int = getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR
        closed = isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError)
        return not closed and code & _PRIMARY_CODE in _SENSELESS
    return not isinstance(error, MemoryFailure | OSError)


_LEDGER = """CREATE TABLE IF NOT EXISTS migration (
    name TEXT PRIMARY KEY, applied_at TEXT NOT NULL
) WITHOUT ROWID"""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything inside together, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back on its own; there is nothing left to roll back then.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read everything inside as of one moment, whatever other processes write. The file is locked
    once instead of for every statement, which takes a tenth off a search."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # Damage found while reading may have ended it already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    migrations: tuple[Migration, ...],
) -> None:
    """Bring a file to the newest layout. Raises NewerStore if it has migrations that this version
    does not know."""
    ledger = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'migration'")
    if ledger.fetchone() and len(_applied_names(connection, path, migrations)) == len(migrations):
        return
    # One transaction, for one wait for the disk.
    with transaction(connection):
        connection.execute(_LEDGER)
        # Asked inside: another process may have been faster.
        applied = _applied_names(connection, path, migrations)
        for migration in migrations:
            if migration.name in applied:
                continue
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migration VALUES (?, ?)",
                (migration.name, datetime.now(UTC).isoformat()),
            )


def tables_with_rows(connection: sqlite3.Connection) -> list[str]:
    """The tables with rows of their own, in the order in which they were made: indexes of words are
    made again."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
        "ORDER BY rowid"
    ).fetchall()
    virtual = {name for name, sql in found if str(sql).startswith("CREATE VIRTUAL")}
    return [
        name
        for name, _ in found
        if name != "migration" and not any(str(name).startswith(each) for each in virtual)
    ]


def _applied_names(
    connection: sqlite3.Connection, path: Path, migrations: tuple[Migration, ...]
) -> set[str]:
    """The names of the migrations the file has been through."""
    applied = {name for (name,) in connection.execute("SELECT name FROM migration")}
    unknown = sorted(applied - {migration.name for migration in migrations})
    if unknown:
        raise NewerStore(
            f"{path}: written by a newer version (its layout has {len(applied)} migrations, among "
            f"them {', '.join(unknown)}; this program knows {len(migrations)}). Install the "
            f"version that wrote it or a later one, or start with another data directory."
        )
    return applied
