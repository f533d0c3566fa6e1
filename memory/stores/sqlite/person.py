"""One person's memory as one open SQLite file. Synchronous: the store calls it on a thread."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memory.knowledge.merging import Merging
from memory.records import Amendment, Draft, Hit, Kind, Record, Turn, Utterance
from memory.search.fusion import QueryMeaning, fuse
from memory.search.query import parse
from memory.search.ranking import Ranked, Weights
from memory.search.resemblance import distinct, telling
from memory.search.text import TOKENISER_VERSION, storable
from memory.stores.sqlite.copies import change_copies, keep_copy
from memory.stores.sqlite.index import INDEXES, candidates
from memory.stores.sqlite.layout import (
    COLUMNS,
    PERSON_LAYOUT,
    record_of,
)
from memory.stores.sqlite.migrations import migrate, snapshot, transaction
from memory.stores.sqlite.table import RecordTable
from memory.stores.values import text_of

if TYPE_CHECKING:  # numpy is there only if there is an embedder
    from memory.stores.sqlite.vectors import VectorTable

#: Seconds to wait for another process that writes to the same file.
BUSY_SECONDS = 5.0

#: Pages kept in memory for each open file, in KiB: a thousand people may be open at once.
_CACHE_KIB = 64


class Contents(NamedTuple):
    """What one file hands over to another: the ids of the turns that were archived, all records,
    oldest first, and the choices with the moments they were made."""

    turns: Sequence[str]
    records: Sequence[Record]
    choices: Sequence[tuple[str, str, float]]


class PersonFile:
    """The records, archived messages, word index and choices of one actor. Errors of SQLite come
    through."""

    def __init__(self, path: Path, weights: Weights, vectors: "VectorTable | None" = None) -> None:
        """Open a file, which may have nothing in it yet. Raises NewerStore."""
        self._path, self._weights, self._vectors = path, weights, vectors
        self._connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._table = RecordTable(self._connection)
        try:
            self._prepare(path)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file; the last one to close it folds the write-ahead log into it."""
        self._connection.close()

    def add_turns(self, turns: Iterable[Turn], *, on_disk: bool) -> None:
        """Archive the messages of turns whose ids are new. Unless they are to be `on_disk` by
        then, they get there with the next change: the journal has them on the disk."""
        by_id = {turn.id: turn for turn in turns}
        with _without_sync(self._connection), transaction(self._connection):
            # One statement, also for the whole session that is handed over at its end.
            added = self._connection.execute(
                "INSERT OR IGNORE INTO turn SELECT value FROM json_each(?) RETURNING id",
                (json.dumps(list(by_id)),),
            )
            new = {id_ for (id_,) in added}
            records = [
                _message_record(said, turn)
                for turn in by_id.values()
                if turn.id in new
                for said in turn.messages
                if storable(said.text)
            ]
            if records:
                self._table.insert(records)
        if on_disk:
            # The turns may all have been there, but not on the disk.
            self.fold()

    def commit(self, drafts: Sequence[Draft], amendments: Sequence[Amendment]) -> list[Record]:
        """Write all drafts and make all amendments, or nothing. Raises UnknownRecord, and
        RefusedText for a draft that says nothing."""
        if lost := [each for each in amendments if each.forgotten]:
            self._in_copies(
                lambda copy: copy.commit([], [each for each in lost if copy.find(each.record_id)])
            )
        with transaction(self._connection):
            written = [self._table.write(draft) for draft in drafts]
            return written + [self._table.amend(amendment) for amendment in amendments]

    def search(
        self,
        text: str,
        kinds: Sequence[Kind],
        limit: int,
        min_relevance: float,
        now: datetime,
        meaning: QueryMeaning | None = None,
    ) -> list[Hit]:
        """The current records that have to do with the text, best first. `meaning` is that of the
        text, by the embedder of this file's vectors."""
        query = parse(storable(text), now)
        if not query.index_words:
            return []
        with snapshot(self._connection):
            found = [
                scored
                for index in INDEXES
                if (wanted := [kind for kind in index.kinds if kind in kinds])
                for scored in index.search(self._connection, query, wanted, now, self._weights)
            ]
            if meaning and query.topical:
                found = self._fuse(found, meaning, kinds, now)
            relevant = [scored for scored in found if scored.relevance >= min_relevance]
            relevant.sort(key=lambda scored: scored.relevance, reverse=True)
            return distinct(self._read_hits(relevant, max(1, limit)), limit)

    def unembedded(self, limit: int) -> dict[int, str]:
        """Rows of records without a vector by the embedder, newest first, with their texts; at most
        `limit`."""
        return self._vectors.missing(self._connection, limit) if self._vectors else {}

    def embed(self, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]) -> None:
        """Store the vectors of these rows' texts, in order. Records that were forgotten since get
        none."""
        if self._vectors:
            with _without_sync(self._connection), transaction(self._connection):
                self._vectors.add(self._connection, texts, vectors)

    def records(self, kinds: Sequence[Kind], include_superseded: bool) -> list[Record]:
        """All records of these kinds, oldest first."""
        marks = ", ".join("?" * len(kinds))
        current = "" if include_superseded else "AND superseded_at IS NULL"
        rows = self._connection.execute(
            f"SELECT {COLUMNS} FROM record WHERE kind IN ({marks}) {current} ORDER BY moment, row",
            [kind.value for kind in kinds],
        )
        return [record_of(row) for row in rows]

    def find(self, short_id: str) -> Record | None:
        """The learned record with this short id, which is the id itself here."""
        found = self._connection.execute(
            f"SELECT {COLUMNS} FROM record WHERE id = ? AND kind != 'message'", (short_id.lower(),)
        ).fetchone()
        return record_of(found) if found else None

    def messages(self, turn_ids: Sequence[str]) -> list[Record]:
        """The archived messages of these turns, oldest first."""
        rows = self._connection.execute(
            f"SELECT {COLUMNS} FROM record WHERE kind = 'message' "
            "AND turn_ids IN (SELECT value FROM json_each(?)) ORDER BY moment, row",
            (json.dumps([json.dumps((turn_id,)) for turn_id in turn_ids]),),
        )
        return [record_of(row) for row in rows]

    def choices(self) -> dict[str, str]:
        """The person's choices by name."""
        rows = self._connection.execute("SELECT name, value FROM choice")
        return {text_of(name): text_of(value) for name, value in rows}

    def choose(self, name: str, value: str, at: float) -> None:
        """Store a choice, unless a later one is stored."""
        self._connection.execute(
            "INSERT INTO choice VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
            "SET value = excluded.value, moment = excluded.moment WHERE excluded.moment >= moment",
            (name, value, at),
        )

    def unchoose(self, name: str) -> None:
        """Delete this choice."""
        self._in_copies(lambda copy: copy.unchoose(name))
        self._connection.execute("DELETE FROM choice WHERE name = ?", (name,))
        self.fold()

    def delete(self, record_ids: Iterable[str]) -> list[str]:
        """Delete records with every trace but their place. Returns the deleted ids."""
        record_ids = list(record_ids)
        self._in_copies(lambda copy: copy.delete(record_ids))
        with transaction(self._connection):
            deleted = [id_ for id_ in dict.fromkeys(record_ids) if self._table.remove(id_)]
            for index in INDEXES:
                if deleted:
                    index.compact(self._connection)
        if deleted:
            # The write-ahead log still holds the pages as they were.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return deleted

    def restore(self, records: Iterable[Record]) -> list[Record]:
        """Restore deleted records under their ids and in their places, all or none. Raises
        UnknownRecord for one that was not deleted here."""
        with transaction(self._connection):
            return [self._table.restore(record) for record in records]

    def contents(self) -> Contents:
        """Everything in the file."""
        with snapshot(self._connection):
            return Contents(
                [id_ for (id_,) in self._connection.execute("SELECT id FROM turn")],
                self.records(tuple(Kind), include_superseded=True),
                self._connection.execute("SELECT name, value, moment FROM choice").fetchall(),
            )

    def absorb(self, contents: Contents) -> None:
        """Add another file's contents under ids of this one, all or nothing. What exists here stays
        as it is. In each slot only the newest record stays current, of each choice the latest
        counts."""
        with transaction(self._connection):
            for choice in contents.choices:
                self.choose(*choice)
            there = self.records(tuple(Kind), include_superseded=True)
            merging = Merging(there)
            for record in merging.missing(contents.records):
                (written,) = self._table.insert([merging.renumber(record)])
                merging.note_added(record, written)
            for record_id, at in merging.ends():
                self._table.supersede(record_id, at)
            self._connection.executemany(
                "INSERT OR IGNORE INTO turn VALUES (?)", [(id_,) for id_ in contents.turns]
            )

    def fold(self) -> None:
        """Move everything from the write-ahead log into the file, and both onto the disk."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def note_loss_told(self) -> None:
        """The person has been told what `has_loss_to_tell` says."""
        self._connection.execute("DELETE FROM setting WHERE name = 'damaged_at'")
        self.has_loss_to_tell = False

    def keep_copy(self, generations: int) -> None:
        """Copy the file if it has changed since its newest copy, and delete all but so many
        copies."""
        keep_copy(self._connection, self._path, PERSON_LAYOUT, generations)

    def _in_copies(self, work: Callable[["PersonFile"], object]) -> None:
        def change(path: Path) -> None:
            with closing(PersonFile(path, self._weights)) as copy:
                work(copy)

        change_copies(self._path, change)

    def _fuse(
        self, found: Sequence[Ranked], meaning: QueryMeaning, kinds: Sequence[Kind], now: datetime
    ) -> list[Ranked]:
        """The matches by words combined with the matches by meaning."""
        if self._vectors is None:
            return list(found)
        rows = {scored.document for scored in found}
        near = self._vectors.nearest(self._connection, kinds, meaning.vector, rows)
        described = candidates(self._connection, rows | near.cosines.keys(), kinds)
        return fuse(found, near, described, meaning.scale, now.timestamp(), self._weights)

    def _prepare(self, path: Path) -> None:
        _write_ahead(self._connection)
        for pragma in ("secure_delete = ON", f"cache_size = -{_CACHE_KIB}"):
            self._connection.execute(f"PRAGMA {pragma}").fetchone()
        with _without_sync(self._connection):
            migrate(self._connection, path, PERSON_LAYOUT.migrations)
            known = dict(self._connection.execute("SELECT name, value FROM setting"))
            if known.get("tokeniser") != str(TOKENISER_VERSION):
                self._table.reindex()
        #: Some of it may be lost, and nobody has told the person.
        self.has_loss_to_tell = "damaged_at" in known

    def _read_hits(
        self, ranked: Sequence[Ranked], at_once: int
    ) -> Iterator[tuple[Hit, frozenset[str]]]:
        """The hits with their meaningful words, read in batches: as a rule the first few are
        enough."""
        for start in range(0, len(ranked), at_once):
            some = ranked[start : start + at_once]
            (found,) = self._connection.execute(
                f"SELECT json_group_object(row, json_array({COLUMNS}, {_WORDS})) FROM record "
                "WHERE row IN (SELECT value FROM json_each(?))",
                (json.dumps([one.document for one in some]),),
            ).fetchone()
            records = json.loads(found)
            for one in some:
                *values, words = records[str(one.document)]
                record = record_of(values)
                yield Hit(record, min(1.0, one.relevance)), telling(record.text, words.split)


#: SQL: the index words of a record itself.
_WORDS = (
    "CASE kind WHEN 'message' "
    "THEN (SELECT own || ' ' || reply FROM said WHERE said.rowid = record.row) "
    "ELSE (SELECT own || ' ' || reply FROM learned WHERE learned.rowid = record.row) END"
)


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


def _message_record(message: Utterance, turn: Turn) -> Record:
    """A message of a turn as the record it is kept as, before it has an id."""
    return Record(
        id="",
        kind=Kind.MESSAGE,
        text=storable(message.text),
        created_at=message.at,
        session_id=turn.session_id,
        turn_ids=(turn.id,),
        role=message.role,
        speaker=message.speaker,
        place=turn.place,
    )
