"""Files of the stores: what SQLite puts beside one, and names that survive a power cut."""

import os
from collections.abc import Iterator
from pathlib import Path

#: A database's own name, and what SQLite puts beside it.
COMPANIONS = ("", "-wal", "-shm", "-journal")


def parts_of(path: Path) -> Iterator[Path]:
    """The database and what SQLite has put beside it."""
    return (part for end in COMPANIONS if (part := path.with_name(path.name + end)).exists())


def sync_directory(directory: Path) -> None:
    """Make sure that a power cut undoes nothing that was made, renamed or deleted here."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_directory(directory: Path) -> None:
    """Make a directory for this user alone, unless it is there. It survives a power cut."""
    if not directory.is_dir():
        make_directory(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
        sync_directory(directory.parent)
