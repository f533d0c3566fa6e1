"""Leases in a PostgreSQL database, by its clock."""

import asyncio
import json
import os
import socket
import time
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Self

import structlog

from memory.background.pacing import RateLimitedLog
from memory.background.work import Boundary
from memory.errors import StoreUnavailable
from memory.leases import Lease, current_lease
from memory.records import Actor
from memory.stores.database import Connection
from memory.stores.layout import Layout, Migration
from memory.stores.postgres.server import PostgresServer

_log = structlog.get_logger(__name__)

#: A worker has one lease; it holds a lane, of an actor or a role, while that is valid. So renewing
#: costs the same however many it holds. What is given back is deleted: a lane whose holder's lease
#: has run out may have been left half done. Tokens never come twice.
LAYOUT = Layout(
    "lanes",
    (
        Migration(
            "leases",
            (),
            (
                "CREATE TABLE worker (name TEXT PRIMARY KEY, leased_until TIMESTAMPTZ NOT NULL)",
                "CREATE SEQUENCE lane_token",
                """CREATE TABLE lane (
                    actor TEXT PRIMARY KEY, holder TEXT NOT NULL,
                    token BIGINT NOT NULL DEFAULT nextval('lane_token')
                ) WITH (fillfactor = 70)""",
                "CREATE INDEX lane_holder ON lane (holder)",
                """CREATE VIEW held_lane AS SELECT actor, holder, token FROM lane
                    JOIN worker ON worker.name = holder AND leased_until > now()""",
            ),
        ),
    ),
)

#: The channel of NOTIFY; its payload are actors' ids, with spaces between them, each with `@` and
#: the name of who holds it, if somebody does.
WAKE_UPS = "wake_ups"

_BEGIN = """INSERT INTO worker (name, leased_until)
    VALUES (?, now() + make_interval(secs => ?)) RETURNING now()"""
_FORGET_DEAD = "DELETE FROM worker WHERE leased_until < now() - interval '1 day'"
_RENEW = """UPDATE worker SET leased_until = now() + make_interval(secs => ?)
    WHERE name = ? AND leased_until > now() RETURNING now()"""
_HELD = "SELECT token FROM lane WHERE holder = ?"
_END = "DELETE FROM worker WHERE name = ?"
# What a transaction under way has locked is its holder's a moment longer.
_TAKE_OVER = """UPDATE lane SET token = nextval('lane_token'), holder = ?2 FROM (
        SELECT actor FROM lane WHERE actor IN (SELECT value FROM json_each(?1))
            AND (holder = ?2 OR ?3 = 1 OR NOT EXISTS (SELECT 1 FROM worker
                WHERE name = lane.holder AND leased_until > now()))
        ORDER BY actor FOR UPDATE SKIP LOCKED
    ) AS free WHERE lane.actor = free.actor RETURNING lane.actor, token"""
_TAKE_NEW = """INSERT INTO lane (actor, holder) VALUES (?, ?)
    ON CONFLICT (actor) DO NOTHING RETURNING actor, token"""
_GIVE_BACK = "DELETE FROM lane WHERE token IN (SELECT value FROM json_each(?))"
_ELSEWHERE = """SELECT actor FROM held_lane
    WHERE holder <> ? AND actor IN (SELECT value FROM json_each(?))"""


#: The database's time, and the tokens of what this worker holds.
_Renewed = tuple[datetime, set[int]]


@dataclass(slots=True)
class _Held:
    """A lease, by how many blocks it is used, and when it was last. If it is not `kept`, it is
    given back with the last block."""

    lease: Lease
    used_at: float
    users: int = 0
    kept: bool = False


