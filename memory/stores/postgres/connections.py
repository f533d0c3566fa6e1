"""Connections to a PostgreSQL server, for threads."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import structlog
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from memory.errors import StoreUnavailable
from memory.stores.postgres.address import ServerAddress

_log = structlog.get_logger(__name__)
PgConnection = psycopg.Connection[tuple[Any, ...]]

#: How long a call waits for a connection, in seconds: a server's restart takes two or three. While
#: the server is away, no call waits as long as the first, and those that come right after it fail
#: at once: they would queue up behind each other.
_PATIENCE, _PATIENCE_WHILE_AWAY = 5.0, 0.3
#: How long the pool tries to connect by itself; each further call has it try again.
_RECONNECTING = 1.0

# They log each attempt to connect; whoever asked for a connection says so, less often.
for _name in ("psycopg", "psycopg.pool"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class Unreachable(StoreUnavailable):
    """There is no connection to the server. Nothing was sent."""


class Connections:
    """A pool. Each connection commits by itself unless told to begin a transaction."""

    def __init__(self, address: ServerAddress, most: int) -> None:
        self._place, self._away, self._none_before = address.place, False, 0.0
        self._pool = ConnectionPool(
            address.conninfo,
            min_size=1,
            max_size=most,
            reconnect_timeout=_RECONNECTING,
            kwargs={"autocommit": True},
            name="mordecai",
            open=True,
        )

    @contextmanager
    def one(self) -> Iterator[PgConnection]:
        """Raises Unreachable if there is none in time."""
        if time.monotonic() < self._none_before:
            raise self._unreachable()
        try:
            connection = self._pool.getconn(_PATIENCE_WHILE_AWAY if self._away else _PATIENCE)
        except (PoolTimeout, PoolClosed) as failure:
            self._note(away=True)
            self._none_before = time.monotonic() + _PATIENCE_WHILE_AWAY
            raise self._unreachable() from failure
        self._note(away=False)
        try:
            yield connection
        except psycopg.Error as failure:
            if _ends_connection(failure):
                connection.close()
            raise
        finally:
            self._pool.putconn(connection)

    def _unreachable(self) -> Unreachable:
        return Unreachable(f"the PostgreSQL server {self._place} can't be reached")

    def _note(self, *, away: bool) -> None:
        """Log what is new."""
        if away and not self._away:
            _log.warning(
                "database_unreachable",
                server=self._place,
                remedy="check that the server runs that database_url names, and the way to it; "
                "`mordecai doctor` says why it refuses",
            )
        elif self._away and not away:
            _log.info("database_back", server=self._place)
        self._away = away

    def replace_broken(self) -> None:
        """Replace those that a restart of the server has broken."""
        self._pool.check()

    def close(self) -> None:
        self._pool.close()


def _ends_connection(failure: psycopg.Error) -> bool:
    """True if the server ends the connection, or is no primary any more."""
    severity = failure.diag.severity_nonlocalized
    return severity in ("FATAL", "PANIC") or isinstance(
        failure, psycopg.errors.ReadOnlySqlTransaction
    )
