"""The guest book in tables that all workers share."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import structlog

from bot.people.guestbook import Book, Guest, Request
from bot.people.pairing import new_code
from memory.background.pacing import RateLimitedLog
from memory.errors import StoreUnavailable
from memory.stores.database import Connection, Database
from memory.stores.layout import Layout, Migration

_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: For PostgreSQL alone: a single process keeps all this in access.json and in RAM.
PEOPLE_LAYOUT = Layout(
    "people",
    (
        Migration(
            "people",
            (
                """CREATE TABLE guest_book (
                    version BIGINT NOT NULL, code TEXT NOT NULL, code_at TIMESTAMPTZ NOT NULL
                )""",
                "INSERT INTO guest_book VALUES (0, '', '-infinity')",
                """CREATE TABLE guest (
                    id BIGINT PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL,
                    since TEXT NOT NULL, welcomed INTEGER NOT NULL
                )""",
                """CREATE TABLE access_request (
                    id BIGINT PRIMARY KEY, code TEXT NOT NULL, name TEXT NOT NULL, at TEXT NOT NULL
                )""",
                """CREATE TABLE throttle (
                    name TEXT NOT NULL, subject TEXT NOT NULL, ends FLOAT8[] NOT NULL,
                    asked FLOAT8 NOT NULL, counted INTEGER NOT NULL, PRIMARY KEY (name, subject)
                )""",
                "CREATE TABLE flood_hold (chat BIGINT PRIMARY KEY, until TIMESTAMPTZ NOT NULL)",
            ),
        ),
        Migration(
            "languages",
            ("CREATE TABLE client_language (actor TEXT PRIMARY KEY, language TEXT NOT NULL)",),
        ),
    ),
)
#: A worker that starts makes a new code if the last one is older. Workers that start together
#: share one, and the operator finds it in the log of each.
_CODE_LASTS = "1 hour"
_RENEW = f"""UPDATE guest_book SET version = version + 1, code = ?, code_at = now()
    WHERE code_at < now() - interval '{_CODE_LASTS}'
    AND NOT EXISTS (SELECT 1 FROM guest WHERE owner = 1)"""


class TableGuestBook:
    """See GuestBook. `open_guest_book` makes it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.book, self.code = Book(), ""
        self._version = -1
        self._complaints = RateLimitedLog(_log)

    async def refresh(self) -> Book:
        try:
            await self.read()
        except StoreUnavailable as failure:
            self._complaints.warning("guests_unreadable", error=str(failure))
        return self.book

    async def read(self) -> None:
        """Like `refresh`. Raises StoreUnavailable."""
        known = self._version

        def work(db: Connection) -> tuple[int, str, Book] | None:
            version, code = db.execute("SELECT version, code FROM guest_book").fetchone()
            return (version, code, read_book(db)) if version != known else None

        if changed := await self._db.ask(work):
            self._version, self.code, self.book = changed

    async def change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        def work(db: Connection) -> T:
            # Whoever comes second waits here.
            db.execute("SELECT version FROM guest_book FOR UPDATE")
            book = read_book(db)
            changed, result = step(book)
            if changed != book:
                _write_book(db, book, changed)
                db.execute("UPDATE guest_book SET version = version + 1")
            return result

        result = await self._db.change(work)
        await self.refresh()
        return result


async def open_guest_book(db: Database) -> TableGuestBook:
    """The guest book as it is now. Raises StoreUnavailable."""
    await db.write(_RENEW, new_code())
    guests = TableGuestBook(db)
    await guests.read()
    return guests


def read_book(db: Connection) -> Book:
    """What the tables hold."""
    sql = "SELECT id, owner, name, since, welcomed FROM guest ORDER BY since, id"
    people = db.execute(sql).fetchall()
    waiting = db.execute("SELECT code, id, name, at FROM access_request ORDER BY at, id").fetchall()
    return Book(
        tuple(Guest(id_, name, since) for id_, owner, name, since, _ in people if owner),
        tuple(Guest(id_, name, since) for id_, owner, name, since, _ in people if not owner),
        tuple(Request(*row) for row in waiting),
        tuple(row[0] for row in people if not row[4]),
    )


def _write_book(db: Connection, before: Book, after: Book) -> None:
    _replace(db, "guest", _people(before), _people(after))
    _replace(db, "access_request", _requests(before), _requests(after))


def _people(book: Book) -> set[tuple[Any, ...]]:
    return {
        (one.id, int(owner), one.name, one.since, int(one.id not in book.unwelcomed))
        for people, owner in ((book.owners, True), (book.guests, False))
        for one in people
    }


def _requests(book: Book) -> set[tuple[Any, ...]]:
    return {(one.id, one.code, one.name, one.at) for one in book.waiting}


def _replace(
    db: Connection, table: str, before: Collection[tuple[Any, ...]], after: set[tuple[Any, ...]]
) -> None:
    """Write what differs; the first column is the key."""
    gone, new = sorted(set(before) - after), sorted(after - set(before))
    if gone:
        db.executemany(f"DELETE FROM {table} WHERE id = ?", [row[:1] for row in gone])
    if new:
        places = ", ".join("?" * len(new[0]))
        db.executemany(f"INSERT INTO {table} VALUES ({places})", new)
