"""Pairing: the code in the log that makes its sender the owner, and what becomes of guesses."""

import hmac
import re
import secrets
from collections import Counter
from enum import StrEnum

#: Without letters and digits that look alike. Eight of 31 are 39 bits.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
#: A code as people send it: copied with the name or the quotes that the log has around it, with
#: another dash that a phone has made of the hyphen, or by a link that starts the bot. Without a
#: hyphen, what is in capitals or has a digit: "whatever" is a word.
_HALF = "([0-9A-Za-z]{4})"
_DASH = "[-‐‑‒–—]"
_CODE = re.compile(
    rf"(?:/start\s+)?(?:code=)?[\"'`«“]?"
    rf"(?:{_HALF}{_DASH}{_HALF}|(?=[^a-z]*$|.*\d){_HALF} ?{_HALF})[\"'`»”]?\.?"
)
#: One that a letter got lost of, or came to: wrong, and told so.
_NEARLY = re.compile(rf"(?=[^a-z]*$|.*\d)[0-9A-Za-z]{{3,5}}{_DASH}[0-9A-Za-z]{{3,5}}")
#: So many wrong codes of one person are looked at, and so many of all people together: then the
#: chance that one of them was right is one in 850 million.
ATTEMPTS, ALL_ATTEMPTS = 5, 1000


class Guess(StrEnum):
    """What a message was, as a guess at the pairing code."""

    #: No code at all, or one more than this person is answered.
    NONE = "none"
    #: The code: this person is the owner now.
    RIGHT = "right"
    #: Another code; the next one is looked at too.
    WRONG = "wrong"
    #: Another code, and the last one of this person that was looked at.
    LAST = "last"
    #: Not looked at: this person, or all people together, have sent too many.
    UNSEEN = "unseen"
    #: A code, where there is none to be guessed: the bot has an owner, or takes no codes.
    VAIN = "vain"


class Pairing:
    """The code of this start of the bot, for as long as it has no owner, and who has sent others.

    A guess is answered with whether it was right, which helps nobody to find the code: of 31^8
    codes a person may try five and all people together a thousand; whatever comes after that is not
    compared with it, until the next start makes a new code."""

    def __init__(self, code: str | None) -> None:
        """`code` is None where nobody is to become the owner."""
        self.code = code
        self._attempts: Counter[int] = Counter()

    @property
    def is_closed(self) -> bool:
        """Whether nobody's codes are looked at any more."""
        return self._attempts.total() >= ALL_ATTEMPTS

    def is_spent(self, user_id: int) -> bool:
        """Whether this person's codes are not looked at any more."""
        return self.is_closed or self._attempts[user_id] >= ATTEMPTS

    def guess(self, user_id: int, text: str) -> Guess:
        """What the message is. A right code is good once."""
        said = code_in(text)
        if not said and not _NEARLY.fullmatch(text.strip()):
            return Guess.NONE
        if self.is_spent(user_id):
            return Guess.UNSEEN if self.code else Guess.NONE
        if self.code and hmac.compare_digest(said.encode(), self.code.encode()):
            self.code = None
            return Guess.RIGHT
        self._attempts[user_id] += 1
        if self.code is None:
            return Guess.VAIN
        return Guess.LAST if self.is_spent(user_id) else Guess.WRONG


def code_in(text: str) -> str:
    """The code that a message is, as it was made; empty if it is none."""
    found = _CODE.fullmatch(text.strip())
    return "-".join(filter(None, found.groups())).upper() if found else ""


def new_code() -> str:
    """A code that nobody guesses, made to be read out and typed."""
    letters = [secrets.choice(_ALPHABET) for _ in range(8)]
    return "".join((*letters[:4], "-", *letters[4:]))
