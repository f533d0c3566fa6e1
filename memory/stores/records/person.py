"""One person's memory in the tables of an engine. Synchronous: the store calls it in a thread."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memory.knowledge.merging import Merging
from memory.records import Amendment, Draft, Hit, Kind, Record, Turn, Utterance
from memory.search.fusion import QueryMeaning, fuse
from memory.search.query import Query, parse
from memory.search.ranking import Candidate, Corpus, Ranked, WeighedQuery, Weights, rank, shortlist
from memory.search.resemblance import distinct, telling
from memory.search.text import storable
from memory.stores.records.row import COLUMNS, record_of
from memory.stores.records.table import RecordTable
from memory.stores.records.tables import Tables
from memory.stores.values import text_of

if TYPE_CHECKING:  # numpy is there only if there is an embedder
    from memory.stores.records.vectors import VectorTable


class PersonContents(NamedTuple):
    """What one person hands over to another: the ids of the turns that were archived, all records,
    oldest first, and the choices with the moments they were made."""

    turns: Sequence[str]
    records: Sequence[Record]
    choices: Sequence[tuple[str, str, float]]


class Person:
    """The records, archived messages, word index and choices of one actor. Every method runs within
    a transaction of the caller; errors of the engine come through."""

    def __init__(
        self, tables: Tables, weights: Weights, vectors: "VectorTable | None" = None
    ) -> None:
        self._tables, self._connection = tables, tables.connection
        self._weights, self._vectors = weights, vectors
        self._table = RecordTable(tables)

    def add_turns(self, turns: Iterable[Turn], *, on_disk: bool) -> None:
        """Archive the messages of turns whose ids are new. Unless they are to be `on_disk` by
        then, they get there with the next change: the journal has them on the disk."""
        by_id = {turn.id: turn for turn in turns}
        new = self._tables.add_turns(list(by_id))
        records = [
            _message_record(said, turn)
            for turn in by_id.values()
            if turn.id in new
            for said in turn.messages
            if storable(said.text)
        ]
        if records:
            self._table.insert(records)

    def commit(self, drafts: Sequence[Draft], amendments: Sequence[Amendment]) -> list[Record]:
        """Write all drafts and make all amendments. Raises UnknownRecord, and RefusedText for a
        draft that says nothing."""
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
        text, by the embedder of these vectors."""
        query = parse(storable(text), now)
        if not query.index_words:
            return []
        found = self._rank(query, kinds, now)
        if meaning and query.topical:
            found = self._fuse(found, meaning, kinds, now)
        relevant = [scored for scored in found if scored.relevance >= min_relevance]
        relevant.sort(key=lambda scored: scored.relevance, reverse=True)
        return distinct(self._read_hits(relevant, max(1, limit)), limit)

    def rows_without_vector(self, limit: int) -> dict[int, str]:
        """Rows of records without a vector by the embedder, newest first, with their texts; at most
        `limit`."""
        return self._vectors.rows_without_vector(self._connection, limit) if self._vectors else {}

    def embed(self, texts: Mapping[int, str], vectors: Sequence[Sequence[float]]) -> None:
        """Store the vectors of these rows' texts, in order. Records that were forgotten since get
        none."""
        if self._vectors:
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
        self._choose(name, value, at)

    def _choose(self, name: str, value: str, at: float) -> None:
        self._connection.execute("DELETE FROM choice WHERE name = ? AND moment <= ?", (name, at))
        self._connection.execute(
            "INSERT INTO choice (name, value, moment) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (name, value, at),
        )

    def unchoose(self, name: str) -> None:
        """Delete this choice."""
        self._connection.execute("DELETE FROM choice WHERE name = ?", (name,))

    def delete(self, record_ids: Iterable[str]) -> list[str]:
        """Delete records with every trace but their place. Returns the deleted ids."""
        deleted = [id_ for id_ in dict.fromkeys(record_ids) if self._table.remove(id_)]
        for index in self._tables.indexes:
            if deleted:
                index.compact()
        return deleted

    def restore(self, records: Iterable[Record]) -> list[Record]:
        """Restore deleted records under their ids and in their places. Raises UnknownRecord for one
        that was not deleted here."""
        return [self._table.restore(record) for record in records]

    def absorb(self, contents: PersonContents) -> None:
        """Add another person's contents under ids of this one. What exists here stays as it is. In
        each slot only the newest record stays current, of each choice the latest counts."""
        for choice in contents.choices:
            self._choose(*choice)
        there = self.records(tuple(Kind), include_superseded=True)
        merging = Merging(there)
        for record in merging.missing(contents.records):
            (written,) = self._table.insert([merging.renumber(record)])
            merging.note_added(record, written)
        for record_id, at in merging.ends():
            self._table.supersede(record_id, at)
        self._tables.add_turns(contents.turns)

    def contents(self) -> PersonContents:
        """Everything that is known of the person."""
        return PersonContents(
            self._tables.turns(),
            self.records(tuple(Kind), include_superseded=True),
            self._connection.execute("SELECT name, value, moment FROM choice").fetchall(),
        )

    def reindex(self) -> None:
        """Index everything again: texts are split into words differently now."""
        self._table.reindex()

    def _rank(self, query: Query, kinds: Sequence[Kind], now: datetime) -> list[Ranked]:
        """The records of these kinds that match the query, of each index best first."""
        indexes = [each for each in self._tables.indexes if not set(each.kinds).isdisjoint(kinds)]
        asked = [
            WeighedQuery(
                query,
                found.postings,
                Corpus(
                    found.records,
                    found.words / max(1, found.records),
                    spoken=Kind.MESSAGE in index.kinds,
                ),
                self._weights,
            )
            for index, found in zip(
                indexes, self._tables.find(indexes, query.index_words), strict=True
            )
        ]
        listed = [shortlist(each) for each in asked]
        described = self._candidates({row for rows in listed for row in rows}, kinds)
        return [
            scored
            for index, each, rows in zip(indexes, asked, listed, strict=True)
            for scored in rank(
                each,
                {
                    row: described[row][1]
                    for row in rows
                    if row in described and described[row][0] in index.kinds
                },
                now.timestamp(),
            )
        ]

    def _fuse(
        self, found: Sequence[Ranked], meaning: QueryMeaning, kinds: Sequence[Kind], now: datetime
    ) -> list[Ranked]:
        """The matches by words combined with the matches by meaning."""
        if self._vectors is None:
            return list(found)
        rows = {scored.document for scored in found}
        near = self._vectors.nearest(self._connection, kinds, meaning.vector, rows)
        described = self._candidates(rows | near.cosines.keys(), kinds)
        candidates = {row: candidate for row, (_, candidate) in described.items()}
        return fuse(found, near, candidates, meaning.scale, now.timestamp(), self._weights)

    def _candidates(
        self, rows: Collection[int], kinds: Sequence[Kind]
    ) -> dict[int, tuple[Kind, Candidate]]:
        """Those of the rows that are of these kinds: which, and what the ranking needs to know."""
        if not rows:
            return {}
        found: Sequence[Sequence[Any]] = self._tables.rows(
            # Moments in whole microseconds: as JSON a fraction would lose some.
            "row, kind, length, CAST(round(moment * 1e6) AS BIGINT), context, "
            "role = 'assistant' AND speaker IS NULL, "
            "CASE kind WHEN 'message' THEN session_id END, importance",
            "FROM record WHERE row IN (SELECT value FROM json_each(?)) "
            "AND kind IN (SELECT value FROM json_each(?))",
            json.dumps(list(rows)),
            json.dumps(kinds),
        )
        return {
            row: (Kind(kind), Candidate(length, at / 1e6, *rest))
            for row, kind, length, at, *rest in found
        }

    def _read_hits(
        self, ranked: Sequence[Ranked], at_once: int
    ) -> Iterator[tuple[Hit, frozenset[str]]]:
        """The hits with their meaningful words, read in batches: as a rule the first few are
        enough."""
        for start in range(0, len(ranked), at_once):
            some = ranked[start : start + at_once]
            found: Sequence[Sequence[Any]] = self._tables.rows(
                f"row, {COLUMNS}, {self._tables.words}",
                "FROM record WHERE row IN (SELECT value FROM json_each(?))",
                json.dumps([one.document for one in some]),
            )
            records = {row: rest for row, *rest in found}
            for one in some:
                *values, words = records[one.document]
                record = record_of(values)
                yield Hit(record, min(1.0, one.relevance)), telling(record.text, words.split)


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
