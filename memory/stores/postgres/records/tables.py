"""The tables of a person's memory on a PostgreSQL server, with a word index of its own: the places
of each word, as FTS5 tells them to SQLite."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory.records import LEARNED_KINDS, Actor, Kind
from memory.search.entry import Entry
from memory.search.ranking import HEAD, OWN, REPLY
from memory.stores.database import Connection
from memory.stores.postgres.database import PostgresConnection
from memory.stores.records.tables import (
    MAX_HOLDERS,
    SMALL_INDEX,
    STEP,
    Found,
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

#: SQL: for each of the words, which records hold it, in which fields.
_PLACES = (
    "SELECT word, array_agg(place ORDER BY place) AS places FROM posting "
    "WHERE shelf = {} AND word = ANY (%s) {} GROUP BY word"
)
_FEW_PLACES = (
    "SELECT records, words, word, places FROM shelf LEFT JOIN LATERAL "
    f"({_PLACES.format('name', f'AND records <= {SMALL_INDEX}')}) AS held ON true WHERE name = %s"
)
_MANY_PLACES = _PLACES.format("%s", "")


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
            (word, row * STEP + field)
            for row, entry in entries.items()
            for field, words in ((OWN, entry.own), (REPLY, entry.reply), (HEAD, entry.head))
            for word in words
        ]
        self.connection.execute(
            "INSERT INTO posting (shelf, word, place) "
            "SELECT %s, word, place FROM unnest(%s::text[], %s::bigint[]) AS new (word, place)",
            (self.name, [word for word, _ in places], [place for _, place in places]),
        )
        length = sum(entry.length for entry in entries.values())
        count(self.port, self.name, len(entries), length)

    def remove(self, row: int) -> None:
        own, reply, head = self.connection.execute(
            "DELETE FROM entry WHERE row = %s RETURNING own, reply, head", (row,)
        ).fetchone() or ("", "", "")
        self.connection.execute(
            "DELETE FROM posting WHERE shelf = %s AND word = ANY (%s) AND place BETWEEN %s AND %s",
            (self.name, f"{own} {reply} {head}".split(), row * STEP, row * STEP + STEP - 1),
        )
        count(self.port, self.name, -1, -len(f"{own} {reply}".split()))

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

    def find(self, words: Collection[str]) -> Found:
        words = list(words)
        # The places of a small index come in the same statement.
        some = self.connection.execute(_FEW_PLACES, (words, self.name)).fetchall()
        records, length = some[0][:2] if some else (0, 0)
        places = {word: held for _, _, word, held in some if word is not None}
        if records > SMALL_INDEX:
            words = rarest(self._holders(words))
            rows = self.connection.execute(_MANY_PLACES, (self.name, words)).fetchall()
            places = dict(rows)
        return Found(records, length, postings_of(words, places))

    def _holders(self, words: list[str]) -> dict[str, int]:
        """How many records hold each word; of a word that too many hold, a number that says so,
        unless there is no other."""
        counts = self._count(words, 2 * (MAX_HOLDERS + 1))
        held = [number for number in counts.values() if number]
        return counts if not held or min(held) <= MAX_HOLDERS else self._count(words, None)

    def _count(self, words: list[str], most: int | None) -> dict[str, int]:
        """How many records hold each word, counted in so many places."""
        counted: list[tuple[str, int]] = self.connection.execute(
            "SELECT word, (SELECT count(DISTINCT place / %s) FROM ("
            "SELECT place FROM posting WHERE shelf = %s AND posting.word = asked.word "
            "ORDER BY place LIMIT %s) AS some) FROM unnest(%s::text[]) AS asked (word)",
            (STEP, self.name, most, words),
        ).fetchall()
        return dict(counted)


class ServerTables:
    """See Tables. On this connection the views show and take the rows of one actor, until the
    transaction under way ends."""

    words = "(SELECT own || ' ' || reply FROM entry WHERE entry.row = record.row)"

    def __init__(self, connection: "PgConnection", actor: Actor) -> None:
        self.actor, self._server = actor, connection
        connection.execute("SELECT set_config('mordecai.actor', %s, true)", (actor.id,))
        self.connection: Connection = PostgresConnection(connection)
        self.indexes = [
            PostingIndex(connection, self.connection, name, kinds) for name, kinds in SHELVES
        ]

    def rows(self, columns: str, source: str, *values: object) -> list[Any]:
        return self.connection.execute(f"SELECT {columns} {source}", values).fetchall()

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
