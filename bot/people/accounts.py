"""Accounts of what models were used per actor: tokens and money, by session and by day.

One small database holds numbers only, no message texts. Counting happens in the background and
never delays a reply; a count that fails is logged and lost."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any, Literal, Self

import structlog

from bot.metrics import count_usage
from bot.people.usage import NO_USAGE, Usage, UsageKind
from memory.background.work import log_outage
from memory.leases import current_lease
from memory.memory import utc_now
from memory.records import Actor
from memory.stores.database import Connection, Database
from memory.stores.layout import Layout, Migration, Row
from memory.stores.values import integer_of

_log = structlog.get_logger(__name__)

#: How long counts are collected before they are written together, in seconds, unless they are read
#: earlier: waking a thread for each costs more than writing it. A kill loses the last counts.
_GATHERING = 0.2

_Statement = tuple[str, tuple[object, ...]]

#: Costs are stored in trillionths of a US dollar: a token can cost as little as ten millionths.
_UNIT = Decimal(10) ** 12

_MIGRATIONS = (
    Migration(
        "usage",
        (
            """CREATE TABLE usage (
                actor TEXT NOT NULL, session TEXT NOT NULL, day TEXT NOT NULL, kind TEXT NOT NULL,
                runs INTEGER NOT NULL, requests INTEGER NOT NULL, unpriced INTEGER NOT NULL,
                input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
                cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
                cost INTEGER NOT NULL, PRIMARY KEY (actor, session, day, kind)
            ) WITHOUT ROWID""",
            "CREATE INDEX usage_session ON usage (session)",
        ),
    ),
    Migration(
        "recordings",
        ("ALTER TABLE usage ADD COLUMN audio_milliseconds INTEGER NOT NULL DEFAULT 0",),
    ),
    Migration(
        "shares",
        (
            """CREATE TABLE shares (
                person TEXT NOT NULL, day TEXT NOT NULL, tokens INTEGER NOT NULL,
                cost INTEGER NOT NULL, PRIMARY KEY (person, day)
            ) WITHOUT ROWID""",
        ),
    ),
)
_COUNTS = (
    "runs",
    "requests",
    "unpriced",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cost",
    "audio_milliseconds",
)


def _read_numbers(row: Row) -> Row:
    for name in {*_COUNTS, "tokens"} & row.keys():
        integer_of(row[name])
    return row


USAGE_LAYOUT = Layout("usage", _MIGRATIONS, {"usage": _read_numbers, "shares": _read_numbers})
_SUMS = ", ".join(f"CAST(sum({name}) AS BIGINT)" for name in _COUNTS)
_ADD = (
    f"INSERT INTO usage (actor, session, day, kind, {', '.join(_COUNTS)}) "
    f"{{source}} ON CONFLICT (actor, session, day, kind) DO UPDATE SET "
    + ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in _COUNTS)
)
_ADD_SHARE = """INSERT INTO shares (person, day, tokens, cost) VALUES (?, ?, ?, ?)
    ON CONFLICT (person, day) DO UPDATE SET
    tokens = shares.tokens + excluded.tokens, cost = shares.cost + excluded.cost"""
_VALUES = ", ".join("?" * (2 + len(_COUNTS)))
_ADD_FOR_ACTOR = _ADD.format(source=f"VALUES (?, ?, {_VALUES})")
_ADD_FOR_SESSION = _ADD.format(
    source=f"SELECT actor, session, {_VALUES} FROM usage WHERE session = ? GROUP BY actor, session"
)


@dataclass(frozen=True, slots=True)
class Account:
    """The usage of an actor: turns, extractions from their sessions, reviews of what those found,
    and transcribed recordings."""

    turns: Usage = NO_USAGE
    extractions: Usage = NO_USAGE
    recordings: Usage = NO_USAGE
    reviews: Usage = NO_USAGE

    @property
    def total(self) -> Usage:
        """The sum; its `runs` counts all kinds alike."""
        return self.turns + self.extractions + self.recordings + self.reviews


@dataclass(frozen=True, slots=True)
class Spent:
    """What a person has used of their daily limits: tokens, read and written, and US dollars."""

    tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.tokens + other.tokens, self.cost + other.cost)


@dataclass(frozen=True, slots=True)
class Totals:
    """The usage of all actors, and how many of them had a turn."""

    people: int
    account: Account


class Accounts:
    """The accounts of all actors, in a database with `USAGE_LAYOUT`, which they close."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._db, self._clock = database, clock
        #: Statements still to be written, in order.
        self._noted: list[_Statement] = []
        self._counting: asyncio.Task[None] | None = None
        self._flush_now = asyncio.Event()
        #: The day when shares of earlier ones were last deleted.
        self._tidied = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Write what was noted and close the database."""
        await self.settle()
        await self._db.aclose()

    async def settle(self) -> None:
        """Return when everything noted so far is written."""
        if self._counting:
            self._flush_now.set()
            try:
                await asyncio.shield(self._counting)
            finally:
                self._flush_now.clear()

    # -- counting ---------------------------------------------------------------------------------

    def note_turn(
        self, actor: Actor, session_id: str, usage: Usage, user_id: int | None = None
    ) -> None:
        """Add a turn to the account in the background; never fails. A turn in a group counts for
        the group, and for the daily limits of its sender `user_id`."""
        self._note(_ADD_FOR_ACTOR, actor.id, session_id, *self._row("turn", usage))
        self._note_share(actor, user_id, usage)

    def note_learning(
        self, session_id: str, usage: Usage, kind: Literal["extraction", "review"] = "extraction"
    ) -> None:
        """Add an extraction or a review to the account of the session's actor. If the session was
        forgotten meanwhile, it is not counted."""
        self._note(_ADD_FOR_SESSION, *self._row(kind, usage), session_id)

    def note_recording(
        self, actor: Actor, session_id: str, usage: Usage, user_id: int | None = None
    ) -> None:
        """Add a transcribed recording to the account; like `note_turn`."""
        self._note(_ADD_FOR_ACTOR, actor.id, session_id, *self._row("recording", usage))
        self._note_share(actor, user_id, usage)

    # -- reading ----------------------------------------------------------------------------------

    async def of_session(self, actor: Actor, session_id: str) -> Account:
        """The usage of one session. Raises StoreUnavailable."""
        return await self._account("session = ?", actor, session_id)

    async def today(self, actor: Actor) -> Account:
        """The usage since midnight UTC. Raises StoreUnavailable."""
        return await self._account("day = ?", actor, self._today())

    async def spent_today(self, person: Actor) -> Spent:
        """What a person has used since midnight UTC, including in groups and what they erased
        since. Raises StoreUnavailable."""
        total = (await self.today(person)).total
        spent = Spent(total.input_tokens + total.output_tokens, total.cost)
        spent += await self.shared_today(person)
        return spent + await self._share_of(_stand_in(person, self._today()))

    async def shared_today(self, person: Actor) -> Spent:
        """What a person has used in groups since midnight UTC. Raises StoreUnavailable."""
        return await self._share_of(person.id)

    async def _share_of(self, person: str) -> Spent:
        await self.settle()
        sql = "SELECT tokens, cost FROM shares WHERE person = ? AND day = ?"
        rows = await self._db.read(lambda row: [*map(integer_of, row)], sql, person, self._today())
        return Spent(rows[0][0], Decimal(rows[0][1]) / _UNIT) if rows else Spent()

    async def totals(self, since: str) -> Totals:
        """The usage of all actors since a day (ISO, UTC). Raises StoreUnavailable."""
        await self.settle()
        sql = f"SELECT kind, {_SUMS} FROM usage WHERE day >= ? GROUP BY kind"
        rows = await self._db.rows(sql, since)
        people = await self._db.rows(
            "SELECT count(DISTINCT actor) FROM usage WHERE day >= ? AND kind = 'turn'", since
        )
        return Totals(int(people[0][0]), _account(rows))

    async def export(self, actor: Actor) -> list[dict[str, Any]]:
        """All usage of the actor: one entry per day, session and kind, oldest first; costs in US
        dollars as text. Raises StoreUnavailable."""
        await self.settle()
        sql = (
            f"SELECT day, session, kind, {', '.join(_COUNTS)} FROM usage WHERE actor = ? "
            "ORDER BY day, session, kind"
        )

        def entry(row: Sequence[Any]) -> dict[str, Any]:
            day, session, kind, *counts = row
            numbers = _to_json(_usage(map(integer_of, counts)))
            return {"day": day, "session": session, "kind": kind, **numbers}

        return await self._db.read(entry, sql, actor.id)

    # -- moving and forgetting --------------------------------------------------------------------

    async def move(self, actor: Actor, to: Actor) -> None:
        """Add the actor's account to another one's and close it. Raises StoreUnavailable."""
        await self.settle()
        if actor == to:
            return
        columns = f"session, day, kind, {', '.join(_COUNTS)}"
        add = _ADD.format(source=f"SELECT ?, {columns} FROM usage WHERE actor = ?")

        def work(db: Connection) -> None:
            db.execute(add, (to.id, actor.id))
            db.execute("DELETE FROM usage WHERE actor = ?", (actor.id,))

        await self._db.change(work)

    async def erase(self, actor: Actor) -> None:
        """Delete the actor's account. Today's sum still counts towards the daily limits, without
        their id: otherwise /forget all would reset them. Raises StoreUnavailable."""
        spent, today = await self.spent_today(actor), self._today()
        share = (_stand_in(actor, today), today, spent.tokens, int(spent.cost * _UNIT))

        def work(db: Connection) -> None:
            db.execute("DELETE FROM usage WHERE actor = ?", (actor.id,))
            db.execute("DELETE FROM shares WHERE person IN (?, ?)", (actor.id, share[0]))
            if spent != Spent():
                db.execute(_ADD_SHARE, share)

        await self._db.wipe(work, actor.id)

    # -- inside -----------------------------------------------------------------------------------

    def _row(self, kind: UsageKind, usage: Usage) -> tuple[object, ...]:
        count_usage(kind, usage)
        counts = {name: getattr(usage, name) for name in _COUNTS}
        counts["cost"] = int(usage.cost * _UNIT)
        return (self._today(), kind, *counts.values())

    def _note_share(self, actor: Actor, user_id: int | None, usage: Usage) -> None:
        if not (actor.is_group and user_id):
            return
        tokens, cost = usage.input_tokens + usage.output_tokens, int(usage.cost * _UNIT)
        self._note(_ADD_SHARE, Actor.person(user_id).id, self._today(), tokens, cost)

    def _today(self) -> str:
        return f"{self._clock().astimezone(UTC):%Y-%m-%d}"

    def _note(self, sql: str, *values: object) -> None:
        self._noted.append((sql, values))
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(self._count(), name="count usage")

    async def _count(self) -> None:
        """Write the noted statements in order; those noted within `_GATHERING` share a
        transaction."""
        # They are of many actors: whoever was first must not stop the others' by losing its lease.
        current_lease.set(None)
        while self._noted:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GATHERING):
                    await self._flush_now.wait()
            noted, self._noted = [*self._tidy(), *self._noted], []
            with log_outage(
                _log, "usage_not_counted", remedy="check the data directory or database_url"
            ):
                await self._db.change(partial(_execute, statements=noted))

    def _tidy(self) -> Sequence[_Statement]:
        """Once a day, delete shares of days before: only today's count. The day before stays,
        because the clock may have leapt."""
        today, before = self._today(), self._tidied
        self._tidied = today
        sql = "DELETE FROM shares WHERE day < (SELECT max(day) FROM shares WHERE day < ?)"
        return [(sql, (today,))] if today != before else ()

    async def _account(self, condition: str, actor: Actor, value: str) -> Account:
        await self.settle()
        sql = f"SELECT kind, {_SUMS} FROM usage WHERE actor = ? AND {condition} GROUP BY kind"
        return _account(await self._db.rows(sql, actor.id, value))


def _stand_in(person: Actor, day: str) -> str:
    """What stands for a person who erased their account, on this day."""
    return sha256(f"{person.id} {day}".encode()).hexdigest()


def _execute(db: Connection, statements: Iterable[_Statement]) -> None:
    for sql, values in statements:
        db.execute(sql, values)


def _account(rows: Iterable[Sequence[Any]]) -> Account:
    """The account that these rows make. Each row begins with its kind."""
    by_kind: dict[UsageKind, Usage] = {kind: _usage(counts) for kind, *counts in rows}
    return Account(
        turns=by_kind.get("turn", NO_USAGE),
        extractions=by_kind.get("extraction", NO_USAGE),
        recordings=by_kind.get("recording", NO_USAGE),
        reviews=by_kind.get("review", NO_USAGE),
    )


def _usage(counts: Iterable[int]) -> Usage:
    values: dict[str, Any] = dict(zip(_COUNTS, counts, strict=True))
    values["cost"] = Decimal(values["cost"]) / _UNIT
    return Usage(**values)


def _to_json(usage: Usage) -> dict[str, Any]:
    return {**asdict(usage), "cost": f"{usage.cost:f}"}
