"""The files of the data directory: what is damaged, set aside or in quarantine, and what to do."""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

from bot.operations.doctor.check import CheckResult, ok, warning, wrong
from bot.people.guest_file import GuestFile, UnreadableOwner
from memory.stores.files import connect_existing, set_aside_files
from memory.stores.sqlite.salvage import count_quarantined, is_lost
from memory.stores.transfer.files import UNFINISHED

_DATABASES = ("journal.sqlite", "inbox.sqlite", "usage.sqlite", "outbox.sqlite")
#: For the files of one kind together.
_SECONDS = 8.0


def check_files(data_dir: Path) -> Iterator[CheckResult]:
    """Check all databases, also while a bot is running, and the guest book. Blocks. Changes
    nothing."""
    if (half := data_dir / UNFINISHED).exists():
        yield wrong(
            "files",
            f"{data_dir} is half filled, and no bot starts on it: end it with `mordecai migrate "
            f"postgres-to-sqlite`, or delete {half}",
        )
    names = [data_dir / name for name in _DATABASES]
    databases = [path for path in names if path.exists() or is_lost(path)]
    yield from _check("files", databases, ", ".join(path.name for path in databases) + " are whole")
    memories = sorted(_memories(data_dir / "memory"))
    yield from _check("memories", memories, f"{len(memories)} in {data_dir / 'memory'}")
    try:
        entries = len(GuestFile(data_dir / "access.json").read().unreadable)
    except UnreadableOwner as failure:
        yield wrong("access", str(failure))
    else:
        if entries:
            yield warning("access", f"{entries} entries of access.json can't be read: mend them")


def check_leftovers(data_dir: Path) -> Iterator[CheckResult]:
    """Name what a bot that uses a server has left in its data directory."""
    there = [path for name in (*_DATABASES, "memory") if (path := data_dir / name).exists()]
    if there:
        yield warning(
            "files",
            f"{data_dir} has {', '.join(path.name for path in there)}, which the bot does not read "
            "because database_url is set: if `mordecai migrate` has moved them, delete them once "
            "you miss nothing, because what people let the bot forget stays in them",
        )


def _memories(folder: Path) -> set[Path]:
    """Everybody's file, also one that is gone but for its copies."""
    return {
        path.with_name(path.name.partition(".")[0] + ".sqlite") for path in folder.glob("*.sqlite*")
    }


def _check(subject: str, files: Sequence[Path], fine: str) -> Iterator[CheckResult]:
    end = time.monotonic() + _SECONDS
    problems = [result for file in files for result in _problems(subject, file, end)]
    yield from problems
    if files and not problems:
        yield ok(subject, fine)


def _problems(subject: str, file: Path, end: float) -> Iterable[CheckResult]:
    if fault := _fault(file, end):
        yield wrong(
            subject,
            f"{file} {fault}: what can be read of it, or of its newest copy, is taken when the bot "
            "opens it next. `mordecai restore` puts back a whole copy",
        )
        return
    if not os.access(file, os.R_OK | os.W_OK):
        yield wrong(subject, f"{file} can't be read and written: give this user the right to")
        return
    with suppress(sqlite3.Error):
        if rows := count_quarantined(file):
            yield warning(
                subject,
                f"{rows} rows of {file} can't be read: they are kept in its table `unreadable`, "
                "and everything else is there. `mordecai restore` may bring them back from a copy",
            )
    for aside in set_aside_files(file):
        yield warning(
            subject,
            f"{aside} was set aside: when you miss nothing, delete it; `mordecai restore` lists "
            "the copies there are",
        )


def _fault(file: Path, end: float) -> str:
    """What is wrong with a database; empty if nothing is, or the time for looking is over."""
    if is_lost(file):
        return "is gone or empty"
    try:
        with closing(connect_existing(file)) as db:
            db.text_factory = lambda text: text.decode(errors="replace")
            db.set_progress_handler(lambda: time.monotonic() > end, 100_000)
            (said,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        said = "ok" if "interrupted" in str(error) or "locked" in str(error) else str(error)
    except sqlite3.DatabaseError as error:
        said = str(error)
    return "" if said == "ok" else f"is damaged ({said})"
