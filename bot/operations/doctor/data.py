"""The data directory: space, permissions, damaged files, the process using it, and sessions
waiting to be saved."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from filelock import FileLock, Timeout

from bot.operations.doctor.check import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.operations.health import find_problem
from memory.errors import StoreUnavailable
from memory.stores.journal.sessions import backlog_in

_MIB = 1024 * 1024
#: A busy bot's files for a year take less than the first; below the second, nothing works.
_LITTLE, _FULL = 200 * _MIB, 20 * _MIB
_DATABASES = ("journal.sqlite", "inbox.sqlite", "outbox.sqlite")
_SECONDS_FOR_A_FILE = 8.0
_SQLITE_HEADER = b"SQLite format 3\0"
_OTHER_PLACE = "or name another directory with --data or MORDECAI_DATA_DIR"


def is_running(data_dir: Path) -> bool:
    """True if a process holds the directory's lock."""
    file = data_dir / "lock"
    if not file.exists():
        return False
    try:
        with FileLock(file, timeout=0):
            return False
    except (Timeout, OSError):
        # A lock we can't open belongs to another user; the directory's check says more.
        return True


def check_disk(data_dir: Path, *, running: bool) -> list[CheckResult]:
    """Run all checks of the directory. Blocks; stops checking a large file after some seconds."""
    if not data_dir.exists():
        return [_missing_directory(data_dir)]
    unwritable = _check_writable(data_dir)
    if unwritable:
        return [unwritable]
    return [
        ok("data", f"{data_dir} can be written"),
        free_space(shutil.disk_usage(data_dir).free),
        *_check_databases(data_dir),
        *_check_memories(data_dir / "memory"),
        *_check_process(data_dir, running=running),
    ]


def free_space(free: int) -> CheckResult:
    text = f"{free // _MIB} MiB are free"
    if free < _FULL:
        return wrong("space", f"{text}: make room, nothing more can be remembered")
    return warning("space", f"{text}: make room soon") if free < _LITTLE else ok("space", text)


def _missing_directory(data_dir: Path) -> CheckResult:
    parent = next(p for p in data_dir.parents if p.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return ok("data", f"{data_dir} will be made at the first start")
    return wrong("data", f"{data_dir} can't be made in {parent}: check its rights, {_OTHER_PLACE}")


def _check_writable(data_dir: Path) -> CheckResult | None:
    try:
        with tempfile.TemporaryFile(dir=data_dir) as probe:
            probe.write(b"?")
    except OSError as error:
        text = f"{data_dir} can't be written ({error.strerror}): give this user the right to"
        return wrong("data", f"{text}, {_OTHER_PLACE}")
    return None


def _check_databases(data_dir: Path) -> Iterator[CheckResult]:
    there = [data_dir / name for name in _DATABASES if (data_dir / name).exists()]
    damaged = [result for file in there if (result := _check_database(file))]
    yield from damaged
    if there and not damaged:
        yield ok("files", f"{', '.join(file.name for file in there)} are whole")


def _check_database(file: Path) -> CheckResult | None:
    end = time.monotonic() + _SECONDS_FOR_A_FILE
    try:
        # Not read-only, which would leave the files of the write-ahead log behind.
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True)) as db:
            db.set_progress_handler(lambda: time.monotonic() > end, 100_000)
            (said,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            return warning("files", f"{file} is too large to be checked here")
        return wrong("files", f"{file} can't be opened ({error}): check its rights")
    except sqlite3.DatabaseError as error:
        said = str(error)
    if said == "ok":
        return None
    text = "restore it from a backup; else the next start sets it aside and begins a new one"
    return wrong("files", f"{file} is damaged ({said}): {text}")


def _check_memories(folder: Path) -> Iterator[CheckResult]:
    if not folder.is_dir():
        return
    files = sorted(folder.glob("*.sqlite"))
    unreadable = [file for file in files if not _readable(file)]
    for file in unreadable:
        yield wrong("memories", f"{file} can't be read: check its rights, or restore it")
    if not unreadable:
        yield ok("memories", f"{len(files)} in {folder}")


def _readable(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            start = stream.read(len(_SQLITE_HEADER))
    except OSError:
        return False
    # A new file is empty.
    return start in (b"", _SQLITE_HEADER) and os.access(file, os.W_OK)


def _check_process(data_dir: Path, *, running: bool) -> Iterator[CheckResult]:
    if not running:
        return
    problem = find_problem(data_dir)
    if problem:
        yield warning("process", f"{problem}: it may be starting; else look into its log")
    else:
        yield ok("process", "a Mordecai is running on this directory")


def check_backlog(data_dir: Path) -> list[CheckResult]:
    """Read the journal, also while a bot is running. Blocks. Changes nothing."""
    try:
        backlog = backlog_in(data_dir / "journal.sqlite")
    except StoreUnavailable:
        return []  # the disk check reports what is wrong with the file
    if backlog is None:
        return []
    waiting = f"{backlog.waiting} ended conversations wait to be saved"
    if not backlog.quarantined:
        return [ok("backlog", waiting)]
    return [
        warning(
            "backlog",
            f"{waiting}, {backlog.quarantined} are in quarantine because saving them failed too "
            "often: look for session_quarantined in the log, fix what it says, stop the bot, then "
            "`mordecai maintain --retry`",
        )
    ]
