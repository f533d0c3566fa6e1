"""Who may talk to the bot: closed by default, and by numeric ids alone."""

import asyncio
import hmac
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import Executor
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import structlog

from bot.telegram.guestbook import Book, Guest, GuestBook, Request, UnreadableOwner

_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: Without letters and digits that look alike. Eight of 31 are 39 bits.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_CODE = re.compile(r"[0-9A-Za-z]{4}-[0-9A-Za-z]{4}")
_ATTEMPTS = 5
_REFUSAL_SECONDS = 3600
_MOST_REFUSED = 10_000


class AccessMode(StrEnum):
    """Who is let in: whom an owner approves, those on a list, or everybody."""

    PAIRING = "pairing"
    ALLOWLIST = "allowlist"
    OPEN = "open"


class Access:
    """Decides by numeric user id. In pairing mode the first person who sends the code from the log
    becomes the owner, for good; others get a code of their own, which an owner approves."""

    def __init__(
        self,
        mode: AccessMode,
        allowed: Collection[int] = (),
        path: Path | None = None,
        pool: Executor | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        owners: Collection[int] = (),
    ) -> None:
        """`path` is where pairing keeps the people; it needs one. `allowed` are let in by pairing
        too, and so are `owners`, who may approve others. Raises UnreadableOwner."""
        if mode is AccessMode.PAIRING and path is None:
            raise ValueError("pairing needs a file to keep the owner in")
        self.mode = mode
        self._allowed, self._owners = frozenset(allowed), frozenset(owners)
        self._pool, self._monotonic = pool, monotonic
        self._guests = GuestBook(path) if path and mode is AccessMode.PAIRING else None
        self._stamp = self._guests.stamp if self._guests else (0, 0)
        self._book = self._guests.read() if self._guests else Book()
        self._code = new_code() if self._guests and not self._owned else None
        self._attempts: Counter[int] = Counter()
        self._refused: dict[tuple[int, bool], float] = {}

    @property
    def pairing_code(self) -> str | None:
        """The code that makes its sender the owner; None if there is an owner or no pairing."""
        return self._code

    @property
    def owners(self) -> list[int]:
        """The numeric ids of the owners."""
        return sorted(self._owners | {owner.id for owner in self._book.owners})

    @property
    def named(self) -> list[int]:
        """The numeric ids that the settings let in."""
        return sorted(self._allowed | self._owners)

    @property
    def _owned(self) -> bool:
        return bool(self._book.owners or self._owners)

    def announce(self) -> None:
        """Tell the operator how to become the owner, if nobody is."""
        if self._code:
            _log.warning(
                "pairing", code=self._code, hint="send this code to the bot to become its owner"
            )

    def owns(self, user_id: int) -> bool:
        """Whether this person is an owner."""
        return user_id in self._owners or self._book.owns(user_id)

    async def admits(self, user_id: int) -> bool:
        """Whether this person may use the bot."""
        if user_id <= 0:
            return False
        if self._knows(user_id):
            return True
        if self._guests is None:
            return False
        # Somebody may have been approved on the command line meanwhile.
        await self._read_again(self._guests)
        return self._knows(user_id)

    async def pair(self, user_id: int, text: str, name: str = "") -> bool:
        """Whether this person has just become the owner by sending the code. A few wrong codes
        from one person, and that person's are not looked at any more."""
        said = text.removeprefix("/start").strip()
        if self._code is None or not _CODE.fullmatch(said):
            return False
        if self._attempts[user_id] >= _ATTEMPTS:
            return False
        if not hmac.compare_digest(said.upper().encode(), self._code.encode()):
            self._attempts[user_id] += 1
            _log.warning("wrong_pairing_code", user=user_id, attempts=self._attempts[user_id])
            return False
        code, self._code = self._code, None
        owner = Guest(user_id, name, _now().isoformat(timespec="seconds"))
        try:
            await self._change(lambda book: (book.owned_by(owner), None))
        except OSError:
            self._code = code
            raise
        _log.info("paired", user=user_id)
        return True

    async def ask(self, user_id: int, name: str) -> tuple[Request, bool] | None:
        """The request of a person who wants in, and whether it is new; None where nobody could
        approve it. Raises OSError."""
        if self._guests is None or not self._owned:
            return None
        now = _now()
        request = Request(new_code(), user_id, name, now.isoformat(timespec="seconds"))

        def step(book: Book) -> tuple[Book, tuple[Request, bool]]:
            if known := book.request_of(user_id, now):
                return book, (known, False)
            return book.asked(request, now), (request, True)

        return await self._change(step)

    async def approve(self, code: str) -> Guest | None:
        """Let in whoever was given this code; None if it is nobody's, or too old. Raises
        OSError."""
        if self._guests is None:
            return None
        return await self._change(lambda book: approve(book, code, _now()))

    async def remove(self, user_id: int) -> bool:
        """Let a guest in no more; whether there was such a guest. Owners and those whom the
        settings name stay. Raises OSError."""
        if self._guests is None:
            return False

        def step(book: Book) -> tuple[Book, bool]:
            left = book.without(user_id)
            return left, left.guests != book.guests

        # Who is let in no more is to hear so.
        self._refused.pop((user_id, True), None)
        return await self._change(step)

    async def people(self) -> Book:
        """Who was let in, and who waits."""
        if self._guests:
            await self._read_again(self._guests)
        return self._book

    def refusal_due(self, user_id: int, *, private: bool = True) -> bool:
        """Whether this person is to be told no: at most once an hour each, and apart from that in
        groups, where nobody is given a code."""
        now, key = self._monotonic(), (user_id, private)
        last = self._refused.get(key)
        if last is not None and now - last < _REFUSAL_SECONDS:
            return False
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
        self._refused[key] = now
        return True

    def _knows(self, user_id: int) -> bool:
        named = user_id in self._allowed or self.owns(user_id)
        return self.mode is AccessMode.OPEN or named or self._book.admits(user_id)

    async def _read_again(self, guests: GuestBook) -> None:
        def read() -> tuple[tuple[int, int], Book]:
            return guests.stamp, guests.read()

        loop = asyncio.get_running_loop()
        try:
            if await loop.run_in_executor(self._pool, lambda: guests.stamp) != self._stamp:
                self._stamp, self._book = await loop.run_in_executor(self._pool, read)
        except (OSError, UnreadableOwner) as failure:
            # Who was known stays known; nobody gets in by a damaged file.
            _log.warning("guests_unreadable", error=str(failure))

    async def _change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        """Change the book in its file, and know it. Raises OSError."""
        guests = self._guests
        if guests is None:
            raise ValueError("only pairing keeps a book")

        def work() -> tuple[Book, T]:
            def both(book: Book) -> tuple[Book, tuple[Book, T]]:
                changed, result = step(book)
                return changed, (changed, result)

            return guests.change(both)

        loop = asyncio.get_running_loop()
        self._book, result = await loop.run_in_executor(self._pool, work)
        return result


def new_code() -> str:
    """A code that nobody guesses, made to be read out and typed."""
    letters = [secrets.choice(_ALPHABET) for _ in range(8)]
    return "".join((*letters[:4], "-", *letters[4:]))


def approve(book: Book, code: str, now: datetime) -> tuple[Book, Guest | None]:
    """The book with whoever was given this code as a guest, and the guest."""
    wanted = code.strip().upper()
    for request in book.still_waiting(now):
        if hmac.compare_digest(request.code.encode(), wanted.encode()):
            approved = book.approved(request, now)
            return approved, approved.guests[-1]
    return book, None


def _now() -> datetime:
    return datetime.now(UTC)
