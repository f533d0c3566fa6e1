"""Approvals: an owner gives someone access, by their code or numeric id."""

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.people.guestbook import Book, Guest
from bot.people.pairing import code_in

#: Bot API, User.id: "it has at most 52 significant bits".
_IDS = range(1, 2**52)


class Verdict(StrEnum):
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

    verdict: Verdict
    guest: Guest | None = None


def add_guest(
    book: Book, written: str, now: datetime, *, named: Collection[int] = (), welcomed: bool = True
) -> tuple[Book, Approval]:
    """Add the person with this code or numeric id to the book's guests. By id, the person need not
    have written yet. `named` have access by the settings; `welcomed`: the caller tells the
    guest."""
    wanted = written.strip()
    if wanted.startswith("@"):
        return book, Approval(Verdict.NO_ID)
    user_id = int(wanted) if _is_number(wanted) else _id_for_code(book, wanted, now)
    if user_id is None:
        return book, Approval(Verdict.NO_CODE)
    if user_id not in _IDS:
        return book, Approval(Verdict.NO_ID)
    if user_id in named or book.admits(user_id):
        return book, Approval(Verdict.IN_ALREADY, book.find(user_id) or Guest(user_id))
    request = book.request_of(user_id, now)
    guest = Guest(user_id, request.name if request else "", now.isoformat(timespec="seconds"))
    return book.with_guest(guest, welcomed=welcomed), Approval(Verdict.LET_IN, guest)


def _is_number(written: str) -> bool:
    """True for an id; a code has a hyphen inside."""
    digits = written.removeprefix("-")
    # No id is longer, and parsing huge numbers is slow.
    return digits.isascii() and digits.isdigit() and len(digits) <= 100


def _id_for_code(book: Book, code: str, now: datetime) -> int | None:
    wanted = (code_in(code) or code).upper().encode(errors="replace")
    for request in book.open_requests(now):
        if hmac.compare_digest(request.code.encode(), wanted):
            return request.id
    return None
