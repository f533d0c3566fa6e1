"""The files of a data directory as a source and as a target."""

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.search.ranking import Weights
from memory.stores.files import (
    connect_existing,
    counterparts,
    make_directory,
    parts_of,
    put_in_place,
    sync_directory,
)
from memory.stores.layout import Layout
from memory.stores.sqlite.migrations import check, migrate, transaction
from memory.stores.sqlite.person import PersonFile
from memory.stores.sqlite.salvage import (
    begin,
    count_quarantined,
    find_unreadable,
    is_lost,
    salvage,
)
from memory.stores.transfer.sections import (
    Contents,
    Digests,
    Filled,
    Section,
    Table,
    Values,
    digests_of,
    without_nul,
)

#: Where a target's files are until all of them are there. A bot does not start beside it.
UNFINISHED = "unfinished"
#: Where a source's copies are while they are read. After a kill they may be left.
SCRATCH = "transferring"
_MEMORIES = "memory"


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Where the sections of a data directory are: a file a layout, and one for each actor."""

    directory: Path
    layouts: Sequence[Layout]
    person: Layout

    def path(self, section: Section) -> Path:
        if section.actor:
            return self.directory / _MEMORIES / f"{section.name}.sqlite"
        return self.directory / f"{section.name}.sqlite"

    def sections(self) -> list[Section]:
        """What there is, also a file that is gone but for its copies."""
        layouts = [Section(layout) for layout in self.layouts]
        memories = self.directory / _MEMORIES
        names = {
            path.name.removesuffix(".sqlite")
            for path in (*memories.glob("*.sqlite"), *memories.glob("copies/*.sqlite"))
        }
        people = [Section(self.person, actor) for actor in sorted(_actors(names))]
        return [
            section
            for section in (*layouts, *people)
            if (path := self.path(section)).exists() or is_lost(path)
        ]

    def check_empty(self, also: Sequence[str] = ()) -> None:
        """Raises Filled if there is anything that no unfinished run has left, or one of
        the files that are named `also`."""
        if self.is_unfinished:
            return
        others = [path for name in also if (path := self.directory / name).exists()]
        if there := [*map(self.path, self.sections()), *others]:
            raise Filled(
                f"data_dir = {self.directory}: there is data already ({there[0].name}): name an "
                "empty directory with --data or MORDECAI_DATA_DIR"
            )

    @property
    def is_unfinished(self) -> bool:
        return (self.directory / UNFINISHED).exists()


class FileContents:
    """See Contents."""

    def __init__(self, connection: sqlite3.Connection, quarantined: int = 0) -> None:
        self._connection = connection
        self._unreadable = {"": quarantined}

    @property
    def unreadable(self) -> int:
        return sum(self._unreadable.values())

    def rows(self, table: Table) -> Iterator[Values]:
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name}"
        self._unreadable[table.name] = 0
        for found in self._connection.execute(sql):
            if table.fits(values := without_nul(found)):
                yield values
            else:
                self._unreadable[table.name] += 1

    def last_number(self, table: Table) -> int:
        sql = f"SELECT max({table.number}) FROM {table.name}"
        if table.once:
            sql = f"SELECT max(seq, coalesce(({sql}), 0)) FROM sqlite_sequence WHERE name = ?1"
        (last,) = self._connection.execute(sql, (table.name,)[: table.once]).fetchone() or (0,)
        return int(last or 0)


class FileSource:
    """See Source. Nobody else has the files open. What is read is a copy of each, in a directory
    that is gone at the end: old layouts have to be migrated, and their own files stay as they
    are."""

    def __init__(self, files: DataFiles) -> None:
        self._files = files
        self._scratch = files.directory / SCRATCH

    def sections(self) -> list[Section]:
        return self._files.sections()

    @contextmanager
    def open(self, section: Section) -> Iterator[Contents]:
        path = self._files.path(section)
        shutil.rmtree(self._scratch, ignore_errors=True)
        try:
            with _failures(path):
                make_directory(self._scratch)
                with closing(self._copy(path, section.layout)) as connection:
                    yield FileContents(connection, count_quarantined(self._scratch / path.name))
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _copy(self, path: Path, layout: Layout) -> sqlite3.Connection:
        """A copy of the file, of the newest layout. Rows that can't be read are kept apart in it.
        Raises StoreUnavailable for a damaged one, NewerStore."""
        copy = self._scratch / path.name
        for part, name in counterparts(path, copy):
            shutil.copy2(part, name)
        if is_lost(path) or not _migrate(copy, path, layout):
            raise StoreUnavailable(
                f"{path} is damaged or gone: start the bot on it once, which takes what can be read"
                ", or put back a copy with `mordecai restore`"
            )
        if find_unreadable(copy, layout):
            salvage(copy, layout, "rows can't be read")
        return sqlite3.connect(copy, isolation_level=None)


def _migrate(copy: Path, path: Path, layout: Layout) -> bool:
    """Bring a copy of `path` to the newest layout; False if it is damaged."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        try:
            check(connection)
        except sqlite3.DatabaseError:
            return False
        migrate(connection, path, layout.migrations)
    return True


