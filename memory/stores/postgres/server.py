"""A PostgreSQL server: connections to it, the schema with Mordecai's tables, its migrations."""

import threading
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager

import psycopg
from psycopg import sql

from memory.errors import NewerStore, StoreUnavailable
from memory.stores.layout import Layout, Migration
from memory.stores.postgres.address import ServerAddress
from memory.stores.postgres.connections import Connections, PgConnection
from memory.stores.postgres.database import PostgresDatabase
from memory.stores.postgres.dialect import statement_of
from memory.stores.postgres.listening import listen

#: The oldest server that is supported. Needed are xid8 and pg_xact_status; MERGE is not.
OLDEST = 140000

_LEDGER = """CREATE TABLE IF NOT EXISTS migration (
    layout TEXT NOT NULL, name TEXT NOT NULL, compatible BOOLEAN NOT NULL DEFAULT false,
    applied_at TIMESTAMPTZ NOT NULL DEFAULT now(), PRIMARY KEY (layout, name)
)"""


class PostgresServer:
    """See Databases. All layouts live in one `schema` of one database."""

    def __init__(
        self, url: str, pool: Executor, *, schema: str = "mordecai", connections: int = 8
    ) -> None:
        """Connect, and make the schema if it is not there. Raises StoreUnavailable with what the
        operator can do; the message holds no password."""
        self.schema, self._pool = schema, pool
        self._address = ServerAddress(url, schema)
        # One layout's migrations at a time in this process; other processes wait for a lock.
        self._migrating = threading.Lock()
        try:
            # It commits at its end.
            with psycopg.connect(self._address.conninfo) as connection:
                check_server(connection, self._address)
                _lock_migrations(connection, schema)
                _make_schema(connection, schema)
        except psycopg.Error as failure:
            raise StoreUnavailable(self._address.explain(failure, "use")) from None
        self._connections = Connections(self._address, connections)

    def open(self, layout: Layout) -> PostgresDatabase:
        with self._migrating:
            self.migrate(layout)
        return PostgresDatabase(self, layout, self._pool)

    def connection(self) -> AbstractContextManager[PgConnection]:
        """A connection, in a thread. Raises StoreUnavailable if there is none in time."""
        return self._connections.one()

    def listen(self, channel: str) -> AsyncIterator[str]:
        """The payloads of `NOTIFY "<schema>.<channel>"`, from any worker."""
        return listen(self._address.conninfo, f"{self.schema}.{channel}")

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
        self._connections.replace_broken()

    def close(self) -> None:
        self._connections.close()

    def migrate(self, layout: Layout) -> None:
        """Bring the layout's tables to the newest migration. Workers that start together do it
        once. Raises NewerStore, StoreUnavailable."""
        try:
            with self.connection() as connection, connection.transaction():
                _lock_migrations(connection, self.schema)
                connection.execute(_LEDGER)
                for migration in self._missing_migrations(connection, layout):
                    _apply(connection, layout, migration)
        except psycopg.Error as failure:
            what = f"make or change the tables of schema {self.schema} in"
            raise StoreUnavailable(self._address.explain(failure, what)) from None

    def _missing_migrations(self, connection: PgConnection, layout: Layout) -> list[Migration]:
        """The migrations that the tables have not been through. Those that only a newer version
        knows are no obstacle as long as they are compatible: while workers are updated, old and new
        ones run side by side."""
        sql = "SELECT name, compatible FROM migration WHERE layout = %s"
        applied = {name: bool(fits) for name, fits in connection.execute(sql, (layout.name,))}
        known = {migration.name for migration in layout.migrations}
        if too_new := sorted(name for name in applied.keys() - known if not applied[name]):
            raise NewerStore(
                self._address.refuse(
                    f"was written by a newer version (schema {self.schema}, layout {layout.name} "
                    f"has {', '.join(too_new)}): install that version or a later one"
                )
            )
        return [each for each in layout.migrations if each.name not in applied]


def check_server(connection: PgConnection, address: ServerAddress) -> None:
    """Raises StoreUnavailable if this is no server that can be used."""
    version = connection.info.server_version
    if version < OLDEST:
        raise StoreUnavailable(
            address.refuse(
                f"is PostgreSQL {version // 10000}; Mordecai needs {OLDEST // 10000} or newer: "
                "update the server, or name another one"
            )
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnavailable(
            address.refuse(
                f"keeps texts as {encoding}, which can't hold all that people write: make a "
                "database with ENCODING 'UTF8' and name that one"
            )
        )


def _lock_migrations(connection: PgConnection, schema: str) -> None:
    """Wait until nobody else makes or changes tables; nobody will until the transaction ends. To
    fill a new column takes as long as it takes."""
    connection.execute("SET LOCAL statement_timeout = 0")
    connection.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{schema} migrations",)
    )


def _make_schema(connection: PgConnection, schema: str) -> None:
    ((there,),) = connection.execute("SELECT to_regnamespace(%s)", (schema,))
    if there is None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))


def _apply(connection: PgConnection, layout: Layout, migration: Migration) -> None:
    for each in migration.statements if migration.postgres is None else migration.postgres:
        connection.execute(statement_of(each).sql.encode(), ())
    connection.execute(
        "INSERT INTO migration (layout, name, compatible) VALUES (%s, %s, %s)",
        (layout.name, migration.name, migration.compatible),
    )
