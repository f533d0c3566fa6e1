"""A schema of a PostgreSQL server as a source and as a target."""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING

from psycopg import sql

from memory.errors import NewerStore, StoreUnavailable
from memory.records import Actor
from memory.stores.layout import Layout
from memory.stores.postgres.inspection import (
    UNFINISHED,
    applied_migrations,
    has_table,
    lift_timeouts,
    server_errors,
)
from memory.stores.postgres.records.engine import reindex
from memory.stores.postgres.records.tables import VIEWS
from memory.stores.postgres.server import PostgresServer
from memory.stores.transfer.sections import (
    Contents,
    Digests,
    Filled,
    Section,
    Table,
    Values,
    digests_of,
    tables_of,
)

if TYPE_CHECKING:
    from memory.stores.postgres.connections import PgConnection

#: Rows that are fetched at once.
_BATCH = 2_000


class ServerContents:
    """See Contents. An actor's rows are in tables with everybody else's."""

    unreadable = 0

    def __init__(self, connection: "PgConnection", section: Section) -> None:
        self._connection, self._actor = connection, section.actor
        if self._actor:
            connection.execute("SELECT set_config('mordecai.actor', %s, true)", (self._actor.id,))

    def rows(self, table: Table) -> Iterator[Values]:
        with self._connection.cursor(name="transfer") as cursor:
            cursor.itersize = _BATCH
            columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
            cursor.execute(self._sql("SELECT {columns} FROM {table}{own}", table, columns=columns))
            yield from cursor

    def last_number(self, table: Table) -> int:
        if table.once and self._actor:
            found = self._connection.execute(
                "SELECT last_row FROM person WHERE actor = %s", (self._actor.id,)
            ).fetchone()
            return int(found[0]) if found else 0
        return _last_number(self._connection, self._name(table), table)

    def replace(self, tables: Sequence[Table], contents: Contents) -> None:
        """Write these contents in place of what is there, in the transaction under way."""
        self.clear(tables)
        for table in tables:
            actor = [self._actor.id] if self._actor else []
            names = [*(["actor"] if actor else []), *table.columns]
            statement = self._sql(
                "INSERT INTO {table} ({columns}) VALUES ({marks})",
                table,
                columns=sql.SQL(", ").join(map(sql.Identifier, names)),
                marks=sql.SQL(", ").join(sql.Placeholder() * len(names)),
            )
            with self._connection.cursor() as cursor:
                rows = ([*actor, *values] for values in contents.rows(table))
                cursor.executemany(statement, rows)
            if table.number:
                self._count_from(table, contents.last_number(table))

    def clear(self, tables: Sequence[Table]) -> None:
        """Delete what is there; of an actor also what is made from it."""
        names = VIEWS if self._actor else [table.name for table in reversed(tables)]
        for name in names:
            self._connection.execute(f"DELETE FROM {name}".encode())

    def _count_from(self, table: Table, last: int) -> None:
        """Continue with the numbers behind the last one."""
        if table.once and self._actor:
            self._connection.execute(
                "INSERT INTO person (actor, last_row) VALUES (%s, %s) "
                "ON CONFLICT (actor) DO UPDATE SET last_row = excluded.last_row",
                (self._actor.id, last),
            )
        elif last > _last_number(self._connection, self._name(table), table):
            self._connection.execute(
                "SELECT setval(pg_get_serial_sequence(%s, %s), %s)",
                (self._name(table), table.number, last),
            )

    def _sql(self, template: str, table: Table, **parts: sql.Composable) -> sql.Composed:
        own = sql.SQL(" WHERE actor = {}").format(self._actor.id) if self._actor else sql.SQL("")
        name = sql.Identifier(self._name(table))
        return sql.SQL(template).format(table=name, own=own, **parts)

    def _name(self, table: Table) -> str:
        return f"person_{table.name}" if self._actor else table.name


def _last_number(connection: "PgConnection", name: str, table: Table) -> int:
    """0 also for a table whose rows the server does not number."""
    found = connection.execute(
        "SELECT pg_get_serial_sequence(%s, %s)", (name, table.number)
    ).fetchone()
    if not found or not found[0]:
        return 0
    statement = f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {found[0]}"
    row = connection.execute(statement.encode()).fetchone()
    return int(row[0]) if row else 0