class FileTarget:
    """See Target. The files are made in the directory `unfinished`, and moved when all are
    there."""

    def __init__(self, files: DataFiles, also: Sequence[str] = ()) -> None:
        """See `DataFiles.check_empty`."""
        self._files = files
        self._drafts = DataFiles(files.directory / UNFINISHED, files.layouts, files.person)
        files.check_empty(also)
        with _failures(files.directory):
            make_directory(self._drafts.directory)

    def sections(self) -> list[Section]:
        # If the last run was killed while it moved them, some are in place.
        return [*self._files.sections(), *self._drafts.sections()]

    @contextmanager
    def open(self, section: Section) -> Iterator[Contents]:
        draft = self._drafts.path(section)
        path = draft if draft.exists() else self._files.path(section)
        with _failures(path), closing(connect_existing(path)) as connection:
            yield FileContents(connection)

    def put(
        self, section: Section, tables: Sequence[Table], contents: Contents, wanted: Digests
    ) -> None:
        path = self._drafts.path(section)
        new = path.with_name(f"{path.name}.new")
        with _failures(path):
            make_directory(path.parent)
            for part in list(parts_of(new)):
                part.unlink()
            begin(new, section.layout)
            with closing(sqlite3.connect(new, isolation_level=None)) as connection:
                # The whole file is synced before it gets its name.
                connection.execute("PRAGMA synchronous = OFF")
                migrate(connection, path, section.layout.migrations)
                with transaction(connection):
                    _fill(connection, tables, contents)
                wanted.check(digests_of(FileContents(connection), tables))
            if section.actor:
                # It indexes the words.
                PersonFile(new, Weights()).close()
            put_in_place(new, path)

    def drop(self, section: Section) -> None:
        for files in (self._files, self._drafts):
            with _failures(files.path(section)):
                files.path(section).unlink(missing_ok=True)

    def finish(self) -> None:
        with _failures(self._files.directory):
            make_directory(self._files.directory / _MEMORIES)
            for section in self._drafts.sections():
                put_in_place(self._drafts.path(section), self._files.path(section))
            shutil.rmtree(self._drafts.directory, ignore_errors=True)
            sync_directory(self._files.directory)


def _fill(connection: sqlite3.Connection, tables: Sequence[Table], contents: Contents) -> None:
    for table in tables:
        # A new file may have rows of its own, such as the names of its indexes.
        connection.execute(f"DELETE FROM {table.name}")
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(
            f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks})",
            contents.rows(table),
        )
        if table.once:
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table.name,))
            last = contents.last_number(table)
            connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table.name, last))


def _actors(names: Iterable[str]) -> Iterator[Actor]:
    for name in names:
        # Not every file there is ours.
        with suppress(ValueError):
            yield Actor(name)


@contextmanager
def _failures(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError) as failure:
        raise StoreUnavailable(f"{path}: {failure}") from failure
