"""One full-text index within a person's file.

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
from datetime import datetime

from memory.records import LEARNED_KINDS, Kind
from memory.search.entry import Entry
from memory.search.query import Query
from memory.search.ranking import (
    HEAD,
    OWN,
    REPLY,
    Candidate,
    Corpus,
    Ranked,
    WeighedQuery,
    Weights,
    rank,
    shortlist,
)

#: No more of a query's words in records are read of a large memory, rarest words first: words that
#: everything holds tell nothing apart, and reading all takes 80 ms at 100,000 messages.
MAX_HOLDERS = 2_500

#: Up to this many records all words are read: counting them first takes longer.
SMALL_INDEX = 2_000

#: The field of a word in the index as a number, and how far apart that sets the rows.
_FIELD = f"CASE col WHEN 'own' THEN {OWN} WHEN 'reply' THEN {REPLY} ELSE {HEAD} END"
_STEP = 8


@dataclass(frozen=True, slots=True)
class Index:
    """The index of the current records of some kinds."""

    name: str
    kinds: tuple[Kind, ...]

    def add(self, connection: sqlite3.Connection, entries: Mapping[int, Entry]) -> None:
        """Index records by their rows."""
        connection.executemany(
            f"INSERT INTO {self.name} (rowid, own, reply, head) VALUES (?, ?, ?, ?)",
            [
                (row, *map(" ".join, (entry.own, entry.reply, entry.head)))
                for row, entry in entries.items()
            ],
        )
        length = sum(entry.length for entry in entries.values())
        self._count(connection, len(entries), length)

    def remove(self, connection: sqlite3.Connection, row: int) -> None:
        """Remove a record from the index."""
        words = self.words(connection, row)
        connection.execute(f"DELETE FROM {self.name} WHERE rowid = ?", (row,))
        self._count(connection, -1, -len(words))

    def clear(self, connection: sqlite3.Connection) -> None:
        """Empty the index."""
        connection.execute(f"DELETE FROM {self.name}")
        connection.execute("UPDATE shelf SET records = 0, words = 0 WHERE name = ?", (self.name,))

    def compact(self, connection: sqlite3.Connection) -> None:
        """Merge the index into one segment, which drops the words of deleted records for good."""
        connection.execute(f"INSERT INTO {self.name} ({self.name}) VALUES ('optimize')")

    def search(
        self,
        connection: sqlite3.Connection,
        query: Query,
        kinds: Sequence[Kind],
        now: datetime,
        weights: Weights,
    ) -> list[Ranked]:
        """The records of these kinds that match the query."""
        words = query.index_words
        # The places of a small index come in the same statement.
        records, length, places = connection.execute(
            f"SELECT records, words, CASE WHEN records <= {SMALL_INDEX} THEN ({self._places}) END "
            "FROM shelf WHERE name = ?2",
            (json.dumps(words), self.name),
        ).fetchone()
        if places is None:
            words = self._rarest(connection, words)
            (places,) = connection.execute(self._places, (json.dumps(words),)).fetchone()
        corpus = Corpus(records, length / max(1, records), spoken=Kind.MESSAGE in self.kinds)
        asked = WeighedQuery(query, _postings(words, places), corpus, weights)
        found = candidates(connection, shortlist(asked), kinds)
        return rank(asked, found, now.timestamp())

    def words(self, connection: sqlite3.Connection, row: int) -> list[str]:
        """The own words of an indexed record."""
        own, reply = connection.execute(
            f"SELECT own, reply FROM {self.name} WHERE rowid = ?", (row,)
        ).fetchone()
        return f"{own} {reply}".split()

    def _count(self, connection: sqlite3.Connection, records: int, words: int) -> None:
        connection.execute(
            "UPDATE shelf SET records = records + ?, words = words + ? WHERE name = ?",
            (records, words, self.name),
        )

    def _rarest(self, connection: sqlite3.Connection, words: Collection[str]) -> list[str]:
        """The rarest words, as many as may be read of a large index."""
        counts = self._holders(connection, words)
        rarest, read = [], 0
        for word in sorted(counts, key=lambda word: (counts[word], word)):
            if read and read + counts[word] > MAX_HOLDERS:
                break
            rarest.append(word)
            read += counts[word]
        return rarest

    def _holders(self, connection: sqlite3.Connection, words: Collection[str]) -> dict[str, int]:
        """How many records hold each word."""
        (found,) = connection.execute(
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
            f"SELECT term, json_group_array(doc * {_STEP} + {_FIELD}) AS places "
            f"FROM {self.name}_place WHERE term IN (SELECT value FROM json_each(?1)) GROUP BY term)"
        )


INDEXES = (Index("learned", LEARNED_KINDS), Index("said", (Kind.MESSAGE,)))


def index_of(kind: Kind) -> Index:
    """The index of records of this kind."""
    return next(index for index in INDEXES if kind in index.kinds)


def candidates(
    connection: sqlite3.Connection, rows: Collection[int], kinds: Sequence[Kind]
) -> dict[int, Candidate]:
    """What the ranking needs to know of the rows that are of these kinds."""
    if not rows:
        return {}
    (found,) = connection.execute(
        # Moments in whole microseconds: as JSON a fraction would lose some.
        "SELECT json_group_array(json_array(row, length, CAST(round(moment * 1e6) AS INTEGER), "
        "context, role = 'assistant' AND speaker IS NULL, "
        "CASE kind WHEN 'message' THEN session_id END, importance)) FROM record "
        "WHERE row IN (SELECT value FROM json_each(?)) "
        "AND kind IN (SELECT value FROM json_each(?))",
        (json.dumps(list(rows)), json.dumps(kinds)),
    ).fetchone()
    return {row: Candidate(length, at / 1e6, *rest) for row, length, at, *rest in json.loads(found)}


def _postings(words: Collection[str], places: str) -> dict[str, dict[int, int]]:
    """For each word, the rows of the records that hold it, with its fields."""
    postings: dict[str, dict[int, int]] = {word: {} for word in words}
    for word, numbers in json.loads(places).items():
        held = postings[word]
        for number in numbers:
            row = number // _STEP
            held[row] = held.get(row, 0) | number % _STEP
    return postings
