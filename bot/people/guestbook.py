"""Who was let in, in one small file: owners, guests, and those who wait for an owner's word.

The bot and the command `mordecai approve` write the same file, each holding its lock, so that what
one has written the other one keeps."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock

T = TypeVar("T")

#: A request that nobody has answered for this long is gone; whoever wants in asks again.
WAITING = timedelta(days=2)
#: So many requests wait at once. More are a nuisance: the newest drive out the oldest.
MOST_WAITING = 100


class UnreadableOwner(Exception):
    """The file that names the owner is damaged; the operator has to look at it."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who was let in. `name` is what Telegram showed then: for people to read, while the
    id decides. `since` is an ISO time, empty where nobody noted it."""

    id: int
    name: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody who wants in, with the code that an owner approves. `at` is an ISO time."""

    code: str
    id: int
    name: str
    at: str


@dataclass(frozen=True, slots=True)
class Book:
    """What the file says. `unwelcomed` are the ids of guests who have not heard yet that they are:
    the command line has let them in, and the bot tells them."""

    owners: tuple[Guest, ...] = ()
    guests: tuple[Guest, ...] = ()
    waiting: tuple[Request, ...] = ()
    unwelcomed: tuple[int, ...] = ()

    def admits(self, user_id: int) -> bool:
        """Whether this person was let in."""
        return self.owns(user_id) or any(guest.id == user_id for guest in self.guests)

    def owns(self, user_id: int) -> bool:
        """Whether this person is an owner."""
        return any(owner.id == user_id for owner in self.owners)

    def find(self, user_id: int) -> Guest | None:
        """The owner or guest with this id."""
        return next((one for one in (*self.owners, *self.guests) if one.id == user_id), None)

    def request_of(self, user_id: int, now: datetime) -> Request | None:
        """The request of this person that still waits."""
        return next((r for r in self.open_requests(now) if r.id == user_id), None)

    def open_requests(self, now: datetime) -> tuple[Request, ...]:
        """The requests that are not too old."""
        return tuple(r for r in self.waiting if now - datetime.fromisoformat(r.at) < WAITING)

    def with_request(self, request: Request, now: datetime) -> "Book":
        """The book with one more request."""
        return replace(self, waiting=(*self.open_requests(now), request)[-MOST_WAITING:])

    def with_guest(self, guest: Guest, *, welcomed: bool = True) -> "Book":
        """The book with one more guest, whose request is answered by that."""
        left = self.without(guest.id)
        unwelcomed = left.unwelcomed if welcomed else (*left.unwelcomed, guest.id)
        return replace(left, guests=(*left.guests, guest), unwelcomed=unwelcomed)

    def with_owner(self, owner: Guest) -> "Book":
        """The book with one more owner."""
        left = self.without(owner.id)
        return replace(left, owners=(*left.owners, owner))

    def without(self, user_id: int) -> "Book":
        """The book without this guest and without a request of theirs. Owners stay."""
        return replace(
            self,
            guests=tuple(guest for guest in self.guests if guest.id != user_id),
            waiting=tuple(request for request in self.waiting if request.id != user_id),
            unwelcomed=tuple(id_ for id_ in self.unwelcomed if id_ != user_id),
        )


class GuestBook:
    """The file. Synchronous: callers with an event loop use a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def stamp(self) -> tuple[int, int]:
        """Changes when the file does."""
        with suppress(FileNotFoundError, NotADirectoryError):
            status = self._path.stat()
            return status.st_mtime_ns, status.st_ino
        return 0, 0

    def read(self) -> Book:
        """What the file says; an empty book if there is none. Raises UnreadableOwner."""
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Book()
        except (OSError, ValueError) as failure:
            raise self._unreadable(failure) from failure
        try:
            return _parse_book(document)
        except (KeyError, TypeError, ValueError, AttributeError) as failure:
            raise self._unreadable(failure) from failure

    def change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        """Read, change and write the book with nobody else in between; what the step returns beside
        it. Raises UnreadableOwner, OSError."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._path.with_suffix(".lock")):
            book = self.read()
            changed, result = step(book)
            if changed != book:
                _write(self._path, asdict(changed))
        return result

    def _unreadable(self, failure: Exception) -> UnreadableOwner:
        return UnreadableOwner(
            f"{self._path} does not name the bot's owner ({failure!r}): restore it from a backup, "
            "or delete it to pair again"
        )


def _parse_book(document: dict[str, Any]) -> Book:
    if "owner" in document:
        # How versions with a single owner wrote it.
        return Book(owners=(Guest(_checked_id(document["owner"])),))
    return Book(
        _parse_guests(document["owners"]),
        _parse_guests(document["guests"]),
        _parse_requests(document),
        # Older versions had no such people.
        tuple(map(_checked_id, document.get("unwelcomed", ()))),
    )


def _parse_guests(listed: Sequence[dict[str, Any]]) -> tuple[Guest, ...]:
    return tuple(
        Guest(_checked_id(one["id"]), str(one["name"]), str(one["since"])) for one in listed
    )


def _parse_requests(document: dict[str, Any]) -> tuple[Request, ...]:
    return tuple(
        Request(
            str(one["code"]),
            _checked_id(one["id"]),
            str(one["name"]),
            datetime.fromisoformat(one["at"]).isoformat(),
        )
        for one in document["waiting"]
    )


def _checked_id(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"expected a numeric id, not {value!r}")
    return value


def _write(path: Path, document: dict[str, Any]) -> None:
    """Replace the file in one step, so that a crash leaves the old one or the new one."""
    draft = path.with_suffix(".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
