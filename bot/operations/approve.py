"""`mordecai approve`: give someone access from the command line."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import OperatorError
from bot.people.guest_file import FileGuestBook
from bot.people.guest_tables import PEOPLE_LAYOUT, TableGuestBook
from bot.people.guestbook import ApprovalVerdict, GuestBook, add_guest
from bot.settings import Settings
from bot.stores import open_databases
from memory.errors import StoreUnavailable


async def approve_guest(settings: Settings, written: str, uid: int | None = None) -> str:
    """Give access to the person with this code or numeric id; returns the message for the operator.
    The bot, running now or later, tells the person. `uid` is the system user who must own the guest
    book, by default this process's own. Raises OperatorError."""
    if settings.access != "pairing":
        raise OperatorError(
            f"access = {settings.access} gives nobody a code: set access to pairing, or name the "
            "numeric ids in allowed_users"
        )
    named = {*settings.allowed_users, *settings.owners}
    now = datetime.now(UTC)
    try:
        with _guest_book(settings, os.geteuid() if uid is None else uid) as guests:
            approval = await guests.change(
                lambda book: add_guest(book, written, now, named=named, welcomed=False)
            )
    except StoreUnavailable as failure:
        raise OperatorError(str(failure)) from failure
    match approval.verdict:
        case ApprovalVerdict.NO_ID:
            raise OperatorError(
                f"{written!r} is not a numeric id, and usernames do not count, because they can be "
                "given up and taken by someone else: give a numeric id, or the code the bot gave "
                "the person"
            )
        case ApprovalVerdict.NO_CODE:
            where = "this database" if settings.database_url else settings.data_dir
            raise OperatorError(
                f"the bot on {where} gave nobody the code {written!r}, or the code has expired"
            )
    guest = approval.guest
    person = f"The person with id {guest.id if guest else written}"
    if guest and guest.name:
        person = f"{guest.name} (id {guest.id})"
    if approval.verdict is ApprovalVerdict.IN_ALREADY:
        return f"{person} already has access."
    return f"{person} can use the bot now. The bot tells them, if they have ever written to it."


@contextmanager
def _guest_book(settings: Settings, uid: int) -> Iterator[GuestBook]:
    """A bot's guest book. Raises OperatorError, StoreUnavailable."""
    if settings.database_url is None:
        yield FileGuestBook(_guest_book_path(settings.data_dir, uid))
        return
    with ThreadPoolExecutor(1) as pool, open_databases(settings, pool) as databases:
        yield TableGuestBook(databases.open(PEOPLE_LAYOUT))


def _guest_book_path(data_dir: Path, uid: int) -> Path:
    """The path of a bot's guest book. Raises OperatorError."""
    if not data_dir.is_dir():
        raise OperatorError(
            f"data_dir = {data_dir}: there is no such directory; name the bot's own with --data or "
            "MORDECAI_DATA_DIR"
        )
    path = data_dir / "access.json"
    # If another user rewrote the file, the bot could no longer read it.
    if path.exists() and path.stat().st_uid != uid:
        raise OperatorError(
            f"{path} belongs to another user: run this command as the user that the bot runs as"
        )
    return path