class ServerSource:
    """See Source. Everything is read as of one moment, whatever workers write meanwhile."""

    def __init__(
        self, connection: "PgConnection", layouts: Sequence[Layout], person: Layout
    ) -> None:
        """Of a connection of `server_snapshot`. Raises NewerStore, and StoreUnavailable for an
        older schema."""
        self._connection, self._person = connection, person
        with server_errors():
            applied = applied_migrations(connection)
        if not applied:
            raise StoreUnavailable(
                "database_url: there is nothing to move: no bot has been started on this database"
            )
        known = [layout for layout in (*layouts, person) if layout.name in applied]
        for layout in known:
            _check_layout(layout, applied[layout.name].keys())
        self._layouts = [layout for layout in known if layout is not person]
        self._has_people = person in known

    def sections(self) -> list[Section]:
        with server_errors():
            people = _people(self._connection) if self._has_people else []
        return [
            *map(Section, self._layouts),
            *(Section(self._person, actor) for actor in people),
        ]

    @contextmanager
    def open(self, section: Section) -> Iterator[Contents]:
        with server_errors():
            yield ServerContents(self._connection, section)


class ServerTarget:
    """See Target. Each section is one transaction."""

    def __init__(
        self,
        server: "PostgresServer",
        layouts: Sequence[Layout],
        person: Layout,
        also: Sequence[str] = (),
    ) -> None:
        """Raises StoreUnavailable if there is anything that no unfinished run has left, in tables
        of the layouts or in those that are named `also`."""
        self._server, self._layouts, self._person = server, layouts, person
        for layout in (*layouts, person):
            server.migrate(layout)
        with self._transaction() as connection:
            check_empty(connection, server.schema, layouts, also)
            connection.execute(f"CREATE TABLE IF NOT EXISTS {UNFINISHED} ()".encode())

    def sections(self) -> list[Section]:
        with self._transaction() as connection:
            people = _people(connection)
        return [*map(Section, self._layouts), *(Section(self._person, each) for each in people)]

    @contextmanager
    def open(self, section: Section) -> Iterator[Contents]:
        with self._transaction() as connection:
            yield ServerContents(connection, section)

    def put(
        self, section: Section, tables: Sequence[Table], contents: Contents, wanted: Digests
    ) -> None:
        with self._transaction() as connection:
            own = ServerContents(connection, section)
            own.replace(tables, contents)
            wanted.check(digests_of(own, tables))
            if section.actor:
                reindex(connection, section.actor)

    def drop(self, section: Section) -> None:
        with self._transaction() as connection:
            ServerContents(connection, section).clear(tables_of(section.layout))
            if section.actor:
                connection.execute("DELETE FROM person WHERE actor = %s", (section.actor.id,))

    def finish(self) -> None:
        with self._transaction() as connection:
            connection.execute(f"DROP TABLE {UNFINISHED}".encode())

    @contextmanager
    def _transaction(self) -> Iterator["PgConnection"]:
        with (
            server_errors(),
            self._server.connection() as connection,
            connection.transaction(),
        ):
            lift_timeouts(connection)
            yield connection


def check_empty(
    connection: "PgConnection", schema: str, layouts: Sequence[Layout], also: Sequence[str] = ()
) -> None:
    """Raises Filled if a schema holds anything that no unfinished run has left."""
    if has_table(connection, UNFINISHED):
        return
    names = [table.name for layout in layouts for table in tables_of(layout)]
    for name in (*names, "person", *also):
        one = f"SELECT 1 FROM {name} LIMIT 1".encode()
        if has_table(connection, name) and connection.execute(one).fetchone():
            raise Filled(
                f"database_url: schema {schema} holds data already ({name}): name another "
                f"database, or drop it with `DROP SCHEMA {schema} CASCADE` if nobody needs it"
            )


def _people(connection: "PgConnection") -> list[Actor]:
    rows = connection.execute("SELECT actor FROM person ORDER BY actor").fetchall()
    return [Actor(row[0]) for row in rows]


def _check_layout(layout: Layout, applied: Set[str]) -> None:
    known = {migration.name for migration in layout.migrations}
    if unknown := sorted(applied - known):
        raise NewerStore(
            f"database_url: the layout {layout.name} was written by a newer version "
            f"({', '.join(unknown)}): install that version or a later one"
        )
    if missing := sorted(known - applied):
        raise StoreUnavailable(
            f"database_url: the layout {layout.name} is of an older version (without "
            f"{', '.join(missing)}): start a bot of this version once, which migrates it"
        )
