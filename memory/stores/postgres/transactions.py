"""Work on a PostgreSQL server: under a lease, and done once even if the connection breaks."""

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

import psycopg
import psycopg.sql
from psycopg import errors

from memory.errors import LeaseLost, StoreUnavailable
from memory.leases import Lease
from memory.stores.postgres.connections import PgConnection, Unreachable

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult

    from memory.stores.postgres.server import PostgresServer

T = TypeVar("T")

#: How often a transaction is begun that the server undoes, or the connection breaks off.
_ATTEMPTS = 3
#: How long a transaction's fate is asked for while the server is away, in seconds.
_FATE_SECONDS = 20.0
#: What the server undoes because others were at work at the same moment.
_CLASHES = errors.DeadlockDetected, errors.SerializationFailure

_FATE = "SELECT pg_xact_status(%s::xid8)"
_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::xid8::xid"


class _Attempt(Generic[T]):
    """One transaction. Its `number` is known before anything is written, so that its fate can be
    asked for if the connection breaks while it is committed."""

    number = ""
    is_committing = False
    is_broken = False
    result: T


def transact(
    server: "PostgresServer", leases: Collection[Lease], work: Callable[[PgConnection], T]
) -> T:
    """Run the work in one transaction, in a thread; again if it was undone because the connection
    broke or others were at work. Raises LeaseLost if one of the leases ran out or is no longer its
    subject's newest, and StoreUnavailable. Nothing is written then, unless the server goes away
    just when it commits."""
    for left in reversed(range(_ATTEMPTS)):
        attempt = _Attempt[T]()
        try:
            _try(server, leases, work, attempt)
        except _CLASHES:
            if not left:
                raise
        except psycopg.Error:
            if not attempt.is_broken:
                raise
            server.replace_broken()
            if attempt.is_committing and _was_committed(server, attempt.number):
                break
            if attempt.number:
                _end(server, attempt.number)
            if not left:
                raise
        else:
            break
    return attempt.result


def read(server: "PostgresServer", work: Callable[[PgConnection], T]) -> T:
    """Run work that only reads, in a thread; again if the connection breaks."""
    connection: PgConnection | None = None
    try:
        with server.connection() as connection:
            return work(connection)
    except psycopg.Error:
        if not (connection and connection.closed):
            raise
    server.replace_broken()
    with server.connection() as connection:
        return work(connection)


def _try(
    server: "PostgresServer",
    leases: Collection[Lease],
    work: Callable[[PgConnection], T],
    attempt: _Attempt[T],
) -> None:
    connection: PgConnection | None = None
    try:
        with server.connection() as connection:
            try:
                attempt.number = _begin(connection, leases)
                attempt.result = work(connection)
                attempt.is_committing = True
                ended = _command(connection, "COMMIT").command_status
            except BaseException:
                with suppress(psycopg.Error):
                    connection.rollback()
                raise
    finally:
        attempt.is_broken = connection is not None and connection.closed
    if ended != b"COMMIT":
        raise StoreUnavailable("PostgreSQL undid a transaction in which a statement had failed")


def _begin(connection: PgConnection, leases: Collection[Lease]) -> str:
    """Begin a transaction, in one round trip, and return its number. Raises LeaseLost."""
    claims = ", ".join(
        f"({psycopg.sql.quote(lease.subject, connection)}, {lease.token:d})" for lease in leases
    )
    # Until the transaction ends nobody can claim what is held.
    found = (
        f"ARRAY(SELECT token FROM lane WHERE (actor, token) IN ({claims}) FOR SHARE)"
        if leases
        else "'{}'"
    )
    row = _command(connection, f"BEGIN; SELECT pg_current_xact_id(), {found}")
    number, tokens = (str((row.get_value(0, at) or b"").decode()) for at in (0, 1))
    held = {int(token) for token in tokens.strip("{}").split(",") if token}
    for lease in leases:
        # One that ran out and was not claimed since is not held either: what it was for is left
        # to whoever claims next.
        if lease.is_lost or lease.token not in held:
            lease.lose()
            raise LeaseLost(f"{lease.subject} is at another worker now")
    return number


def _command(connection: PgConnection, command: str) -> "PGresult":
    """Run a command at once. A cursor would take five times the processor time, which counts for
    what every transaction needs."""
    result = connection.pgconn.exec_(command.encode())
    if connection.closed:
        raise psycopg.OperationalError("the server closed the connection")
    if result.status == psycopg.pq.ExecStatus.FATAL_ERROR:
        raise errors.error_from_result(result)
    return result


def _end(server: "PostgresServer", number: str) -> None:
    """End a transaction that the server may still wait for, with all that it has locked."""
    with suppress(Unreachable, psycopg.Error), server.connection() as connection:
        connection.execute(_END, (number,))


def _was_committed(server: "PostgresServer", number: str) -> bool:
    """The fate of a transaction whose connection broke while it was committed. Raises
    StoreUnavailable if the server stays away."""
    deadline = time.monotonic() + _FATE_SECONDS
    while time.monotonic() < deadline:
        _end(server, number)
        # Not there for the moment, or gone again.
        with suppress(Unreachable, psycopg.OperationalError), server.connection() as connection:
            try:
                ((fate,),) = connection.execute(_FATE, (number,))
            except errors.InvalidParameterValue:  # a new primary has not come as far
                return False
            if fate != "in progress":
                return bool(fate == "committed")
        time.sleep(0.1)
    raise StoreUnavailable("it is not known whether PostgreSQL has kept the last change")