class PostgresLeases:
    """See Leases. Use with `async with`: it renews while it is open."""

    def __init__(
        self,
        server: PostgresServer,
        seconds: float = 15.0,
        idle_seconds: float = 300.0,
        heard: Callable[[datetime], None] = lambda now: None,
    ) -> None:
        """A lease lasts so many `seconds` and is renewed three times as often. What was not used
        for `idle_seconds` is given back: by default when a vendor's prompt cache has expired too,
        so that the next turn pays for it anyway. `heard` is told the database's time. Raises
        NewerStore, StoreUnavailable."""
        self._db = server.open(LAYOUT)
        self._server, self._seconds = server, seconds
        self._idle, self._heard = idle_seconds, heard
        self._held: dict[str, _Held] = {}
        self._drops: list[Callable[[Actor], None]] = []
        self.name, self._until = "", -inf
        #: True once leases are not kept any longer than a block.
        self._ending = False
        # One claim at a time: a second of the same actor would make the first one's token old.
        self._claiming = asyncio.Lock()
        self._complaints = RateLimitedLog(_log)
        self._keeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._begin()
        self._keeper = asyncio.create_task(self._keep(), name="leases")
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._keeper:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        await self.give_back()
        try:
            await self._db.write(_END, self.name)
        except StoreUnavailable as failure:
            _log.warning("leases_not_given_back", error=str(failure))

    def __len__(self) -> int:
        """How many leases are held."""
        return sum(not held.lease.is_lost for held in self._held.values())

    # -- claims -----------------------------------------------------------------------------------

    def work_on(self, actor: Actor, *, by_force: bool = False) -> AbstractAsyncContextManager[bool]:
        return self._use(actor.id, by_force=by_force)

    def work_alone(self, role: str) -> AbstractAsyncContextManager[bool]:
        return self._use(role)

    @asynccontextmanager
    async def _use(self, subject: str, *, by_force: bool = False) -> AsyncIterator[bool]:
        held = self._valid(subject)
        if held is None:
            await self._take([subject], by_force=by_force)
            held = self._valid(subject)
        if held is None:
            yield False
            return
        held.users += 1
        before = current_lease.set(held.lease)
        try:
            yield True
        except asyncio.CancelledError:
            if _actor_of(subject):
                # Something may be half done, which is said by not giving it back.
                self._lose(held)
            raise
        finally:
            current_lease.reset(before)
            held.users -= 1
            held.used_at = time.monotonic()
            if not held.users and (self._ending or not held.kept):
                await self._release([held])

    async def claim(self, actors: Sequence[Actor]) -> Sequence[Actor]:
        await self._take([actor.id for actor in actors if self.held(actor) is None])
        ours = [actor for actor in actors if self.held(actor)]
        for actor in ours:
            held = self._held[actor.id]
            held.kept, held.used_at = True, time.monotonic()
        return ours

    def held(self, actor: Actor) -> Lease | None:
        held = self._valid(actor.id)
        return held.lease if held else None

    async def elsewhere(self, actors: Collection[Actor]) -> set[Actor]:
        rows = await self._db.rows(_ELSEWHERE, self.name, json.dumps([a.id for a in actors]))
        return {Actor(subject) for (subject,) in rows}

    def subscribe(self, drop: Callable[[Actor], None]) -> None:
        self._drops.append(drop)

    async def give_back(self) -> None:
        self._ending = True
        await self._release([held for held in self._held.values() if not held.users])

    async def wake_ups(self) -> AsyncIterator[Actor | None]:
        async for announced in self._server.listen(WAKE_UPS):
            if not announced:
                yield None
            for subject, _, holder in (each.partition("@") for each in announced.split()):
                # Anybody with the right to connect can announce something.
                if holder in ("", self.name) and (actor := _actor_of(subject)):
                    yield actor

    def _valid(self, subject: str) -> _Held | None:
        held = self._held.get(subject)
        if held and held.lease.is_lost:
            self._lose(held)
            return None
        return held

    async def _take(self, subjects: Sequence[str], *, by_force: bool = False) -> None:
        """Claim those that nobody holds, or all of them."""
        async with self._claiming:
            wanted = [subject for subject in subjects if self._valid(subject) is None]
            name, until = self.name, self._until
            if not wanted or time.monotonic() >= until:
                return
            taken = await self._db.change(lambda db: _take(db, wanted, name, by_force))
            if name != self.name:
                return
            for subject, token, inherited in taken:
                lease = Lease(subject, token, until, inherited)
                self._held[subject] = _Held(lease, time.monotonic())
                self._drop(subject)

    # -- ends -------------------------------------------------------------------------------------

    async def _release(self, ended: Sequence[_Held]) -> None:
        """Give leases back. What fails or is cancelled here is claimed again by this worker, or
        ends with it."""
        mine = [held for held in ended if self._held.get(held.lease.subject) is held]
        for held in mine:
            self._lose(held)
        if tokens := [held.lease.token for held in mine]:
            # The task at hand may work under one of them.
            before = current_lease.set(None)
            try:
                await self._db.write(_GIVE_BACK, json.dumps(tokens))
            except StoreUnavailable as failure:
                _log.warning("leases_not_given_back", error=str(failure))
            finally:
                current_lease.reset(before)

    def _lose(self, held: _Held) -> None:
        held.lease.lose()
        if self._held.get(held.lease.subject) is held:
            del self._held[held.lease.subject]
            self._drop(held.lease.subject)

    def _drop(self, subject: str) -> None:
        if actor := _actor_of(subject):
            for drop in self._drops:
                with Boundary(_log, "drop_failed"):
                    drop(actor)

    # -- the worker's own lease -------------------------------------------------------------------

    async def _begin(self) -> None:
        """Begin anew, under a name that nothing is held by."""
        name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        began = time.monotonic()

        def work(db: Connection) -> datetime:
            db.execute(_FORGET_DEAD)
            now: datetime = db.execute(_BEGIN, (name, self._seconds)).fetchone()[0]
            return now

        self._heard(await self._db.change(work))
        self.name, self._until = name, began + self._seconds

    async def _keep(self) -> None:
        """Renew, give back what is idle, and notice what is lost."""
        current_lease.set(None)
        while True:
            pause = self._seconds / 3
            with Boundary(_log, "leases_not_renewed") as ended:
                try:
                    await self._renew()
                    await self._release(self._idle_ones())
                except StoreUnavailable as failure:
                    self._complaints.warn_once("leases_not_renewed", error=str(failure))
                    pause = self._seconds / 15
            for held in [held for held in self._held.values() if held.lease.is_lost]:
                self._lose(held)
            await asyncio.sleep(self._seconds / 15 if ended.failure else pause)

    async def _renew(self) -> None:
        """Renew in time, or lose everything and begin anew."""
        began, known = time.monotonic(), [*self._held.values()]
        left = self._until - began
        renewed: _Renewed | None = None
        if left > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    renewed = await self._db.change(self._try_to_renew)
        if renewed is None:
            self._lose_all()
            await self._begin()
            return
        now, tokens = renewed
        self._heard(now)
        self._until = began + self._seconds
        for held in known:
            if held.lease.token not in tokens:
                # Taken by force.
                self._lose(held)
        for held in self._held.values():
            # Not one that was lost: another worker has it.
            if not held.lease.is_lost:
                held.lease.until = self._until

    def _try_to_renew(self, db: Connection) -> _Renewed | None:
        renewed = db.execute(_RENEW, (self._seconds, self.name)).fetchone()
        if renewed is None:
            return None
        return renewed[0], {token for (token,) in db.execute(_HELD, (self.name,))}

    def _lose_all(self) -> None:
        if self._held:
            _log.warning("leases_lost", held=len(self._held))
        self._until = -inf
        for held in list(self._held.values()):
            self._lose(held)

    def _idle_ones(self) -> list[_Held]:
        before = time.monotonic() - self._idle
        return [held for held in self._held.values() if not held.users and held.used_at < before]


def _actor_of(subject: str) -> Actor | None:
    """None if it is a role, or no subject at all."""
    try:
        return Actor(subject)
    except ValueError:
        return None


def _take(
    db: Connection, subjects: Sequence[str], name: str, by_force: bool
) -> list[tuple[str, int, bool]]:
    """Subject and token of those claimed, and whether each is inherited."""
    values = json.dumps(subjects), name, by_force
    taken = [(*row, True) for row in db.execute(_TAKE_OVER, values)]
    for subject in sorted({*subjects}.difference(subject for subject, _, _ in taken)):
        taken += [(*row, False) for row in db.execute(_TAKE_NEW, (subject, name))]
    return taken
