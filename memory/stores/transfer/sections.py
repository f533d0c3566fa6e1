"""What is transferred from one engine to the other: rows of tables, section by section, and the
digests by which both sides are compared."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.layout import Layout
from memory.stores.sqlite.migrations import migrate, tables_with_rows

Values = tuple[Any, ...]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}

#: How words were split, and whether a person has to be told of a damaged file.
_LOCAL = ("setting",)


@dataclass(frozen=True, slots=True)
class Table:
    """A table as both engines have it. `number` is the column that numbers its rows, if there is
    one; `once` if no number is ever given again."""

    name: str
    columns: tuple[str, ...]
    types: tuple[tuple[type, ...], ...]
    number: str | None = None
    once: bool = False

    def fits(self, values: Values) -> bool:
        """True if each value has its column's type. SQLite would take any."""
        pairs = zip(values, self.types, strict=True)
        return all(value is None or isinstance(value, types) for value, types in pairs)


@dataclass(frozen=True, slots=True)
class Section:
    """What is transferred at once: the tables of a layout, or those of one actor's memory."""

    layout: Layout = field(repr=False)
    actor: Actor | None = None

    @property
    def name(self) -> str:
        return self.actor.id if self.actor else self.layout.name


class Contents(Protocol):
    """The rows of a section. `unreadable` are kept apart from the others, and not among them."""

    @property
    def unreadable(self) -> int: ...

    def rows(self, table: Table) -> Iterator[Values]:
        """All rows, in any order."""
        ...

    def last_number(self, table: Table) -> int:
        """The last number that was given to a row, also to one that is gone."""
        ...


@dataclass(slots=True)
class Digest:
    """How many rows there are, and a sum that does not depend on their order."""

    count: int = 0
    sum: int = 0

    def add(self, values: Values) -> None:
        found = blake2b(repr(values).encode(), digest_size=16).digest()
        self.count += 1
        self.sum = (self.sum + int.from_bytes(found, "big")) % 2**128

    def __str__(self) -> str:
        return f"{self.count}:{self.sum:032x}"


@dataclass(slots=True)
class Digests:
    """The digest of each table of a section, taken while rows pass. Those without rows are as good
    as none."""

    _by_table: dict[str, Digest] = field(default_factory=dict)

    def of(self, table: Table, rows: Iterable[Values]) -> Iterator[Values]:
        """The same rows."""
        for values in rows:
            self._by_table.setdefault(table.name, Digest()).add(values)
            yield values

    @property
    def rows(self) -> int:
        return sum(digest.count for digest in self._by_table.values())

    def check(self, written: "Digests") -> None:
        """Raises StoreUnavailable if what was written differs."""
        for name in self._by_table.keys() | written._by_table.keys():
            wanted, found = (str(each._by_table.get(name)) for each in (self, written))
            if found != wanted:
                raise StoreUnavailable(
                    f"the table {name} arrived changed ({wanted} became {found}): nothing of it "
                    "was kept; please report this"
                )


class Filled(StoreUnavailable):
    """The target holds data already."""


def digests_of(contents: Contents, tables: Sequence[Table]) -> Digests:
    digests = Digests()
    for table in tables:
        for _ in digests.of(table, contents.rows(table)):
            pass
    return digests


def tables_of(layout: Layout) -> list[Table]:
    """The layout's tables, in the order in which they can be filled, without what is made from
    others."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, Path(layout.name), layout.migrations)
        names = [name for name in tables_with_rows(connection) if name not in layout.made]
        return [_table(connection, name, layout) for name in names if name not in _LOCAL]


def _table(connection: sqlite3.Connection, name: str, layout: Layout) -> Table:
    columns = connection.execute(f"PRAGMA table_info ({name})").fetchall()
    info = [row for row in columns if f"{name}.{row[1]}" not in layout.made]
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    keys = [(column, kind) for _, column, kind, _, _, key in info if key]
    numbers = len(keys) == 1 and keys[0][1] == "INTEGER" and "WITHOUT ROWID" not in sql
    return Table(
        name,
        tuple(row[1] for row in info),
        tuple(_TYPES[row[2]] for row in info),
        number=keys[0][0] if numbers else None,
        once="AUTOINCREMENT" in sql,
    )


def without_nul(values: Iterable[Any]) -> Values:
    """The values without a character that PostgreSQL does not know, and nobody reads."""
    return tuple(
        value.replace("\0", "") if isinstance(value, str) and "\0" in value else value
        for value in values
    )
