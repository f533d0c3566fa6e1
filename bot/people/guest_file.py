"""The guest book in one small file.

The bot and the command `mordecai approve` write the same file, both under one lock, so that neither
loses the other's changes."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import structlog
from filelock import FileLock

from bot.people.guestbook import Book, Guest, Request
from bot.people.pairing import new_code
from memory.errors import StoreUnavailable
from memory.stores.files import make_directory, put_in_place

_log = structlog.get_logger(__name__)

T = TypeVar("T")


class UnreadableOwner(StoreUnavailable):
    """The guest book is damaged; the operator has to repair it."""


class FileGuestBook:
    """See GuestBook. For one process, and the command line beside it. Every start has a pairing
    code of its own."""

    def __init__(self, path: Path, pool: Executor | None = None) -> None:
        """Read the file, if there is one."""
        self._file, self._pool = GuestFile(path), pool
        self.code = new_code()
        self._stamp = self._file.stamp
        try:
            self.book = self._file.read()
        except UnreadableOwner as failure:
            # Only people in the settings have access, and nobody can become the owner.
            self.book = Book(unreadable=("everything",))
            _log.error("access_damaged", error=str(failure))

    async def refresh(self) -> Book:
        loop = asyncio.get_running_loop()
        try:
            stamp = await loop.run_in_executor(self._pool, lambda: self._file.stamp)
            if stamp != self._stamp:
                self.book = await loop.run_in_executor(self._pool, self._file.read)
                self._stamp = stamp
        except (OSError, UnreadableOwner) as failure:
            _log.warning("guests_unreadable", error=str(failure))
        return self.book

    async def change(self, step: Callable[[Book], tuple[Book, T]]) -> T:
        def both(book: Book) -> tuple[Book, tuple[Book, T]]:
            changed, result = step(book)
            return changed, (changed, result)

        loop = asyncio.get_running_loop()
        try:
            self.book, result = await loop.run_in_executor(self._pool, self._file.change, both)
        except OSError as failure:
            raise StoreUnavailable(str(failure)) from failure
        return result


class GuestFile:
    """The file itself. Blocks."""

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
