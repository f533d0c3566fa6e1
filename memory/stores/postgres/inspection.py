"""A look at a PostgreSQL server that changes nothing: for commands, whether workers run or not."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from psycopg.rows import dict_row

from memory.errors import StoreUnavailable
from memory.stores.database import Connection
from memory.stores.layout import Layout
from memory.stores.postgres.address import ServerAddress, granting, reason
from memory.stores.postgres.connections import PgConnection
from memory.stores.postgres.database import PostgresConnection
from memory.stores.postgres.server import OLDEST, PostgresServer, check_server
from memory.stores.records.layout import PERSON_LAYOUT

T = TypeVar("T")

#: A table that is there until a transfer into the schema has ended. No bot starts before.
UNFINISHED = "unfinished_transfer"


@dataclass(frozen=True, slots=True)
class ServerState:
    """What an operator has to know of a server. `ahead` is by how many seconds this machine's clock
    is ahead of the server's, `version` such as 180004. `layouts` are the migrations that each has
    been through, and whether an older version can go on with it; there are none if no bot has been
    started on the schema."""

    version: int
    user: str
    may_create: bool
    bypasses_rls: bool
    ahead: float
    layouts: Mapping[str, Mapping[str, bool]]
    is_unfinished: bool
    workers: int
    lanes: int
    encoding: str = "UTF8"

    @property
    def is_supported(self) -> bool:
        return self.version >= OLDEST


@contextmanager
def server_snapshot(url: str, schema: str) -> Iterator[PgConnection]:
    """A connection that reads everything as of one moment, and writes nothing. Raises
    StoreUnavailable."""
    address = ServerAddress(url, schema)
    try:
        connection = psycopg.connect(address.conninfo)
    except psycopg.Error as failure:
        raise StoreUnavailable(address.explain(failure, "use")) from None
    with server_errors(), connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        lift_timeouts(connection)
        yield connection


def inspect_server(url: str, schema: str) -> ServerState:
    """Raises StoreUnavailable."""
    with server_snapshot(url, schema) as connection:
        before = time.time()
        (clock,) = _one(connection, "SELECT extract(epoch FROM clock_timestamp())::float8")
        after = time.time()
        user, bypasses = _one(
            connection,
            "SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles "
            "WHERE rolname = current_user",
        )
        return ServerState(
            connection.info.server_version,
            user,
            _may_create(connection, schema),
            bypasses,
            (before + after) / 2 - clock,
            applied_migrations(connection),
            has_table(connection, UNFINISHED),
            _count(connection, "worker", "WHERE leased_until > now()"),
            _count(connection, "held_lane"),
            connection.info.parameter_status("server_encoding") or "",
        )


def check_fit(connection: PgConnection, url: str, schema: str) -> None:
    """Raises StoreUnavailable if no tables can be made on the server."""
    address = ServerAddress(url, schema)
    check_server(connection, address)
    if not _may_create(connection, schema):
        (user,) = _one(connection, "SELECT current_user")
        raise StoreUnavailable(
            address.refuse(f"lets the user {user} make no tables: {granting(schema, user)}")
        )


def _may_create(connection: PgConnection, schema: str) -> bool:
    return _one(
        connection,
        "SELECT CASE WHEN to_regnamespace(%s) IS NULL "
        "THEN has_database_privilege(current_database(), 'CREATE') "
        "ELSE has_schema_privilege(%s, 'CREATE') AND has_schema_privilege(%s, 'USAGE') END",
        *(schema, schema, schema),
    ) == (True,)


def look_into_server(
    url: str, schema: str, table: str, column: str, read: Callable[[Connection], T], /
) -> T | None:
    """See Look."""
    with server_snapshot(url, schema) as connection:
        there = connection.execute(
            "SELECT 1 FROM information_schema.columns "
            "WHERE table_schema = %s AND table_name = %s AND column_name = %s",
            (schema, table, column),
        )
        return read(PostgresConnection(connection)) if there.fetchone() else None


def count_unreadable(
    url: str, schema: str, layouts: Sequence[Layout], end: float
) -> Mapping[str, int]:
    """How many rows of each table can't be read; counting stops at `end`, by the monotonic clock.
    Tables without such rows are left out. Raises StoreUnavailable."""
    counts: Counter[str] = Counter()
    with server_snapshot(url, schema) as connection:
        for layout in layouts:
            people = ("",)
            if layout is PERSON_LAYOUT:
                rows = connection.execute("SELECT actor FROM person").fetchall()
                people = tuple(actor for (actor,) in rows)
            for actor in people:
                connection.execute("SELECT set_config('mordecai.actor', %s, true)", (actor,))
                _count_rows(connection, layout, counts, end)
    return counts


def _count_rows(connection: PgConnection, layout: Layout, counts: Counter[str], end: float) -> None:
    for table, read in layout.readers.items():
        with connection.cursor(name="rows", row_factory=dict_row) as cursor:
            cursor.execute(f"SELECT * FROM {table}".encode())
            for row in cursor:
                if time.monotonic() > end:
                    return
                try:
                    read(row)
                except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError):
                    counts[table] += 1


def refuse_unfinished(server: PostgresServer) -> None:
    """Raises StoreUnavailable if a transfer into the schema has not ended."""
    with server.connection() as connection:
        if has_table(connection, UNFINISHED):
            raise StoreUnavailable(
                f"database_url: schema {server.schema} is half filled: end it with `mordecai "
                f"migrate sqlite-to-postgres`, or drop it with `DROP SCHEMA {server.schema} "
                "CASCADE`"
            )


def applied_migrations(connection: PgConnection) -> Mapping[str, Mapping[str, bool]]:
    """The migrations that each layout has been through, and whether they are compatible."""
    if not has_table(connection, "migration"):
        return {}
    applied: dict[str, dict[str, bool]] = {}
    for layout, name, fits in connection.execute("SELECT layout, name, compatible FROM migration"):
        applied.setdefault(layout, {})[name] = fits
    return applied


def has_table(connection: PgConnection, name: str) -> bool:
    return _one(connection, "SELECT to_regclass(%s) IS NOT NULL", name) == (True,)


def lift_timeouts(connection: PgConnection) -> None:
    """Let the transaction take as long as it needs: the tables may be large."""
    for name in ("statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"):
        connection.execute("SELECT set_config(%s, '0', true)", (name,))


@contextmanager
def server_errors() -> Iterator[None]:
    """Errors of the server as StoreUnavailable."""
    try:
        yield
    except psycopg.Error as failure:
        raise StoreUnavailable(f"database_url: the server says: {reason(failure)}") from failure


def _one(connection: PgConnection, sql: str, *values: object) -> tuple[Any, ...]:
    row = connection.execute(sql.encode(), values).fetchone()
    return row if row is not None else (None,)


def _count(connection: PgConnection, table: str, where: str = "") -> int:
    if not has_table(connection, table):
        return 0
    return int(_one(connection, f"SELECT count(*) FROM {table} {where}")[0])
