"""The port to a database, for SQL that SQLite and PostgreSQL both run.

Placeholders are `?`, or `?1`, `?2` … where one value stands twice. A list travels as JSON, in
`IN (SELECT value FROM json_each(?))`; `IS ?` compares with NULL too. Truth is 1 or 0, a moment is
text (see `memory.stores.values.stamp`). Everything else has to be standard enough for both."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from memory.stores.layout import Layout

T = TypeVar("T")


class Rows(Protocol):
    """What a statement has returned."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection, in a thread."""

    def execute(self, sql: str, values: Sequence[object] = (), /) -> Rows: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> Rows: ...


class Database(Protocol):
    """A layout's tables. Every method raises StoreUnavailable if the database fails; nothing is
    written then. What was asked to be written is written even if the caller is cancelled."""

    async def ask(self, work: Callable[[Connection], T]) -> T:
        """Run the work, which only reads, and return its result."""
        ...

    async def rows(self, sql: str, *values: object) -> list[Any]:
        """The rows of a query."""
        ...

    async def read(self, parse: Callable[[Any], T], sql: str, *values: object) -> list[T]:
        """What `parse` makes of the rows of a query. A row for which it raises ValueError,
        TypeError or LookupError can't be read, and is left out."""
        ...

    async def write(self, sql: str, *values: object) -> int:
        """Run one statement. Returns the number of changed rows."""
        ...

    async def change(self, work: Callable[[Connection], T]) -> T:
        """Run the work in one transaction. It must do nothing but change the database: it may be
        undone and run again."""
        ...

    async def wipe(self, work: Callable[[Connection], object], owner: str | None = None) -> None:
        """Run work that deletes for good, in one transaction; no trace of it stays where that is in
        our hands. With an `owner` (an actor's id, or "" for nobody known), what was set aside as
        unreadable and is or may be theirs is deleted as well."""
        ...

    async def keep_copy(self, generations: int) -> None:
        """Keep a copy if anything has changed since the newest, and delete all but so many. Does
        nothing for a server, which has backups of its own."""
        ...

    async def aclose(self) -> None: ...


class Look(Protocol):
    """Looks into tables from outside: they may be in use, and stay as they are."""

    def __call__(self, table: str, column: str, read: Callable[[Connection], T], /) -> T | None:
        """What `read` finds; None if there is no such table, or one of another layout, without this
        column. Blocks. Raises StoreUnavailable."""
        ...


class Databases(Protocol):
    """Opens the database of a layout, and brings it to the newest migration. Raises NewerStore,
    StoreUnavailable."""

    def open(self, layout: Layout) -> Database: ...
