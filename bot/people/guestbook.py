"""The guest book: owners, guests and pending requests; and how an owner lets people in, by their
code or their numeric id."""

import hmac
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from bot.people.pairing import code_in

T = TypeVar("T")

#: Requests expire after this time; the person can ask again.
WAITING = timedelta(days=2)
#: Maximum pending requests; new ones replace the oldest. So many that a few hundred strangers don't
#: push out somebody who waits for the owner.
MOST_WAITING = 1000
#: Bot API, User.id: "it has at most 52 significant bits".
_IDS = range(1, 2**52)


@dataclass(frozen=True, slots=True)
class Guest:
    """A person with access. Only the id decides who it is; `name`, as Telegram showed it then, is
    for people to read. `since` is an ISO time, empty if unknown."""

    id: int
    name: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for access, with the code that an owner approves. `at` is an ISO time."""

    code: str
    id: int
    name: str
    at: str


@dataclass(frozen=True, slots=True)
class Book:
    """What is in the guest book. `waiting` are the pending requests. `unwelcomed` are the ids of
    guests approved on the command line whom the bot has not told yet, `unreadable` the entries that
    can't be read, as they are."""

    owners: tuple[Guest, ...] = ()
    guests: tuple[Guest, ...] = ()
    waiting: tuple[Request, ...] = ()
    unwelcomed: tuple[int, ...] = ()
    unreadable: tuple[Any, ...] = ()

    def admits(self, user_id: int) -> bool:
        return self.owns(user_id) or any(guest.id == user_id for guest in self.guests)

    def owns(self, user_id: int) -> bool:
        return any(owner.id == user_id for owner in self.owners)

    def find(self, user_id: int) -> Guest | None:
        """The owner or guest with this id."""
        return next((one for one in (*self.owners, *self.guests) if one.id == user_id), None)

    def request_of(self, user_id: int, now: datetime) -> Request | None:
        """The person's pending request."""
        return next((r for r in self.open_requests(now) if r.id == user_id), None)

    def open_requests(self, now: datetime) -> tuple[Request, ...]:
        """The requests that have not expired."""
        return tuple(r for r in self.waiting if now - datetime.fromisoformat(r.at) < WAITING)

    def with_request(self, request: Request, now: datetime) -> "Book":
        return replace(self, waiting=(*self.open_requests(now), request)[-MOST_WAITING:])

    def with_guest(self, guest: Guest, *, welcomed: bool = True) -> "Book":
        """The book with this guest added and their request removed."""
        left = self.without(guest.id)
        unwelcomed = left.unwelcomed if welcomed else (*left.unwelcomed, guest.id)
        return replace(left, guests=(*left.guests, guest), unwelcomed=unwelcomed)

    def with_owner(self, owner: Guest) -> "Book":
        left = self.without(owner.id)
        return replace(left, owners=(*left.owners, owner))

    def without(self, user_id: int) -> "Book":
        """The book without this guest and their request. Owners stay."""
        return replace(
            self,
            guests=tuple(guest for guest in self.guests if guest.id != user_id),
            waiting=tuple(request for request in self.waiting if request.id != user_id),
            unwelcomed=tuple(id_ for id_ in self.unwelcomed if id_ != user_id),
        )


class GuestBook(Protocol):
    """Keeps the book. The bot, its other workers and the command line change it, and none loses the
    others' changes."""

    @property
    def book(self) -> Book:
        """As it was last read."""
        ...

    @property
    def code(self) -> str:
        """The pairing code, the same for all workers, as long as there is no owner."""
        ...

    async def refresh(self) -> Book:
        """Read it again if it has changed. If it can't be read, it stays as it was: known people
        keep their access, and nobody new gets any."""
        ...

    async def change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        """Read, change and write the book; nobody else changes it meanwhile. Returns the step's
        second value. Raises StoreUnavailable."""
        ...


class ApprovalVerdict(StrEnum):
    """The result of an approval."""

    LET_IN = "let_in"
    #: Already has access: an owner, a guest, or in the settings.
    IN_ALREADY = "in_already"
    #: An unknown or expired code.
    NO_CODE = "no_code"
    #: A user name, which may belong to someone else tomorrow, or an impossible number.
    NO_ID = "no_id"
    #: This access mode has no approvals.
    NOT_HERE = "not_here"


@dataclass(frozen=True, slots=True)
class Approval:
    """The result of an approval, and the guest it was for, if any."""

    verdict: ApprovalVerdict
    guest: Guest | None = None


def add_guest(
    book: Book, written: str, now: datetime, *, named: Collection[int] = (), welcomed: bool = True
) -> tuple[Book, Approval]:
    """Add the person with this code or numeric id to the book's guests. A person added by id need
    not have written yet. `named` are the ids that have access by the settings. `welcomed` is True
    if the caller tells the guest."""
    wanted = written.strip()
    if wanted.startswith("@"):
        return book, Approval(ApprovalVerdict.NO_ID)
    user_id = int(wanted) if _is_number(wanted) else _id_for_code(book, wanted, now)
    if user_id is None:
        return book, Approval(ApprovalVerdict.NO_CODE)
    if user_id not in _IDS:
        return book, Approval(ApprovalVerdict.NO_ID)
    if user_id in named or book.admits(user_id):
        return book, Approval(ApprovalVerdict.IN_ALREADY, book.find(user_id) or Guest(user_id))
    request = book.request_of(user_id, now)
    guest = Guest(user_id, request.name if request else "", now.isoformat(timespec="seconds"))
    return book.with_guest(guest, welcomed=welcomed), Approval(ApprovalVerdict.LET_IN, guest)


def _is_number(written: str) -> bool:
    """True for an id; a code has a hyphen inside."""
    digits = written.removeprefix("-")
    # Ids are much shorter, and parsing huge numbers is slow.
    return digits.isascii() and digits.isdigit() and len(digits) <= 100


def _id_for_code(book: Book, code: str, now: datetime) -> int | None:
    wanted = (code_in(code) or code).upper().encode(errors="replace")
    for request in book.open_requests(now):
        if hmac.compare_digest(request.code.encode(), wanted):
            return request.id
    return None
