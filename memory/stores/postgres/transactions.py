"""Transactions on a PostgreSQL server: under a lease, and whole even if the connection breaks."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Generic, TypeVar

import psycopg

from memory.errors import LeaseLost
from memory.leases import Lease

if TYPE_CHECKING:
    from memory.stores.postgres.server import PgConnection, PostgresServer

T = TypeVar("T")


class _Attempt(Generic[T]):
    """One transaction. Its number is known once something may be written, so that its fate can be
    asked for if the connection breaks while it ends."""

    number: str | None = None
    result: T


def transact(
    server: "PostgresServer", leases: Collection[Lease], work: Callable[["PgConnection"], T]
) -> T:
    """Run the work in one transaction, in a thread. If the connection breaks, ask for the
    transaction's fate, and run it again if it was undone. Raises LeaseLost if one of the leases is
    no longer its actor's newest; nothing is written then."""
    attempt = _Attempt[T]()
    try:
        _try(server, leases, work, attempt)
    except psycopg.OperationalError:
        server.replace_broken()
        if attempt.number is None or not _was_committed(server, attempt.number):
            attempt = _Attempt[T]()
            _try(server, leases, work, attempt)
    return attempt.result


def _try(
    server: "PostgresServer",
    leases: Collection[Lease],
    work: Callable[["PgConnection"], T],
    attempt: _Attempt[T],
) -> None:
    with server.connection() as connection, connection.transaction():
        for lease in leases:
            check(connection, lease)
        attempt.result = work(connection)
        number = connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchone()
        attempt.number = number[0] if number else None


def _was_committed(server: "PostgresServer", number: str) -> bool:
    with server.connection() as connection:
        status = connection.execute("SELECT pg_xact_status(%s::xid8)", (number,)).fetchone()
    return status is not None and status[0] == "committed"


def check(connection: "PgConnection", lease: Lease) -> None:
    """Raises LeaseLost if another worker has claimed its subject since. Until the transaction ends
    nobody can."""
    held = connection.execute(
        "SELECT 1 FROM lane WHERE actor = %s AND token = %s FOR SHARE",
        (lease.subject, lease.token),
    )
    if held.fetchone() is None:
        lease.lose()
        raise LeaseLost(f"{lease.subject} is at another worker now")
