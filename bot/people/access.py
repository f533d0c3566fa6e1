"""Who may talk to the bot: closed by default, and by numeric ids alone."""

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

import structlog

from bot.people.guestbook import (
    Approval,
    ApprovalVerdict,
    Book,
    Guest,
    GuestBook,
    Request,
    add_guest,
)
from bot.people.pairing import Guess, Pairing, new_code
from bot.people.throttles import RamThrottles, Rate, Throttles
from memory.background.pacing import RateLimitedLog
from memory.memory import utc_now
from memory.safety.escaping import speaker_name

_log = structlog.get_logger(__name__)

T = TypeVar("T")

_REFUSALS = Rate("refusals", 1, 3600.0)
#: How often the operator hears of an attack on the pairing code.
_ATTACK_SECONDS = 86_400.0


class AccessMode(StrEnum):
    """Who may use the bot: people an owner approves, people on a list, or everyone."""

    PAIRING = "pairing"
    ALLOWLIST = "allowlist"
    OPEN = "open"


class Access:
    """Decides by numeric user id. In pairing mode the first person to send the code from the log
    becomes the owner for good; anyone else gets a code of their own, which an owner approves."""

    def __init__(
        self,
        mode: AccessMode,
        allowed: Collection[int] = (),
        guests: GuestBook | None = None,
        throttles: Throttles | None = None,
        *,
        owners: Collection[int] = (),
    ) -> None:
        """`guests` are required for pairing. `allowed` and `owners` have access in every mode;
        owners may approve others. Without `throttles` this process counts alone."""
        if mode is AccessMode.PAIRING and guests is None:
            raise ValueError("pairing needs a book to keep the owner in")
        self.mode = mode
        self._allowed, self._owners = frozenset(allowed), frozenset(owners)
        self._guests = guests if mode is AccessMode.PAIRING else None
        self.throttles = throttles or RamThrottles()
        self._pairing = Pairing(self.throttles)
        self._attacks = RateLimitedLog(_log, _ATTACK_SECONDS)

    @property
    def pairing_code(self) -> str | None:
        """The code that makes its sender the owner; None if there is an owner, or no pairing."""
        opens = self._guests and not self._has_owner and not self._book.unreadable
        return self._guests.code if self._guests and opens else None

    @property
    def owners(self) -> list[int]:
        return sorted(self._owners | {owner.id for owner in self._book.owners})

    @property
    def configured(self) -> list[int]:
        """The numeric ids that the settings give access."""
        return sorted(self._allowed | self._owners)

    @property
    def _book(self) -> Book:
        return self._guests.book if self._guests else Book()

    @property
    def _has_owner(self) -> bool:
        return bool(self._book.owners or self._owners)

    def announce(self) -> None:
        """Log how to become the owner, unless there is one."""
        if code := self.pairing_code:
            # Without the code nobody gets in, so log it at any level.
            seen = logging.getLogger(__name__).isEnabledFor(logging.WARNING)
            say = _log.warning if seen else _log.error
            say("pairing", code=code, hint="send this code to the bot to become its owner")

    def owns(self, user_id: int) -> bool:
        return user_id in self._owners or self._book.owns(user_id)

    async def admits(self, user_id: int) -> bool:
        if user_id <= 0:
            return False
        if self._knows(user_id):
            return True
        if self._guests is None:
            return False
        # The command line or another worker may have approved this person meanwhile.
        await self._guests.refresh()
        return self._knows(user_id)

    async def pair(self, user_id: int, text: str, name: str = "") -> Guess:
        """Check a message as a guess at the pairing code; a right guess makes its sender the owner.
        Raises StoreUnavailable."""
        guess = await self._pairing.guess(user_id, text, self.pairing_code)
        if guess in (Guess.WRONG, Guess.LAST):
            _log.warning("wrong_pairing_code", user=user_id, guess=guess.value)
            if await self._pairing.is_attacked():
                # The right code still works, so there is no hurry.
                self._attacks.warning("pairing_attacked", remedy="send the bot its pairing code")
        if guess is not Guess.RIGHT:
            return guess
        owner = Guest(user_id, speaker_name(name), utc_now().isoformat(timespec="seconds"))
        # Another worker may have got the same code a moment before.
        if not await self._change(
            lambda book: (book, False) if book.owners else (book.with_owner(owner), True)
        ):
            return Guess.VAIN
        # Let people who heard that the bot has no owner hear that now someone can approve them.
        await self.throttles.forget(_REFUSALS)
        _log.info("paired", user=user_id)
        return guess

    async def may_guess(self, user_id: int) -> bool:
        """True if a pairing code from this person would be checked. Raises StoreUnavailable."""
        code = self.pairing_code
        return code is not None and not await self._pairing.is_spent(user_id, code)

    async def ask(self, user_id: int, name: str) -> tuple[Request, bool] | None:
        """The access request of this person, and whether it is new; None if nobody could approve
        it. Raises StoreUnavailable."""
        if self._guests is None or not self._has_owner:
            return None
        now = utc_now()
        at = now.isoformat(timespec="seconds")
        request = Request(new_code(), user_id, speaker_name(name), at)

        def step(book: Book) -> tuple[Book, tuple[Request, bool]]:
            if known := book.request_of(user_id, now):
                return book, (known, False)
            return book.with_request(request, now), (request, True)

        return await self._change(step)

    async def approve(self, written: str) -> Approval:
        """Give access to the person with this code or numeric id. Raises StoreUnavailable."""
        if self._guests is None:
            return Approval(ApprovalVerdict.NOT_HERE)
        named = self._allowed | self._owners
        return await self._change(lambda book: add_guest(book, written, utc_now(), named=named))

    async def take_guests_to_welcome(self) -> tuple[int, ...]:
        """The guests approved on the command line whom the bot has not told yet; marks them as
        told. Raises StoreUnavailable."""
        if self._guests is None:
            return ()
        if not (await self._guests.refresh()).unwelcomed:
            return ()
        return await self._change(lambda book: (replace(book, unwelcomed=()), book.unwelcomed))

    async def remove(self, user_id: int) -> bool:
        """Remove a guest; True if there was one. Owners and people in the settings keep their
        access. Raises StoreUnavailable."""
        if self._guests is None:
            return False

        def step(book: Book) -> tuple[Book, bool]:
            left = book.without(user_id)
            return left, left.guests != book.guests

        # A recent refusal must not keep the person from hearing that they lost access.
        await self.throttles.forget(_REFUSALS, _refusal_subject(user_id, private=True))
        return await self._change(step)

    async def read_book(self) -> Book:
        """Owners, guests and pending requests, as they are now."""
        return await self._guests.refresh() if self._guests else Book()

    async def refusal_due(self, user_id: int, *, private: bool = True) -> bool:
        """True if this person should get a refusal: at most one an hour, counted separately in
        private and in groups, where refusals contain no code. Raises StoreUnavailable."""
        return not await self.throttles.take(_REFUSALS, _refusal_subject(user_id, private=private))

    def _knows(self, user_id: int) -> bool:
        named = user_id in self._allowed or self.owns(user_id)
        return self.mode is AccessMode.OPEN or named or self._book.admits(user_id)

    async def _change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        """Raises StoreUnavailable."""
        if self._guests is None:
            raise ValueError("only pairing keeps a book")
        return await self._guests.change(step)


def _refusal_subject(user_id: int, *, private: bool) -> str:
    return f"{user_id}{'' if private else ' in groups'}"
