"""One person's memory as one open SQLite file. Synchronous: the store calls it on a thread."""

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory.errors import RefusedText, UnknownRecord
from memory.knowledge.merging import Merging
from memory.records import LEARNED_KINDS, Draft, Hit, Kind, Record, Turn, Utterance
from memory.search.entry import entry, is_context
from memory.search.fusion import Meaning, fuse
from memory.search.query import parse
from memory.search.ranking import CONTEXT, Ranked, Weights
from memory.search.resemblance import distinct, telling
from memory.search.text import TOKENISER_VERSION, clean
from memory.stores.sqlite.rows import (
    COLUMNS,
    moment,
    record_of,
    values_of,
)
from memory.stores.sqlite.schema import migrate, snapshot, transaction
from memory.stores.sqlite.shelf import SHELVES, candidates, shelf_of

if TYPE_CHECKING:  # numpy is there only if there is an embedder
    from memory.stores.sqlite.vectors import VectorTable

#: Seconds to wait for another process that writes to the same file.
BUSY_SECONDS = 5.0

#: Pages kept in memory for each open file, in KiB: a thousand people may be open at once.
_CACHE_KIB = 64


class PersonFile:
    """The records, archived messages and word index of one actor. Errors of SQLite come through."""

    def __init__(self, path: Path, weights: Weights, vectors: "VectorTable | None" = None) -> None:
        """Open the file, or start it. Raises NewerStore."""
        self._weights = weights
        self._vectors = vectors
        self._connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(path)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Let go of the file; the last one to do so folds the write-ahead log into it."""
        self._connection.close()

    def add_turn(self, turn: Turn) -> None:
        """Archive a turn's messages, unless its id is known already."""
        with transaction(self._connection):
            known = self._connection.execute("SELECT 1 FROM turn WHERE id = ?", (turn.id,))
            if known.fetchone():
                return
            self._connection.execute("INSERT INTO turn VALUES (?)", (turn.id,))
            for message in turn.messages:
                if clean(message.text):
                    self._insert(_archived(message, turn))

    def commit(self, drafts: Sequence[Draft]) -> list[Record]:
        """Write all drafts or none. Raises UnknownRecord for one that supersedes what is not a
        current record, RefusedText for one that says nothing."""
        with transaction(self._connection):
            return [self._write(draft) for draft in drafts]

    def search(
        self,
        text: str,
        kinds: Sequence[Kind],
        limit: int,
        min_relevance: float,
        now: datetime,
        meaning: Meaning | None = None,
    ) -> list[Hit]:
        """The current records that have to do with the text, best first. `meaning` is that of the
        text, by the embedder of this file's vectors."""
        query = parse(text, now)
        if not query.index_words:
            return []
        with snapshot(self._connection):
            found = [
                scored
                for shelf in SHELVES
                if (wanted := [kind for kind in shelf.kinds if kind in kinds])
                for scored in shelf.search(self._connection, query, wanted, now, self._weights)
            ]
            if meaning and query.topical:
                found = self._fused(found, meaning, kinds, now)
            relevant = [scored for scored in found if scored.relevance >= min_relevance]
            relevant.sort(key=lambda scored: scored.relevance, reverse=True)
            return distinct(relevant, limit, self._found)

    def unembedded(self, limit: int) -> dict[int, str]:
        """Rows of records that have no vector by the embedder yet, newest first, with their texts;
        no more than `limit`."""
        return self._vectors.missing(self._connection, limit) if self._vectors else {}

    def embed(self, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]) -> None:
        """Keep the vectors of these rows' texts, in order. What was forgotten meanwhile gets
        none."""
        if self._vectors:
            with transaction(self._connection):
                self._vectors.add(self._connection, texts, vectors)

    def records(self, kinds: Sequence[Kind], include_superseded: bool) -> list[Record]:
        """All records of these kinds, oldest first."""
        marks = ", ".join("?" * len(kinds))
        current = "" if include_superseded else "AND superseded_at IS NULL"
        rows = self._connection.execute(
            f"SELECT {COLUMNS} FROM record WHERE kind IN ({marks}) {current} ORDER BY row",
            [kind.value for kind in kinds],
        )
        return sorted(map(record_of, rows), key=lambda record: record.created_at)

    def delete(self, record_ids: Iterable[str]) -> list[str]:
        """Delete records with every trace but their place; the ids really deleted."""
        with transaction(self._connection):
            deleted = [id_ for id_ in dict.fromkeys(record_ids) if self._remove(id_)]
            for shelf in SHELVES:
                if deleted:
                    shelf.compact(self._connection)
        if deleted:
            # The write-ahead log still holds the pages as they were.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return deleted

    def restore(self, records: Iterable[Record]) -> list[Record]:
        """Bring back records that were deleted, under their ids and in their places, all or none.
        Raises UnknownRecord for one that was not deleted here."""
        with transaction(self._connection):
            return [self._restored(record) for record in records]

    def contents(self) -> tuple[list[str], list[Record]]:
        """The ids of the turns that were archived, and all records, oldest first."""
        with snapshot(self._connection):
            turns = [id_ for (id_,) in self._connection.execute("SELECT id FROM turn")]
            return turns, self.records(tuple(Kind), include_superseded=True)

    def absorb(self, turns: Iterable[str], records: Iterable[Record]) -> None:
        """Take in another file's contents, under ids of this one, all or nothing. What is here
        already is left as it is. In each slot only the newest record stays current."""
        with transaction(self._connection):
            there = self.records(tuple(Kind), include_superseded=True)
            merging = Merging(there)
            for record in merging.missing(records):
                merging.added(record, self._insert(merging.renumbered(record)))
            for record_id, at in merging.ends():
                self._supersede(record_id, at)
            self._connection.executemany(
                "INSERT OR IGNORE INTO turn VALUES (?)", [(id_,) for id_ in turns]
            )

    def fold(self) -> None:
        """Have everything in the file itself, and nothing in its write-ahead log."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def _fused(
        self, found: Sequence[Ranked], meaning: Meaning, kinds: Sequence[Kind], now: datetime
    ) -> list[Ranked]:
        """What was found by words, together with what the vectors find."""
        if self._vectors is None:
            return list(found)
        rows = {scored.document for scored in found}
        near = self._vectors.nearest(self._connection, kinds, meaning.vector, rows)
        described = candidates(self._connection, rows | near.cosines.keys(), kinds)
        return fuse(found, near, described, meaning.scale, now.timestamp(), self._weights)

    def _prepare(self, path: Path) -> None:
        _write_ahead(self._connection)
        for pragma in (
            "synchronous = NORMAL",
            "secure_delete = ON",
            f"cache_size = -{_CACHE_KIB}",
        ):
            self._connection.execute(f"PRAGMA {pragma}").fetchone()
        migrate(self._connection, path)
        known = self._connection.execute("SELECT value FROM setting WHERE name = 'tokeniser'")
        if known.fetchone() != (str(TOKENISER_VERSION),):
            self._index_again()

    def _index_again(self) -> None:
        """Index all current records anew, because words are cut differently now."""
        with transaction(self._connection):
            for shelf in SHELVES:
                shelf.clear(self._connection)
            rows = self._connection.execute(
                "SELECT row FROM record WHERE superseded_at IS NULL ORDER BY row"
            ).fetchall()
            for (row,) in rows:
                self._index(row, self._fetch(row))
            self._connection.execute(
                "INSERT OR REPLACE INTO setting VALUES ('tokeniser', ?)", (str(TOKENISER_VERSION),)
            )

    def _write(self, draft: Draft) -> Record:
        if draft.kind not in LEARNED_KINDS:
            raise ValueError(f"a {draft.kind} is archived with its turn, not committed")
        text = clean(draft.text)
        if not text:
            raise RefusedText("There is nothing in this text to remember.")
        if draft.supersedes is not None:
            self._supersede(draft.supersedes, draft.created_at)
        return self._insert(
            Record(
                id="",
                kind=draft.kind,
                text=text,
                created_at=draft.created_at,
                session_id=draft.session_id,
                turn_ids=draft.turn_ids,
                slot=draft.slot,
                importance=draft.importance,
                event_date=draft.event_date,
                supersedes=draft.supersedes,
                topics=draft.topics,
                speaker=draft.speaker,
            )
        )

    def _supersede(self, record_id: str, at: datetime) -> None:
        found = self._connection.execute(
            "SELECT row, kind FROM record WHERE id = ? AND superseded_at IS NULL", (record_id,)
        ).fetchone()
        if found is None or Kind(found[1]) not in LEARNED_KINDS:
            raise UnknownRecord(f"no current record has the id {record_id!r}")
        row, kind = found
        self._connection.execute(
            "UPDATE record SET superseded_at = ? WHERE row = ?", (moment(at), row)
        )
        shelf_of(Kind(kind)).remove(self._connection, row)
        self._connection.execute("DELETE FROM vector WHERE row = ?", (row,))

    def _insert(self, record: Record) -> Record:
        """Give a record its id, and write and index it."""
        (number,) = self._connection.execute(
            "INSERT INTO counter VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET last = last + 1 "
            "RETURNING last",
            (record.kind.value,),
        ).fetchone()
        return self._fetch(self._put(replace(record, id=f"{record.kind.value[0]}{number}")))

    def _put(self, record: Record, row: int | None = None) -> int:
        """Write a record, and index it if it is current; its row, a new one unless it is named."""
        values = (*values_of(record), row)
        marks = ", ".join("?" * len(values))
        (put,) = self._connection.execute(
            f"INSERT INTO record ({COLUMNS}, moment, row) VALUES ({marks}) RETURNING row",
            values,
        ).fetchone()
        if record.current:
            self._index(put, self._fetch(put))
        return int(put)

    def _restored(self, record: Record) -> Record:
        found = self._connection.execute(f"SELECT {COLUMNS} FROM record WHERE id = ?", (record.id,))
        if there := found.fetchone():
            return record_of(there)
        place = self._connection.execute(
            "DELETE FROM deleted WHERE id = ? RETURNING row", (record.id,)
        ).fetchone()
        if place is None:
            raise UnknownRecord(f"no record with the id {record.id!r} was deleted")
        row = self._put(record, *place)
        if is_context(record):
            # What was said next is explained by it again.
            self._connection.execute(
                "UPDATE record SET context = min(context, ?1) "
                "WHERE session_id = ?2 AND row BETWEEN ?1 AND ?1 + ?3 AND kind = 'message'",
                (row, record.session_id, CONTEXT),
            )
        return self._fetch(row)

    def _index(self, row: int, record: Record) -> None:
        words = entry(record)
        shelf_of(record.kind).add(self._connection, row, words)
        self._connection.execute(
            "UPDATE record SET length = ?, context = ? WHERE row = ?",
            (words.length, self._context(row, record), row),
        )

    def _context(self, row: int, record: Record) -> int:
        """The row where the context of a message begins; its own for what is no message."""
        if not is_context(record):
            return row
        (first,) = self._connection.execute(
            "SELECT min(row) FROM record "
            "WHERE session_id = ? AND row BETWEEN ? AND ? AND kind = 'message'",
            (record.session_id, row - CONTEXT, row),
        ).fetchone()
        return int(first)

    def _remove(self, record_id: str) -> bool:
        found = self._connection.execute(
            "SELECT row FROM record WHERE id = ?", (record_id,)
        ).fetchone()
        if found is None:
            return False
        (row,) = found
        record = self._fetch(row)
        self._connection.execute("DELETE FROM record WHERE row = ?", (row,))
        self._connection.execute("INSERT INTO deleted VALUES (?, ?)", (record_id, row))
        self._connection.execute("DELETE FROM vector WHERE row = ?", (row,))
        if record.current:
            shelf_of(record.kind).remove(self._connection, row)
        return True

    def _found(self, row: int) -> tuple[Record, frozenset[str]]:
        record = self._fetch(row)
        shelf = shelf_of(record.kind)
        return record, telling(record.text, lambda: shelf.words(self._connection, row))

    def _fetch(self, row: int) -> Record:
        found = self._connection.execute(f"SELECT {COLUMNS} FROM record WHERE row = ?", (row,))
        return record_of(found.fetchone())


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


def _archived(message: Utterance, turn: Turn) -> Record:
    """A message of a turn as the record it is kept as, before it has an id."""
    return Record(
        id="",
        kind=Kind.MESSAGE,
        text=clean(message.text),
        created_at=message.at,
        session_id=turn.session_id,
        turn_ids=(turn.id,),
        role=message.role,
        speaker=message.speaker,
        place=turn.place,
    )
