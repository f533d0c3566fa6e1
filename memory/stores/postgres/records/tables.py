"""The tables of a person's memory on a PostgreSQL server, with a word index of its own: the places
of each word, as FTS5 tells them to SQLite."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memory.records import LEARNED_KINDS, Actor, Kind
from memory.search.entry import Entry
from memory.search.ranking import HEAD, OWN, REPLY
from memory.stores.database import Connection, Rows
from memory.stores.postgres.database import PostgresConnection
from memory.stores.postgres.dialect import statement_of
from memory.stores.records.tables import (
    SMALL_INDEX,
    STEP,
    Index,
    Occurrences,
    count,
    postings_of,
    rarest,
)

if TYPE_CHECKING:
    from memory.stores.postgres.connections import PgConnection

SHELVES = (("learned", LEARNED_KINDS), ("said", (Kind.MESSAGE,)))

#: All views of one actor's rows.
VIEWS = (
    "record",
    "counter",
    "archived_turn",
    "shelf",
    "entry",
    "posting",
    "embedder",
    "vector",
    "deleted",
    "choice",
)

#: Rows of `record` whose places share an array in `posting`. A place there is the row within the
#: block times STEP, and the fields.
BLOCK = 512

#: SQL: for each of the words, which records hold it, in which fields.
_PLACES = "SELECT word, block, places FROM posting WHERE shelf = {} AND word = ANY (%s)"
_FEW_PLACES = (
    "SELECT name, records, words, word, block, places FROM shelf LEFT JOIN LATERAL "
    f"({_PLACES.format('name')} AND records <= {SMALL_INDEX}) AS held ON true "
    "WHERE name = ANY (%s)"
)
_MANY_PLACES = _PLACES.format("%s")


@dataclass(frozen=True, slots=True)
class PostingIndex:
    """See Index."""

    connection: "PgConnection"
    port: Connection
    name: str
    kinds: tuple[Kind, ...]

    def add(self, entries: Mapping[int, Entry]) -> None:
        columns = [
            (row, *map(" ".join, (entry.own, entry.reply, entry.head)))
            for row, entry in entries.items()
        ]
        self.connection.execute(
            "INSERT INTO entry (row, own, reply, head) "
            "SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[])",
            list(map(list, zip(*columns, strict=True))),
        )
        places = [
            (word, row // BLOCK, row % BLOCK * STEP + fields)
            for row, entry in entries.items()
            for word, fields in _fields(entry.own, entry.reply, entry.head).items()
        ]
        self.connection.execute(
            "INSERT INTO person_posting AS held (shelf, word, block, places) "
            "SELECT %s, word, block, array_agg(place ORDER BY place) "
            "FROM unnest(%s::text[], %s::bigint[], %s::smallint[]) AS new (word, block, place) "
            "GROUP BY word, block ON CONFLICT (actor, shelf, word, block) "
            "DO UPDATE SET places = held.places || excluded.places",
            (self.name, *map(list, zip(*places, strict=True))),
        )
        length = sum(entry.length for entry in entries.values())
        count(self.port, self.name, len(entries), length)

    def remove(self, row: int) -> None:
        entry = self.connection.execute(
            "DELETE FROM entry WHERE row = %s RETURNING own, reply, head", (row,)
        ).fetchone() or ("", "", "")
        own, reply, head = (words.split() for words in entry)
        held = _fields(own, reply, head)
        places = [row % BLOCK * STEP + fields for fields in held.values()]
        self.connection.execute(
            "UPDATE posting SET places = array_remove(places, old.place) "
            "FROM unnest(%s::text[], %s::smallint[]) AS old (word, place) "
            "WHERE shelf = %s AND posting.word = old.word AND block = %s",
            (list(held), places, self.name, row // BLOCK),
        )
        self.connection.execute(
            "DELETE FROM posting "
            "WHERE shelf = %s AND word = ANY (%s) AND block = %s AND places = '{}'",
            (self.name, list(held), row // BLOCK),
        )
        count(self.port, self.name, -1, -len(own) - len(reply))

    def clear(self) -> None:
        self.connection.execute(
            "DELETE FROM entry WHERE row IN (SELECT row FROM record WHERE kind = ANY (%s))",
            (list(map(str, self.kinds)),),
        )
        self.connection.execute("DELETE FROM posting WHERE shelf = %s", (self.name,))
        self.connection.execute(
            "UPDATE shelf SET records = 0, words = 0 WHERE name = %s", (self.name,)
        )

    def compact(self) -> None:
        """See Index. VACUUM does it."""


def _fields(own: Collection[str], reply: Collection[str], head: Collection[str]) -> dict[str, int]:
    """The fields of each word."""
    fields: dict[str, int] = {}
    for field, words in ((OWN, own), (REPLY, reply), (HEAD, head)):
        for word in words:
            fields[word] = fields.get(word, 0) | field
    return fields


class _PersonConnection(PostgresConnection):
    """See Connection. Answers come in binary: as text vectors would be twice as long."""

    def execute(self, sql: str, values: Sequence[object] = (), /) -> Rows:
        statement = statement_of(sql)
        return self._connection.execute(
            statement.sql.encode(), statement.values(values), binary=True
        )


class ServerTables:
    """See Tables. On this connection the views show and take the rows of one actor, until the
    transaction under way ends."""

    words = "(SELECT own || ' ' || reply FROM entry WHERE entry.row = record.row)"

    def __init__(self, connection: "PgConnection", actor: Actor) -> None:
        self.actor, self._server = actor, connection
        connection.execute("SELECT set_config('mordecai.actor', %s, true)", (actor.id,))
        self.connection: Connection = _PersonConnection(connection)
        self.indexes = [
            PostingIndex(connection, self.connection, name, kinds) for name, kinds in SHELVES
        ]

    def rows(self, columns: str, source: str, *values: object) -> list[Any]:
        return self.connection.execute(f"SELECT {columns} {source}", values).fetchall()

    def find(self, indexes: Sequence[Index], words: Sequence[str]) -> list[Occurrences]:
        # The places of a small index come in the same statement.
        names = [index.name for index in indexes]
        rows = self._server.execute(_FEW_PLACES, (list(words), names)).fetchall()
        found = []
        for name in names:
            own = [row for shelf, *row in rows if shelf == name]
            records, length = own[0][:2] if own else (0, 0)
            read = list(words)
            places: Sequence[Sequence[Any]] = [row[2:] for row in own if row[2] is not None]
            if records > SMALL_INDEX:
                read = rarest(self._holders(name, read))
                places = self._server.execute(_MANY_PLACES, (name, read)).fetchall()
            found.append(Occurrences(records, length, postings_of(read, _numbers(places))))
        return found

    def _holders(self, shelf: str, words: list[str]) -> dict[str, int]:
        """How many records hold each word."""
        counted = self._server.execute(
            "SELECT word, sum(cardinality(places))::bigint FROM posting "
            "WHERE shelf = %s AND word = ANY (%s) GROUP BY word",
            (shelf, words),
        ).fetchall()
        return dict.fromkeys(words, 0) | dict(counted)

    def take_rows(self, count: int) -> int:
        (last,) = self._server.execute(
            "UPDATE person SET last_row = last_row + %s WHERE actor = %s RETURNING last_row",
            (count, self.actor.id),
        ).fetchone() or (count,)
        return int(last) - count + 1

    def add_turns(self, turn_ids: Sequence[str]) -> set[str]:
        added = self._server.execute(
            "INSERT INTO archived_turn (id) SELECT unnest(%s::text[]) "
            "ON CONFLICT DO NOTHING RETURNING id",
            (list(turn_ids),),
        )
        return {id_ for (id_,) in added.fetchall()}

    def turns(self) -> list[str]:
        return [id_ for (id_,) in self._server.execute("SELECT id FROM archived_turn").fetchall()]


def _numbers(places: Sequence[Sequence[Any]]) -> dict[str, list[int]]:
    """The places of each word in ascending order, of words, blocks and the places in these."""
    numbers: dict[str, list[int]] = {}
    for word, block, held in sorted(places, key=itemgetter(0, 1)):
        first = block * BLOCK * STEP
        numbers.setdefault(word, []).extend(first + place for place in sorted(held))
    return numbers
