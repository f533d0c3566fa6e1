"""People's memories on a PostgreSQL server: everybody's rows in the same tables.

Two walls keep people apart. All queries name views, which show and accept only the rows of the
actor for whom the transaction made its `PersonRows`. Behind them row-level security does the same
for the tables, whatever a query names; it does not bind superusers. `person`, which says who has
data at all, is the only table without it."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import psycopg

from memory.errors import StoreUnavailable
from memory.leases import current_lease
from memory.records import Actor
from memory.search.ranking import Weights
from memory.search.text import TOKENISER_VERSION
from memory.stores.postgres.address import reason
from memory.stores.postgres.records.person import PersonRows
from memory.stores.postgres.records.tables import VIEWS
from memory.stores.postgres.transactions import read, transact
from memory.stores.records.layout import PERSON_LAYOUT
from memory.stores.records.queues import ActorQueues

if TYPE_CHECKING:
    from memory.stores.postgres.connections import PgConnection
    from memory.stores.postgres.server import PostgresServer
    from memory.stores.records.vectors import VectorTable

T = TypeVar("T")


class PeopleOnServer:
    """See Engine. A write under a lease that ran out, or is no longer the actor's newest, raises
    LeaseLost."""

    def __init__(
        self,
        server: "PostgresServer",
        pool: Executor,
        weights: Weights,
        vectors: "VectorTable | None" = None,
    ) -> None:
        """The server and the pool stay the caller's. Raises NewerStore, StoreUnavailable."""
        server.open(PERSON_LAYOUT)
        self._server, self._weights, self._vectors = server, weights, vectors
        self._queues = ActorQueues(pool)

    async def read(self, actor: Actor, work: Callable[[PersonRows], T]) -> T | None:
        return await self._queues.run(lambda: self._read(actor, work), actor)

    async def change(self, actor: Actor, work: Callable[[PersonRows], T]) -> T | None:
        def change(connection: "PgConnection") -> T | None:
            person = self._lock_person(connection, actor)
            return work(person) if person else None

        return await self._transact(change, actor)

    async def write(self, actor: Actor, work: Callable[[PersonRows], T]) -> T:
        return await self._transact(
            lambda connection: work(
                self._lock_person(connection, actor) or self._new(connection, actor)
            ),
            actor,
        )

    async def move(self, actor: Actor, to: Actor) -> None:
        await self._transact(partial(self._move, actor, to), actor, to)

    async def erase(self, actor: Actor) -> None:
        await self._transact(lambda connection: self._erase(connection, actor), actor)

    async def actors(self) -> list[Actor]:
        def look(connection: "PgConnection") -> list[Actor]:
            rows = connection.execute("SELECT actor FROM person ORDER BY actor").fetchall()
            return [Actor(id_) for (id_,) in rows]

        def run() -> list[Actor]:
            with _failures():
                return read(self._server, look)

        return await self._queues.run(run)

    async def aclose(self) -> None:
        await self._queues.aclose()

    async def _transact(self, work: Callable[["PgConnection"], T], *actors: Actor) -> T:
        lease = current_lease.get()

        def change(connection: "PgConnection") -> T:
            # Statements whose answers nobody waits for take no round trip.
            with connection.pipeline():
                return work(connection)

        def run() -> T:
            with _failures():
                return transact(self._server, {lease} if lease else (), change)

        return await self._queues.run(run, *actors)

    # -- in a thread ------------------------------------------------------------------------------

    def _read(self, actor: Actor, work: Callable[[PersonRows], T]) -> T | None:
        def look(connection: "PgConnection") -> tuple[str | None, T] | None:
            with connection.pipeline(), _snapshot(connection):
                person = self._person(connection, actor)
                # Its answer comes along with the first one that the work waits for.
                asked = person.ask_tokeniser()
                result = work(person)
                known = asked.fetchone()
            return (known[0], result) if known else None

        with _failures():
            found = read(self._server, look)
            if found and found[0] != str(TOKENISER_VERSION):
                transact(self._server, (), lambda connection: self._lock_person(connection, actor))
                found = read(self._server, look)
        return found[1] if found else None

    def _person(self, connection: "PgConnection", actor: Actor) -> PersonRows:
        """The one way to an actor's rows."""
        return PersonRows(connection, actor, self._weights, self._vectors)

    def _lock_person(self, connection: "PgConnection", actor: Actor) -> PersonRows | None:
        """The actor's rows, for this transaction alone to change; None if there are none."""
        person = self._person(connection, actor)
        tokeniser = person.ask_tokeniser(lock=True).fetchone()
        if tokeniser is None:
            return None
        if tokeniser[0] != str(TOKENISER_VERSION):
            person.reindex()
        return person

    def _new(self, connection: "PgConnection", actor: Actor) -> PersonRows:
        """The rows of an actor of whom nothing is stored."""
        person = self._person(connection, actor)
        person.begin()
        return person

    def _move(self, actor: Actor, to: Actor, connection: "PgConnection") -> None:
        # Always in one order, so that two moves never wait for each other.
        there = {each: self._lock_person(connection, each) for each in sorted((actor, to))}
        if not there[actor]:
            return
        if there[to]:
            contents = self._person(connection, actor).contents()
            self._person(connection, to).absorb(contents)
        else:
            self._hand_over(connection, actor, to)
        self._erase(connection, actor)

    def _hand_over(self, connection: "PgConnection", actor: Actor, to: Actor) -> None:
        """Copy everything as it is to an actor of whom nothing is stored."""
        connection.execute(
            "INSERT INTO person SELECT %s, last_row, tokeniser FROM person WHERE actor = %s",
            (to.id, actor.id),
        )
        for view in VIEWS:
            self._person(connection, actor)
            connection.execute(f"CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT * FROM {view}")
            self._person(connection, to)
            connection.execute(f"INSERT INTO {view} SELECT * FROM moved")
            connection.execute("DROP TABLE moved")

    def _erase(self, connection: "PgConnection", actor: Actor) -> None:
        self._person(connection, actor)
        for view in VIEWS:
            connection.execute(f"DELETE FROM {view}")
        connection.execute("DELETE FROM person WHERE actor = %s", (actor.id,))


def reindex(connection: "PgConnection", actor: Actor) -> None:
    """Make the actor's word index from their records, in the transaction under way."""
    PersonRows(connection, actor, Weights()).reindex()


@contextmanager
def _snapshot(connection: "PgConnection") -> Iterator[None]:
    """Read everything inside as of one moment, whatever is written meanwhile."""
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextmanager
def _failures() -> Iterator[None]:
    """Errors of the server as StoreUnavailable. What it says of values stays out of logs."""
    try:
        yield
    except psycopg.Error as failure:
        raise StoreUnavailable(f"PostgreSQL failed: {reason(failure)}") from failure
