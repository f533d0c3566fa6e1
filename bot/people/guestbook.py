"""The guest book: owners, guests and pending requests, in one small file; and how an owner lets
people in, by their code or their numeric id.

The bot and the command `mordecai approve` write the same file, both under one lock, so that neither
loses the other's changes."""

import hmac
import json
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import structlog
from filelock import FileLock

from bot.people.pairing import code_in
from memory.stores.files import make_directory, put_in_place

_log = structlog.get_logger(__name__)

T = TypeVar("T")

#: Requests expire after this time; the person can ask again.
WAITING = timedelta(days=2)
#: Maximum pending requests; new ones replace the oldest. So many that a few hundred strangers don't
#: push out somebody who waits for the owner.
MOST_WAITING = 1000
#: Bot API, User.id: "it has at most 52 significant bits".
_IDS = range(1, 2**52)


class UnreadableOwner(Exception):
    """The guest book is damaged; the operator has to repair it."""


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
    """The content of the file. `waiting` are the pending requests. `unwelcomed` are the ids of
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


class GuestBook:
    """The file. Blocks: callers on an event loop use a thread."""

    def __init__(self, path: Path) -> None:
        self._path, self._copy = path, path.with_name(f"{path.name}.copy")

    @property
    def stamp(self) -> tuple[int, int]:
        """A value that changes with the file."""
        with suppress(FileNotFoundError, NotADirectoryError):
            status = self._path.stat()
            return status.st_mtime_ns, status.st_ino
        return 0, 0

    def read(self) -> Book:
        """The book, or its copy if it is damaged; empty if there is no file. Raises
        UnreadableOwner."""
        try:
            return _read_book(self._path)
        except FileNotFoundError:
            return Book()
        except OSError as failure:
            raise self._unreadable(failure) from failure
        except _DAMAGE as failure:
            with suppress(OSError, *_DAMAGE):
                book = _read_book(self._copy)
                _log.error("access_damaged", file=str(self._path), read_instead=str(self._copy))
                return book
            raise self._unreadable(failure) from failure

    def change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        """Read, change and write the book under its lock; returns the step's second value. Raises
        UnreadableOwner, OSError."""
        make_directory(self._path.parent)
        with FileLock(self._path.with_suffix(".lock")):
            book = self.read()
            changed, result = step(book)
            if changed != book:
                for path in (self._path, self._copy):
                    _write(path, asdict(changed))
        return result

    def _unreadable(self, failure: Exception) -> UnreadableOwner:
        return UnreadableOwner(
            f"{self._path} does not name the bot's owner ({failure!r}): restore it from a backup, "
            f"or delete it and {self._copy.name} to pair again"
        )


#: What reading a file raises that is no book.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


def _read_book(path: Path) -> Book:
    document = json.loads(path.read_text(encoding="utf-8"))
    if "owner" in document:
        # The format of versions with a single owner.
        return Book(owners=(Guest(_checked_id(document["owner"])),))
    unreadable: list[Any] = list(document.get("unreadable", ()))

    def read(entries: Sequence[Any], parse: Callable[[Any], T]) -> tuple[T, ...]:
        found = []
        for entry in entries:
            try:
                found.append(parse(entry))
            except _DAMAGE:
                unreadable.append(entry)
        return tuple(found)

    book = Book(
        read(document["owners"], _parse_guest),
        read(document["guests"], _parse_guest),
        read(document["waiting"], _parse_request),
        # Older versions had no such list.
        read(document.get("unwelcomed", ()), _checked_id),
        tuple(unreadable),
    )
    if unreadable:
        _log.error("row_unreadable", file=str(path), entries=len(unreadable))
    return book


def _parse_guest(one: dict[str, Any]) -> Guest:
    return Guest(_checked_id(one["id"]), str(one["name"]), str(one["since"]))


def _parse_request(one: dict[str, Any]) -> Request:
    at = datetime.fromisoformat(one["at"])
    if at.tzinfo is None:
        raise ValueError("a request at no certain moment")
    return Request(str(one["code"]), _checked_id(one["id"]), str(one["name"]), at.isoformat())


def _checked_id(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"expected a numeric id, not {value!r}")
    return value


def _write(path: Path, document: dict[str, Any]) -> None:
    """Replace the file in one step, so that a crash leaves either the old or the new one."""
    draft = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
    put_in_place(draft, path)


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
