"""`mordecai restore`: list the copies of the data, and put them back."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.errors import OperatorError
from bot.operations.process import only_process, operator_errors
from bot.settings import Settings
from memory.stores.files import copies_of
from memory.stores.sqlite.copies import restore_copy

ALL = "all"
_KIB = 1024


def list_copies(settings: Settings) -> None:
    """Print all copies, the newest of each file last. Raises OperatorError."""
    data_dir = _directory(settings)
    console, table = Console(highlight=False), Table("name", "copy", "KiB", box=None)
    for name, path in _files_with_copies(data_dir):
        for copy in copies_of(path):
            table.add_row(name, copy.name, str(copy.stat().st_size // _KIB))
    if not table.row_count:
        console.print(f"{data_dir} has no copies: they are made once a day while a bot runs")
        return
    console.print(table)
    hint = "put back the newest with `mordecai restore NAME`, another with --copy"
    console.print(hint, soft_wrap=True)


def restore(settings: Settings, name: str, copy: str | None, agree: Callable[[str], bool]) -> None:
    """Put back the copies of this name, or all, and print where each file that was there is now.
    Raises OperatorError, also if a bot runs on the directory."""
    data_dir = _directory(settings)
    os.umask(0o077)
    with operator_errors(), only_process(data_dir):
        chosen = [
            (path, _choose(path, copy))
            for each, path in _files_with_copies(data_dir)
            if name in (each, ALL)
        ]
        if not chosen:
            raise OperatorError(f"{data_dir} has no copy of {name!r}: see `mordecai restore`")
        lines = [f"{path.name}: back to {_when(found)}" for path, found in chosen]
        if not agree("\n".join((*lines, "What was said and saved since is set aside. Go on?"))):
            raise OperatorError("nothing was changed")
        for path, found in chosen:
            aside = restore_copy(path, found)
            kept = f", the former file is {aside}" if aside else ""
            Console(highlight=False).print(f"restored {path}{kept}", soft_wrap=True)


def _directory(settings: Settings) -> Path:
    """Raises OperatorError where the copies are not of what the bot uses."""
    if settings.database_url:
        raise OperatorError(
            "database_url is set: a server has backups of its own, which `pg_dump` makes and "
            "`pg_restore` puts back (docs/scaling.md). To put back copies of files, unset "
            "MORDECAI_DATABASE_URL"
        )
    return settings.data_dir


def _files_with_copies(data_dir: Path) -> Iterator[tuple[str, Path]]:
    """What has copies: its name for the operator, and its file."""
    for folder in (data_dir, data_dir / "memory"):
        for copies in sorted((folder / "copies").glob("*.sqlite")):
            if copies_of(folder / copies.name):
                yield copies.stem, folder / copies.name


def _choose(path: Path, wanted: str | None) -> Path:
    copies = copies_of(path)
    if wanted is None:
        return copies[-1]
    for copy in copies:
        if copy.name == wanted:
            return copy
    raise OperatorError(f"{path.name} has no copy {wanted!r}: see `mordecai restore`")


def _when(copy: Path) -> str:
    at = datetime.strptime(copy.name, "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)
    return f"{at:%Y-%m-%d %H:%M} UTC"
