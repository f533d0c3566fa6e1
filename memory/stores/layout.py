"""How a database is laid out: its migrations, and what its rows have to look like."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

#: A row of a table by its columns, and what makes it as it has to be.
Row = dict[str, Any]
Reader = Callable[[Row], Row]


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a layout. Each runs once, in its own transaction, and is listed in the table
    `migration`. Neither names nor their order ever change: a new layout is a new migration at the
    end. `postgres` replaces statements that only SQLite can run; None where there is no need. It is
    `compatible` if a version that does not know it can go on beside it: it adds tables, or columns
    with defaults. Then workers on PostgreSQL can be updated one by one."""

    name: str
    statements: tuple[str, ...]
    postgres: tuple[str, ...] | None = None
    compatible: bool = False


def _finish_nothing(connection: object, *, damaged: bool) -> None:
    """For files that need no finishing."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a database holds. `name` is that of the file, and of the layout among others in one
    database. `readers` are by table: each returns the row as it has to be, and raises
    ValueError, TypeError or LookupError for one that can't be read. Rows of other tables only have
    to be UTF-8. Tables, and columns such as `table.column`, that are `made` from others are not
    copied; `agree` is a query that returns 1 if they match these. `finish` completes a file whose
    rows were copied from a `damaged` or unreadable one, in the transaction under way. `private` are
    the statements that delete what no copy may have."""

    name: str
    migrations: tuple[Migration, ...]
    readers: Mapping[str, Reader] = field(default_factory=dict)
    finish: Callable[..., None] = _finish_nothing
    made: Collection[str] = ()
    agree: str = "SELECT 1"
    private: tuple[str, ...] = ()
    page_size: int = 4096
