"""Damaged SQLite files: told from other failures, and kept for whoever can repair them."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import structlog

_log = structlog.get_logger(__name__)

#: A database's own name, and what SQLite puts beside it.
COMPANIONS = ("", "-wal", "-shm", "-journal")

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
#: Extended codes have the primary one in their low byte.
_PRIMARY_CODE = 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is what is wrong."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY_CODE in _DAMAGED


def quarantine(path: Path, error: sqlite3.Error, effect: str) -> None:
    """Put a damaged file aside, whole: it may be repaired, and is never written to. Nobody may have
    it open."""
    kept = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    for companion in COMPANIONS:
        part = path.with_name(path.name + companion)
        if part.exists():
            part.rename(kept.with_name(kept.name + companion))
    _log.error(
        "database_damaged",
        file=str(path),
        kept_as=str(kept),
        error=str(error),
        effect=effect,
        remedy="recover it with `.recover` in the sqlite3 shell",
    )
