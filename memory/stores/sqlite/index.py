"""The tables of a person's memory in a SQLite file, with a full-text index for each shelf.

There are two, so that a thousand archived messages cost the search for facts nothing: what was
learned, and what was said. FTS5 holds the words and tells where they are; the ranking is ours,
because FTS5's bm25() gives a word that most records hold no weight at all, has one length for all
fields, and ends on no scale.

What a search reads comes as one row of JSON: before each row of a result Python lets go of its lock
and waits for it again, which beside a busy event loop takes longer than all the rest."""

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.records import LEARNED_KINDS, Kind
from memory.search.entry import Entry
from memory.search.ranking import HEAD, OWN, REPLY
from memory.stores.records.tables import (
    SMALL_INDEX,
    STEP,
    Index,
    Occurrences,
    count,
    postings_of,
    rarest,
)

#: The field of a word in the index as a number.
_FIELD = f"CASE col WHEN 'own' THEN {OWN} WHEN 'reply' THEN {REPLY} ELSE {HEAD} END"


@dataclass(frozen=True, slots=True)
class FullTextIndex:
    """See Index."""

    connection: sqlite3.Connection
    name: str
    kinds: tuple[Kind, ...]

    def add(self, entries: Mapping[int, Entry]) -> None:
        self.connection.executemany(
            f"INSERT INTO {self.name} (rowid, own, reply, head) VALUES (?, ?, ?, ?)",
            [
                (row, *map(" ".join, (entry.own, entry.reply, entry.head)))
                for row, entry in entries.items()
            ],
        )
        length = sum(entry.length for entry in entries.values())
        count(self.connection, self.name, len(entries), length)

    def remove(self, row: int) -> None:
        words = self.words(row)
        self.connection.execute(f"DELETE FROM {self.name} WHERE rowid = ?", (row,))
        count(self.connection, self.name, -1, -len(words))

    def clear(self) -> None:
        self.connection.execute(f"DELETE FROM {self.name}")
        self.connection.execute(
            "UPDATE shelf SET records = 0, words = 0 WHERE name = ?", (self.name,)
        )

    def compact(self) -> None:
        """See Index. Merges the index into one segment."""
        self.connection.execute(f"INSERT INTO {self.name} ({self.name}) VALUES ('optimize')")

    def find(self, words: Sequence[str]) -> Occurrences:
        """See Tables."""
        # The places of a small index come in the same statement.
        records, length, places = self.connection.execute(
            f"SELECT records, words, CASE WHEN records <= {SMALL_INDEX} THEN ({self._places}) END "
            "FROM shelf WHERE name = ?2",
            (json.dumps(words), self.name),
        ).fetchone()
        if places is None:
            words = rarest(self._holders(words))
            (places,) = self.connection.execute(self._places, (json.dumps(words),)).fetchone()
        return Occurrences(records, length, postings_of(words, json.loads(places)))

    def words(self, row: int) -> list[str]:
        """The own words of an indexed record."""
        own, reply = self.connection.execute(
            f"SELECT own, reply FROM {self.name} WHERE rowid = ?", (row,)
        ).fetchone()
        return f"{own} {reply}".split()

    def _holders(self, words: Collection[str]) -> dict[str, int]:
        """How many records hold each word."""
        (found,) = self.connection.execute(
            f"SELECT json_group_object(term, doc) FROM {self.name}_count "
            "WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(list(words)),),
        ).fetchone()
        holders: dict[str, int] = json.loads(found)
        return dict.fromkeys(words, 0) | holders

    @property
    def _places(self) -> str:
        """SQL: for each of the words, which records hold it, in which fields."""
        return (
            "SELECT json_group_object(term, json(places)) FROM ("
            f"SELECT term, json_group_array(doc * {STEP} + {_FIELD}) AS places "
            f"FROM {self.name}_place WHERE term IN (SELECT value FROM json_each(?1)) GROUP BY term)"
        )


class FileTables:
    """See Tables."""

    words = (
        "CASE kind WHEN 'message' "
        "THEN (SELECT own || ' ' || reply FROM said WHERE said.rowid = record.row) "
        "ELSE (SELECT own || ' ' || reply FROM learned WHERE learned.rowid = record.row) END"
    )

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.indexes = (
            FullTextIndex(connection, "learned", LEARNED_KINDS),
            FullTextIndex(connection, "said", (Kind.MESSAGE,)),
        )

    def rows(self, columns: str, source: str, *values: object) -> list[list[Any]]:
        (found,) = self.connection.execute(
            f"SELECT json_group_array(json_array({columns})) {source}", values
        ).fetchone()
        rows: list[list[Any]] = json.loads(found)
        return rows

    def find(self, indexes: Sequence[Index], words: Sequence[str]) -> list[Occurrences]:
        return [index.find(words) for index in self.indexes if index in indexes]

    def take_rows(self, count: int) -> int:
        newest = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'record'")
        (last,) = newest.fetchone() or (0,)
        return int(last) + 1

    def add_turns(self, turn_ids: Sequence[str]) -> set[str]:
        # One statement, also for the whole session that is handed over at its end.
        added = self.connection.execute(
            "INSERT OR IGNORE INTO turn SELECT value FROM json_each(?) RETURNING id",
            (json.dumps(list(turn_ids)),),
        )
        return {id_ for (id_,) in added}

    def turns(self) -> list[str]:
        return [id_ for (id_,) in self.connection.execute("SELECT id FROM turn")]
