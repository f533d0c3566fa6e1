"""Approvals: an owner's word that lets somebody in, by their code or their numeric id."""

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
    """What came of an approval."""

    LET_IN = "let_in"
    #: May use the bot already: an owner, a guest, or named in the settings.
    IN_ALREADY = "in_already"
    #: A code that nobody was given, or whose two days are over.
    NO_CODE = "no_code"
    #: A user name, which may be somebody else's tomorrow, or a number that is nobody's.
    NO_ID = "no_id"
    #: Nobody is approved with this kind of access.
    NOT_HERE = "not_here"


@dataclass(frozen=True, slots=True)
class Approval:
    """What came of an approval, and for whom if it was for somebody."""

    verdict: Verdict
    guest: Guest | None = None


def add_guest(
    book: Book, written: str, now: datetime, *, named: Collection[int] = (), welcomed: bool = True
) -> tuple[Book, Approval]:
    """The book with whoever was given this code, or has this numeric id, as a guest. By id also
    somebody who has not written yet. `named` are let in by the settings; `welcomed` says whether
    the guest hears of it at once."""
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
    """Whether this is meant as an id; a code has a hyphen inside."""
    digits = written.removeprefix("-")
    # More digits than any id has: no number worth reading.
    return digits.isascii() and digits.isdigit() and len(digits) <= 100


def _id_for_code(book: Book, code: str, now: datetime) -> int | None:
    """Who was given this code."""
    wanted = (code_in(code) or code).upper().encode(errors="replace")
    for request in book.open_requests(now):
        if hmac.compare_digest(request.code.encode(), wanted):
            return request.id
    return None
