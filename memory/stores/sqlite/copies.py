"""Copies of a SQLite file: whole, a few generations, without anything that was deleted since."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memory.errors import StoreUnavailable
from memory.stores.files import (
    copies_folder,
    copies_of,
    counterparts,
    erase_copies,
    make_directory,
    moment_now,
    parts_of,
    put_in_place,
    set_aside_files,
    set_aside_name,
)
from memory.stores.layout import Layout
from memory.stores.sqlite.migrations import check, transaction


def keep_copy(connection: sqlite3.Connection, path: Path, layout: Layout, generations: int) -> None:
    """Copy the open file if it has changed since its newest copy, and delete all but so many
    copies. Raises sqlite3.DatabaseError if the file is damaged; then no copy is made."""
    if not generations:
        erase_copies(path)
        return
    if _has_changed(path):
        copy = copies_folder(path) / moment_now()
        make_directory(copy.parent)
        for left in copy.parent.glob("*.new*"):
            # A kill left it, with what no copy may have and what was deleted since.
            left.unlink()
        draft = copy.with_suffix(".new")
        draft.touch(mode=0o600)
        try:
            with closing(_open(draft)) as target:
                connection.backup(target)
                target.execute("PRAGMA journal_mode = DELETE").fetchone()
                check(target)
                with transaction(target):
                    for statement in layout.private:
                        target.execute(statement)
            put_in_place(draft, copy)
        finally:
            draft.unlink(missing_ok=True)
    for old in copies_of(path)[:-generations]:
        old.unlink()


def change_copies(path: Path, work: Callable[[Path], object]) -> None:
    """Do in all copies, and in what they have replaced, what deletes for good in the file. A copy
    in which that fails is deleted: it would bring back what is to be gone."""
    for copy in (*copies_of(path), *set_aside_files(path, "replaced")):
        try:
            work(copy)
        except Exception:  # noqa: BLE001 - the work is the caller's
            for part in list(parts_of(copy)):
                part.unlink()


def change_copy(copy: Path, work: Callable[[sqlite3.Connection], object]) -> None:
    """Do this work in a copy, in one transaction."""
    with closing(_open(copy)) as connection:
        # One that is cut off half way is damaged, and will not be restored: one sync is enough.
        for setting in ("journal_mode = MEMORY", "synchronous = OFF"):
            connection.execute(f"PRAGMA {setting}").fetchone()
        with transaction(connection):
            work(connection)
    with copy.open("rb") as stream:
        os.fsync(stream.fileno())


def restore_copy(path: Path, copy: Path) -> Path | None:
    """Put a copy into the place of the file, which nobody has open. Returns where the file was set
    aside. Raises StoreUnavailable if the copy is damaged."""
    draft = path.with_name(f"{path.name}.new")
    draft.touch(mode=0o600)
    try:
        draft.write_bytes(copy.read_bytes())
        try:
            with closing(_open(draft)) as connection:
                check(connection)
        except sqlite3.DatabaseError as failure:
            raise StoreUnavailable(f"{copy} is damaged ({failure}): take an older one") from failure
        aside = set_aside_name(path, "replaced")
        for part, name in counterparts(path, aside):
            part.rename(name)
        put_in_place(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return aside if aside.exists() else None


def _has_changed(path: Path) -> bool:
    copies = copies_of(path)
    written = [part.stat() for part in parts_of(path) if not part.name.endswith("-shm")]
    # Merely opening a file makes an empty log.
    newest = max((each.st_mtime_ns for each in written if each.st_size), default=0)
    return not copies or newest > copies[-1].stat().st_mtime_ns


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {setting}").fetchone()
    return connection
