"""A layout's tables on a PostgreSQL server as a Database."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
import structlog

from memory.background.pacing import RateLimitedLog
from memory.errors import StoreUnavailable
from memory.stores.calls import CallQueue, QueuedCall, run_calls
from memory.stores.database import Connection, Rows
from memory.stores.layout import Layout
from memory.stores.postgres.address import reason
from memory.stores.postgres.connections import Unreachable
from memory.stores.postgres.dialect import statement_of
from memory.stores.postgres.transactions import read, transact

if TYPE_CHECKING:
    from memory.stores.postgres.connections import PgConnection
    from memory.stores.postgres.server import PostgresServer

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_Call = QueuedCall[Connection]


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


class PostgresDatabase:
    """See Database. What is written under a lease is written in one transaction with the check
    that the lease is valid and still the subject's newest. Raises LeaseLost if it is not."""

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

    async def wipe(self, work: Callable[[Connection], object], owner: str | None = None) -> None:
        """See Database. VACUUM removes the rows from the pages; backups and the server's log are
        the operator's. Nothing is set aside: unreadable rows stay in their tables."""
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
            raise StoreUnavailable(f"PostgreSQL failed: {reason(failure)}") from failure

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
        except Unreachable as failure:
            # One after the other they would wait for the server for as long again.
            for call in calls:
                call.error = failure
            return True
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
        return read(self._server, lambda connection: call.work(PostgresConnection(connection)))

    def _transact(self, calls: Sequence[_Call]) -> list[Any]:
        """Run the calls in one transaction."""

        def work(connection: "PgConnection") -> list[Any]:
            return [call.work(PostgresConnection(connection)) for call in calls]

        return transact(self._server, {call.lease for call in calls if call.lease}, work)
