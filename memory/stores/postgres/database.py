"""A layout's tables on a PostgreSQL server as a Database."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
import structlog

from memory.background.pacing import RateLimitedLog
from memory.errors import LeaseLost, StoreUnavailable
from memory.leases import Lease
from memory.stores.calls import Call, CallQueue, run_calls
from memory.stores.database import Connection, Rows
from memory.stores.layout import Layout
from memory.stores.postgres.dialect import statement_of

if TYPE_CHECKING:
    from memory.stores.postgres.server import PgConnection, PostgresServer

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_Call = Call[Connection]


class PostgresConnection:
    """See Connection."""

    def __init__(self, connection: "PgConnection") -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[object] = (), /) -> Rows:
        statement = statement_of(sql)
        return self._connection.execute(statement.sql.encode(), statement.values(values))

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> Rows:
        statement = statement_of(sql)
        cursor = self._connection.cursor()
        cursor.executemany(statement.sql.encode(), [statement.values(row) for row in rows])
        return cursor


class _Transaction:
    """Its number, once something may be written, so that its fate can be asked for if the
    connection breaks while it ends."""

    number: str | None = None


class PostgresDatabase:
    """See Database. What is written under a lease is written in one transaction with the check
    that the lease is still the actor's newest; otherwise raises LeaseLost."""

    def __init__(self, server: "PostgresServer", layout: Layout, pool: Executor) -> None:
        self._server, self._layout = server, layout
        self._calls = CallQueue[Connection](pool, self._run)
        self._complaints = RateLimitedLog(_log)

    async def aclose(self) -> None:
        """Nothing is this layout's own: the server closes the connections."""

    async def ask(self, work: Callable[[Connection], T]) -> T:
        return await self._call(work, reads=True)

    async def rows(self, sql: str, *values: object) -> list[Any]:
        return await self.ask(lambda connection: connection.execute(sql, values).fetchall())

    async def read(self, parse: Callable[[Any], T], sql: str, *values: object) -> list[T]:
        return await self.ask(
            lambda connection: list(self._parse(parse, connection.execute(sql, values)))
        )

    async def write(self, sql: str, *values: object) -> int:
        return await self.change(lambda connection: connection.execute(sql, values).rowcount)

    async def change(self, work: Callable[[Connection], T]) -> T:
        return await self._call(work, in_transaction=True, joins=True)

    async def wipe(self, work: Callable[[Connection], object]) -> None:
        """See Database. VACUUM removes the rows from the pages; backups and the server's log are
        the operator's."""
        await self.change(work)

    async def keep_copy(self, generations: int) -> None:
        """See Database."""

    async def _call(
        self,
        work: Callable[[Connection], T],
        *,
        in_transaction: bool = False,
        joins: bool = False,
        reads: bool = False,
    ) -> T:
        try:
            return await self._calls.put(
                work, in_transaction=in_transaction, joins=joins, reads=reads
            )
        except psycopg.Error as failure:
            raise StoreUnavailable(f"PostgreSQL failed: {failure}") from failure

    def _parse(self, parse: Callable[[Any], T], rows: Rows) -> Iterable[T]:
        for row in rows:
            try:
                yield parse(row)
            except (ValueError, TypeError, LookupError) as error:
                self._complaints.warning(
                    "row_unreadable", layout=self._layout.name, error=type(error).__name__
                )

    # -- in a thread ------------------------------------------------------------------------------

    def _run(self, calls: Sequence[_Call]) -> None:
        run_calls(calls, self._run_together, self._run_alone)

    def _run_together(self, calls: Sequence[_Call]) -> bool:
        """False, and nothing is written, if one of the calls fails."""
        try:
            results = self._transact(calls)
        except Exception:  # noqa: BLE001 - each call meets its own error when it runs alone
            return False
        for call, result in zip(calls, results, strict=True):
            call.result = result
        return True

    def _run_alone(self, call: _Call) -> None:
        call.attempt(self._attempt)

    def _attempt(self, call: _Call) -> Any:
        if call.in_transaction:
            (result,) = self._transact([call])
            return result
        try:
            return self._read(call)
        except psycopg.OperationalError:
            self._server.replace_broken()
            return self._read(call)

    def _read(self, call: _Call) -> Any:
        with self._server.connection() as connection:
            return call.work(PostgresConnection(connection))

    def _transact(self, calls: Sequence[_Call]) -> list[Any]:
        """Run the calls in one transaction. If the connection breaks, ask for the transaction's
        fate, and run it again if it was undone."""
        under_way = _Transaction()
        results: list[Any] = []
        try:
            self._try_transaction(calls, under_way, results)
        except psycopg.OperationalError:
            self._server.replace_broken()
            if under_way.number is None or not self._was_committed(under_way.number):
                results.clear()
                self._try_transaction(calls, _Transaction(), results)
        return results

    def _try_transaction(
        self, calls: Sequence[_Call], under_way: _Transaction, results: list[Any]
    ) -> None:
        with self._server.connection() as connection, connection.transaction():
            for lease in {call.lease for call in calls if call.lease}:
                check(connection, lease)
            results += [call.work(PostgresConnection(connection)) for call in calls]
            number = connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchone()
            under_way.number = number[0] if number else None

    def _was_committed(self, number: str) -> bool:
        with self._server.connection() as connection:
            status = connection.execute("SELECT pg_xact_status(%s::xid8)", (number,)).fetchone()
        return status is not None and status[0] == "committed"


def check(connection: "PgConnection", lease: Lease) -> None:
    """Raises LeaseLost if another worker has claimed the actor since. Until the transaction ends
    nobody can."""
    held = connection.execute(
        "SELECT 1 FROM lane WHERE actor = %s AND token = %s FOR SHARE",
        (lease.actor.id, lease.token),
    )
    if held.fetchone() is None:
        raise LeaseLost(f"{lease.actor.id} is at another worker now")
