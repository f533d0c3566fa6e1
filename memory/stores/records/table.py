"""The records of a person with their word index: one is never changed without the other.

Every method runs within a transaction of the caller."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory.errors import RefusedText, UnknownRecord
from memory.knowledge import merging
from memory.records import LEARNED_KINDS, Amendment, Draft, Kind, Record
from memory.search.entry import Entry, entry, is_context
from memory.search.ranking import CONTEXT
from memory.search.text import storable
from memory.stores.records.row import COLUMNS, record_of, values_of
from memory.stores.records.tables import Index, Tables
from memory.stores.values import moment

#: Records that are indexed at once.
_AT_ONCE = 500


class RecordTable:
    """The records in a person's tables. Errors of the engine come through."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._connection = tables, tables.connection

    def reindex(self) -> None:
        """Index all current records again, because texts are split into words differently now."""
        for index in self._tables.indexes:
            index.clear()
        current = "WHERE superseded_at IS NULL"
        context = _context("kind", "session_id", "row")
        self._connection.execute(f"UPDATE record SET context = {context} {current}")
        found = self._connection.execute(f"SELECT row FROM record {current} ORDER BY row")
        rows = [row for (row,) in found]
        for start in range(0, len(rows), _AT_ONCE):
            self._index_again(rows[start : start + _AT_ONCE])

    def _index_again(self, rows: Sequence[int]) -> None:
        sql = f"SELECT row, {COLUMNS} FROM record WHERE row IN (SELECT value FROM json_each(?))"
        found = self._connection.execute(sql, (json.dumps(rows),)).fetchall()
        entries = self._index({row: record_of(values) for row, *values in found})
        self._connection.executemany(
            "UPDATE record SET length = ? WHERE row = ?",
            [(words.length, row) for row, words in entries.items()],
        )

    def write(self, draft: Draft) -> Record:
        """Write a draft. Raises UnknownRecord for one that supersedes what is not a current record,
        RefusedText for one that says nothing."""
        if draft.kind not in LEARNED_KINDS:
            raise ValueError(f"a {draft.kind} is archived with its turn, not committed")
        text = storable(draft.text)
        if not text:
            raise RefusedText("there is nothing to remember in an empty text")
        if draft.supersedes is not None:
            self.supersede(draft.supersedes, draft.created_at)
        (written,) = self.insert([replace(draft, text=text).record("")])
        return written

    def amend(self, amendment: Amendment) -> Record:
        """Change a record. Raises UnknownRecord."""
        found = self._connection.execute(
            f"SELECT row, {COLUMNS} FROM record WHERE id = ? AND kind != 'message'",
            (amendment.record_id,),
        ).fetchone()
        if found is None:
            raise UnknownRecord(f"no record has the id {amendment.record_id!r}")
        row, before = found[0], record_of(found[1:])
        values = values_of(merging.amend(before, amendment))
        record = record_of(values[:-1])
        marks = ", ".join("?" * len(values))
        self._connection.execute(
            f"UPDATE record SET ({COLUMNS}, moment) = ({marks}) WHERE row = ?", (*values, row)
        )
        if before.current and not record.current:
            self._leave_index(row, record.kind)
        elif record.current and not before.current:
            words = entry(record)
            self._connection.execute(
                "UPDATE record SET length = ? WHERE row = ?", (words.length, row)
            )
            self._index_of(record.kind).add({row: words})
        return record

    def supersede(self, record_id: str, at: datetime) -> None:
        """Make a record history. Raises UnknownRecord if it is not a current one."""
        found = self._connection.execute(
            "SELECT row, kind FROM record WHERE id = ? AND superseded_at IS NULL", (record_id,)
        ).fetchone()
        if found is None or Kind(found[1]) not in LEARNED_KINDS:
            raise UnknownRecord(f"no current record has the id {record_id!r}")
        row, kind = found
        self._connection.execute(
            "UPDATE record SET superseded_at = ? WHERE row = ?", (moment(at), row)
        )
        self._leave_index(row, Kind(kind))

    def _leave_index(self, row: int, kind: Kind) -> None:
        """Take a record that is no longer current out of the indexes."""
        self._index_of(kind).remove(row)
        self._connection.execute("DELETE FROM vector WHERE row = ?", (row,))

    def insert(self, records: Sequence[Record]) -> list[Record]:
        """Give records their ids, and write and index them."""
        # Both answers come from a server at once.
        counting = self._connection.execute("SELECT kind, last FROM counter")
        first = self._tables.take_rows(len(records))
        counted = counting.fetchall()
        last: dict[str, int] = dict(counted)
        numbered = []
        for record in records:
            last[record.kind] = last.get(record.kind, 0) + 1
            numbered.append(replace(record, id=f"{record.kind.value[0]}{last[record.kind]}"))
        for kind in {record.kind for record in records}:
            known = any(kind == name for name, _ in counted)
            self._connection.execute(
                "UPDATE counter SET last = ?2 WHERE kind = ?1"
                if known
                else "INSERT INTO counter (kind, last) VALUES (?1, ?2)",
                (kind.value, last[kind]),
            )
        return self._put(dict(enumerate(numbered, first)))

    def _put(self, records: Mapping[int, Record]) -> list[Record]:
        """Write records in these rows and index the current ones. Returns the records as
        written."""
        rows = {row: values_of(record) for row, record in records.items()}
        written = {row: record_of(values[:-1]) for row, values in rows.items()}
        entries = self._index({row: each for row, each in written.items() if each.current})
        marks = ", ".join("?" * (len(COLUMNS.split(", ")) + 1))
        self._connection.executemany(
            f"INSERT INTO record (row, length, {COLUMNS}, moment, context) "
            f"VALUES (?, ?, {marks}, {_context('?4', '?7', '?1')})",
            [
                (row, entries[row].length if row in entries else 0, *values)
                for row, values in rows.items()
            ],
        )
        return list(written.values())

    def _index(self, records: Mapping[int, Record]) -> dict[int, Entry]:
        """Index these records by their rows. Returns what was indexed of each."""
        entries = {row: entry(record) for row, record in records.items()}
        for index in self._tables.indexes:
            own = {row: words for row, words in entries.items() if records[row].kind in index.kinds}
            if own:
                index.add(own)
        return entries

    def restore(self, record: Record) -> Record:
        found = self._connection.execute(f"SELECT {COLUMNS} FROM record WHERE id = ?", (record.id,))
        if there := found.fetchone():
            return record_of(there)
        place = self._connection.execute(
            "DELETE FROM deleted WHERE id = ? RETURNING row", (record.id,)
        ).fetchone()
        if place is None:
            raise UnknownRecord(f"no record with the id {record.id!r} was deleted")
        (row,) = place
        (restored,) = self._put({row: record})
        if is_context(record):
            # It is again the context of what was said next.
            self._connection.execute(
                "UPDATE record SET context = ?1 WHERE session_id = ?2 AND context > ?1 "
                "AND row BETWEEN ?1 AND ?3 AND kind = 'message'",
                (row, record.session_id, row + CONTEXT),
            )
        return restored

    def remove(self, record_id: str) -> bool:
        found = self._connection.execute(
            "SELECT row FROM record WHERE id = ?", (record_id,)
        ).fetchone()
        if found is None:
            return False
        (row,) = found
        record = self._fetch(row)
        self._connection.execute("DELETE FROM record WHERE row = ?", (row,))
        self._connection.execute("INSERT INTO deleted (id, row) VALUES (?, ?)", (record_id, row))
        self._connection.execute("DELETE FROM vector WHERE row = ?", (row,))
        if record.current:
            self._index_of(record.kind).remove(row)
        return True

    def _index_of(self, kind: Kind) -> Index:
        return next(index for index in self._tables.indexes if kind in index.kinds)

    def _fetch(self, row: int) -> Record:
        found = self._connection.execute(f"SELECT {COLUMNS} FROM record WHERE row = ?", (row,))
        return record_of(found.fetchone())


def _context(kind: str, session: str, row: str) -> str:
    """SQL: the row where the context of a message begins; its own for what is no message."""
    return (
        f"CASE {kind} WHEN 'message' THEN coalesce((SELECT min(said.row) FROM record AS said "
        f"WHERE said.session_id = {session} AND said.kind = 'message' "
        f"AND said.row BETWEEN {row} - {CONTEXT} AND {row}), {row}) ELSE {row} END"
    )
