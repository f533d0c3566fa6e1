"""The data directory: space, permissions, who uses it, and sessions waiting to be saved."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from bot.operations.doctor.check import (
    CheckResult,
    ok,
    warning,
    wrong,
)
from bot.operations.doctor.files import check_files, check_leftovers
from bot.operations.health import find_problem, why_unwritable
from memory.errors import StoreUnavailable
from memory.stores.database import Look
from memory.stores.journal.sessions import backlog_in

_MIB = 1024 * 1024
#: A busy bot's files for a year take less than the first; below the second, nothing works.
_LITTLE, _FULL = 200 * _MIB, 20 * _MIB
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


def check_disk(data_dir: Path, *, running: bool, on_files: bool = True) -> list[CheckResult]:
    """Run all checks of the directory, `on_files` if the bot keeps everything there. Blocks; stops
    checking a large file after some seconds."""
    if not data_dir.exists():
        return [_missing_directory(data_dir)]
    unwritable = _check_writable(data_dir)
    if unwritable:
        return [unwritable]
    return [
        ok("data", f"{data_dir} can be written"),
        free_space(shutil.disk_usage(data_dir).free),
        *(check_files(data_dir) if on_files else check_leftovers(data_dir)),
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
    if reason := why_unwritable(data_dir):
        text = f"{data_dir} can't be written ({reason}): give this user the right to"
        return wrong("data", f"{text}, {_OTHER_PLACE}")
    return None


def _check_process(data_dir: Path, *, running: bool) -> Iterator[CheckResult]:
    if not running:
        return
    problem = find_problem(data_dir)
    if problem:
        yield warning("process", f"{problem}: it may be starting; else look into its log")
    else:
        yield ok("process", "a Mordecai is running on this directory")


def check_backlog(journal: Look) -> list[CheckResult]:
    """Look into the journal, also while a bot is running. Blocks."""
    try:
        backlog = backlog_in(journal)
    except StoreUnavailable:
        return []  # another check reports what is wrong with the file or the server
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
