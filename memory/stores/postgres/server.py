"""A PostgreSQL server: connections to it, the schema with Mordecai's tables, its migrations."""

import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

import psycopg
import structlog
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from memory.errors import NewerStore, StoreUnavailable
from memory.stores.layout import Layout
from memory.stores.postgres.database import PostgresDatabase
from memory.stores.postgres.dialect import statement_of
from memory.stores.postgres.listening import listen

PgConnection = psycopg.Connection[tuple[Any, ...]]

_log = structlog.get_logger(__name__)

#: The oldest server that the tests' SQL runs on: MERGE is not needed, xid8 and pg_xact_status are.
OLDEST = 140000
#: How long a call waits for a connection, in seconds: a server's restart takes two or three.
_WAIT = 5.0

#: A worker that is frozen within a transaction must not lock what others need for longer.
_OPTIONS = "-c idle_in_transaction_session_timeout=15s -c tcp_keepalives_idle=15"

_LEDGER = """CREATE TABLE IF NOT EXISTS migration (
    layout TEXT NOT NULL, name TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (layout, name)
)"""


class PostgresServer:
    """See Databases. All layouts live in one `schema` of one database."""

    def __init__(
        self, url: str, pool: Executor, *, schema: str = "mordecai", connections: int = 8
    ) -> None:
        """Connect, and make the schema if it is not there. Raises StoreUnavailable with what the
        operator can do; the message holds no password."""
        self.schema, self._pool, self._url = schema, pool, url
        # One layout's migrations at a time in this process; other processes wait for a lock.
        self._migrating = threading.Lock()
        self._connections = ConnectionPool(
            url,
            min_size=1,
            max_size=connections,
            open=False,
            timeout=_WAIT,
            kwargs={"autocommit": True, "options": f"-c search_path={schema} {_OPTIONS}"},
            name="mordecai",
        )
        try:
            with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
                _check_version(connection)
                _make_schema(connection, schema)
        except psycopg.Error as failure:
            raise StoreUnavailable(
                f"database_url: can't use {_place(url)} ({_reason(failure)}): check that the "
                "server runs, the address, the user, the password and the user's rights"
            ) from failure
        self._connections.open()

    def open(self, layout: Layout) -> PostgresDatabase:
        with self._migrating:
            self.migrate(layout)
        return PostgresDatabase(self, layout, self._pool)

    @contextmanager
    def connection(self) -> Iterator[PgConnection]:
        """A connection, in a thread. Raises StoreUnavailable if there is none in time."""
        try:
            connection = self._connections.getconn()
        except PoolTimeout as failure:
            raise StoreUnavailable("the PostgreSQL server can't be reached") from failure
        try:
            yield connection
        finally:
            self._connections.putconn(connection)

    def listen(self, channel: str) -> AsyncIterator[str]:
        """The payloads of `NOTIFY "<schema>.<channel>"`, from any worker."""
        return listen(self._url, f"{self.schema}.{channel}")

    def is_above_row_security(self) -> bool:
        """True if the user sees all rows whatever the tables' policies say."""
        with self.connection() as connection:
            (above,) = connection.execute(
                "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
            ).fetchone() or (False,)
        return bool(above)

    def size(self) -> int:
        """What the schema takes on the server's disk, in bytes."""
        with self.connection() as connection:
            (size,) = connection.execute(
                "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class "
                "WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
                (self.schema,),
            ).fetchone() or (0,)
        return int(size)

    def drop_schema(self) -> None:
        """Delete the schema with everything in it."""
        with self.connection() as connection:
            connection.execute(
                sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(self.schema))
            )

    def replace_broken(self) -> None:
        """Replace the connections that a restart of the server has broken."""
        self._connections.check()

    def migrate(self, layout: Layout) -> None:
        """Bring the layout's tables to the newest migration. Workers that start together do it
        once. Raises NewerStore, StoreUnavailable."""
        try:
            with self.connection() as connection, connection.transaction():
                connection.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))",
                    (f"{self.schema} migrations",),
                )
                connection.execute(_LEDGER)
                self._apply(connection, layout)
        except psycopg.Error as failure:
            raise StoreUnavailable(
                f"database_url: the tables of schema {self.schema} can't be made or changed "
                f"({_reason(failure)}): give the user CREATE on it"
            ) from failure

    def _apply(self, connection: PgConnection, layout: Layout) -> None:
        found = connection.execute(
            "SELECT name FROM migration WHERE layout = %s", (layout.name,)
        ).fetchall()
        applied = {name for (name,) in found}
        if unknown := sorted(applied - {migration.name for migration in layout.migrations}):
            raise NewerStore(
                f"database_url: schema {self.schema} was written by a newer version (the layout "
                f"{layout.name} has {', '.join(unknown)}): install that version or a later one"
            )
        for migration in layout.migrations:
            if migration.name in applied:
                continue
            for each in migration.statements if migration.postgres is None else migration.postgres:
                connection.execute(statement_of(each).sql.encode(), ())
            connection.execute(
                "INSERT INTO migration (layout, name) VALUES (%s, %s)",
                (layout.name, migration.name),
            )

    def close(self) -> None:
        self._connections.close()


def _check_version(connection: PgConnection) -> None:
    version = connection.info.server_version
    if version < OLDEST:
        raise StoreUnavailable(
            f"database_url: the server is PostgreSQL {version // 10000}; Mordecai needs "
            f"{OLDEST // 10000} or newer"
        )


def _make_schema(connection: PgConnection, schema: str) -> None:
    there = connection.execute("SELECT to_regnamespace(%s)", (schema,)).fetchone()
    if there is None or there[0] is None:
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))


def _place(url: str) -> str:
    """The address without user and password."""
    try:
        known = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return "the address"
    return f"{known.get('host', 'localhost')}/{known.get('dbname', '')}"


def _reason(failure: psycopg.Error) -> str:
    """The first line of what the server says."""
    return str(failure.diag.message_primary or failure).partition("\n")[0]
