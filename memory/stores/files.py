"""Files of the stores: what SQLite puts beside one, and names that survive a power cut."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from memory.errors import StoreUnavailable
from memory.stores.database import Connection

T = TypeVar("T")

#: A database's own name, and what SQLite puts beside it.
COMPANIONS = ("", "-wal", "-shm", "-journal")


def parts_of(path: Path) -> Iterator[Path]:
    """The database and what SQLite has put beside it."""
    return (part for end in COMPANIONS if (part := path.with_name(path.name + end)).exists())


def counterparts(path: Path, other: Path) -> list[tuple[Path, Path]]:
    """Each part of the database, and its name beside another file."""
    return [
        (part, other.with_name(other.name + part.name[len(path.name) :])) for part in parts_of(path)
    ]


def connect_existing(path: Path) -> sqlite3.Connection:
    """A connection to a database that is there. Not read-only, which would leave the files of the
    write-ahead log behind."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)


def look_into(path: Path, table: str, column: str, read: Callable[[Connection], T], /) -> T | None:
    """See Look."""
    if not path.exists():
        return None
    try:
        with closing(connect_existing(path)) as db:
            known = {row[1] for row in db.execute(f"PRAGMA table_info ({table})")}
            return read(db) if column in known else None
    except (sqlite3.Error, ValueError) as failure:
        raise StoreUnavailable(f"{path} can't be read: {failure}") from failure


def sync_directory(directory: Path) -> None:
    """Make sure that a power cut undoes nothing that was made, renamed or deleted here."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put_in_place(draft: Path, path: Path) -> None:
    """Give a finished file its name, in one step that survives a power cut."""
    with draft.open("rb") as stream:
        os.fsync(stream.fileno())
    draft.replace(path)
    sync_directory(path.parent)


def make_directory(directory: Path) -> None:
    """Make a directory for this user alone, unless it is there. It survives a power cut."""
    if not directory.is_dir():
        make_directory(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
        sync_directory(directory.parent)


def copies_folder(path: Path) -> Path:
    """Where the copies of a file are: each has the moment when it was made for a name."""
    return path.parent / "copies" / path.name


def copies_of(path: Path) -> list[Path]:
    """The copies that are kept of a file, oldest first."""
    return sorted(copies_folder(path).glob("*Z"))


def erase_copies(path: Path) -> None:
    """Delete all copies of a file."""
    folder = copies_folder(path)
    if folder.is_dir():
        shutil.rmtree(folder)
        sync_directory(folder.parent)


def moment_now() -> str:
    """This moment as part of a name, which sorts by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"


def set_aside_name(path: Path, why: str) -> Path:
    """A name for a file that is set aside now."""
    return path.with_name(f"{path.name}.{why}-{moment_now()}")


def set_aside_files(path: Path, *why: str) -> list[Path]:
    """The files that were set aside, for this reason or for any, oldest first."""
    return sorted(
        found
        for each in why or ("damaged", "replaced")
        for found in path.parent.glob(f"{path.name}.{each}-*Z")
    )
