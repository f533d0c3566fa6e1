"""One person's memory as one open SQLite file. Synchronous: the store calls it on a thread."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory.records import Amendment, Draft, Hit, Kind, Record, Turn
from memory.search.fusion import QueryMeaning
from memory.search.ranking import Weights
from memory.search.text import TOKENISER_VERSION
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.records.person import Person, PersonContents
from memory.stores.sqlite.copies import change_copies, keep_copy
from memory.stores.sqlite.index import FileTables
from memory.stores.sqlite.migrations import migrate, snapshot, transaction

if TYPE_CHECKING:  # numpy is there only if there is an embedder
    from memory.stores.records.vectors import VectorTable

#: Seconds to wait for another process that writes to the same file.
BUSY_SECONDS = 5.0

#: Pages kept in memory for each open file, in KiB: a thousand people may be open at once.
_CACHE_KIB = 64


class PersonFile(Person):
    """A person's memory in a file. Every method that changes it changes all or nothing."""

    def __init__(self, path: Path, weights: Weights, vectors: "VectorTable | None" = None) -> None:
        """Open a file, which may have nothing in it yet. Raises NewerStore."""
        self._path = path
        self._file = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        super().__init__(FileTables(self._file), weights, vectors)
        try:
            self._prepare(path)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file; the last one to close it folds the write-ahead log into it."""
        self._file.close()

    def add_turns(self, turns: Iterable[Turn], *, on_disk: bool) -> None:
        with _without_sync(self._file), transaction(self._file):
            super().add_turns(turns, on_disk=on_disk)
        if on_disk:
            # The turns may all have been there, but not on the disk.
            self.fold()

    def commit(self, drafts: Sequence[Draft], amendments: Sequence[Amendment]) -> list[Record]:
        if lost := [each for each in amendments if each.forgotten]:
            self._in_copies(
                lambda copy: copy.commit([], [each for each in lost if copy.find(each.record_id)])
            )
        with transaction(self._file):
            return super().commit(drafts, amendments)

    def search(
        self,
        text: str,
        kinds: Sequence[Kind],
        limit: int,
        min_relevance: float,
        now: datetime,
        meaning: QueryMeaning | None = None,
    ) -> list[Hit]:
        with snapshot(self._file):
            return super().search(text, kinds, limit, min_relevance, now, meaning)

    def embed(self, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]) -> None:
        with _without_sync(self._file), transaction(self._file):
            super().embed(texts, vectors)

    def choose(self, name: str, value: str, at: float) -> None:
        with transaction(self._file):
            super().choose(name, value, at)

    def unchoose(self, name: str) -> None:
        self._in_copies(lambda copy: copy.unchoose(name))
        super().unchoose(name)
        self.fold()

    def delete(self, record_ids: Iterable[str]) -> list[str]:
        record_ids = list(record_ids)
        self._in_copies(lambda copy: copy.delete(record_ids))
        with transaction(self._file):
            deleted = super().delete(record_ids)
        if deleted:
            # The write-ahead log still holds the pages as they were.
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return deleted

    def restore(self, records: Iterable[Record]) -> list[Record]:
        with transaction(self._file):
            return super().restore(records)

    def absorb(self, contents: PersonContents) -> None:
        with transaction(self._file):
            super().absorb(contents)

    def contents(self) -> PersonContents:
        with snapshot(self._file):
            return super().contents()

    def reindex(self) -> None:
        with transaction(self._file):
            super().reindex()
            self._file.execute(
                "INSERT OR REPLACE INTO setting VALUES ('tokeniser', ?)", (str(TOKENISER_VERSION),)
            )

    def fold(self) -> None:
        """Move everything from the write-ahead log into the file, and both onto the disk."""
        self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def note_loss_told(self) -> None:
        """The person has been told what `has_loss_to_tell` says."""
        self._file.execute("DELETE FROM setting WHERE name = 'damaged_at'")
        self.has_loss_to_tell = False

    def keep_copy(self, generations: int) -> None:
        """Copy the file if it has changed since its newest copy, and delete all but so many
        copies."""
        keep_copy(self._file, self._path, PERSON_LAYOUT, generations)

    def _in_copies(self, work: Callable[["PersonFile"], object]) -> None:
        def change(path: Path) -> None:
            with closing(PersonFile(path, self._weights)) as copy:
                work(copy)

        change_copies(self._path, change)

    def _prepare(self, path: Path) -> None:
        _write_ahead(self._file)
        for pragma in ("secure_delete = ON", f"cache_size = -{_CACHE_KIB}"):
            self._file.execute(f"PRAGMA {pragma}").fetchone()
        with _without_sync(self._file):
            migrate(self._file, path, PERSON_LAYOUT.migrations)
            known = dict(self._file.execute("SELECT name, value FROM setting"))
            if known.get("tokeniser") != str(TOKENISER_VERSION):
                self.reindex()
        #: Some of it may be lost, and nobody has told the person.
        self.has_loss_to_tell = "damaged_at" in known


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait for another process that does the same to
    a new file, so the waiting is done here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def _without_sync(connection: sqlite3.Connection) -> Iterator[None]:
    """Write without syncing: a power cut may undo what is written inside, until the next change."""
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        connection.execute("PRAGMA synchronous = FULL")
