"""Pairing: the code in the log that makes its sender the owner, and guesses at it."""

import hmac
import re
import secrets
from dataclasses import replace
from enum import StrEnum

from bot.people.throttles import Rate, Throttles

#: Without letters and digits that look alike. Eight of 31 are 39 bits.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
#: A code as people send it: with `code=` or quotes from the log, with a phone's dash instead of the
#: hyphen, or in a link that starts the bot. Without a hyphen it needs a digit, or no small letters,
#: because "whatever" is a word.
_HALF = "([0-9A-Za-z]{4})"
_DASH = "[-‐‑‒–—]"
_CODE = re.compile(
    rf"(?:/start\s+)?(?:code=)?[\"'`«“]?"
    rf"(?:{_HALF}{_DASH}{_HALF}|(?=[^a-z]*$|.*\d){_HALF} ?{_HALF})[\"'`»”]?\.?"
)
#: A code with a missing or an extra letter: counts as a wrong guess.
_NEARLY = re.compile(rf"(?=[^a-z]*$|.*\d)[0-9A-Za-z]{{3,5}}{_DASH}[0-9A-Za-z]{{3,5}}")
#: Maximum wrong codes of one person: in all, and while there is an attack.
ATTEMPTS, ATTEMPTS_IN_ATTACK = 5, 1
#: This many wrong codes of all people together within this many seconds are an attack.
ATTACK, _ATTACK_SECONDS = 1000, 3600.0
_ALL_GUESSES = Rate("all guesses", ATTACK, _ATTACK_SECONDS)
#: The code of a bot without an owner does not last as long.
_GUESSES = Rate("guesses", ATTEMPTS, 30 * 86_400.0)


class Guess(StrEnum):
    """A message as a guess at the pairing code."""

    #: Not a code, or a code from a person who has used up their guesses while there is an owner.
    NONE = "none"
    #: Right: this person is the owner now.
    RIGHT = "right"
    #: Wrong; the next guess will be checked.
    WRONG = "wrong"
    #: Wrong, and this person's last guess, at least for now.
    LAST = "last"
    #: Not checked: too many guesses by this person.
    UNSEEN = "unseen"
    #: A guess in vain: the bot has an owner, or takes no codes.
    VAIN = "vain"


class Pairing:
    """Checks guesses at the pairing code.

    A person has five guesses. Nobody uses up those of others: during an attack everybody has one,
    and the others come back an hour later. So guessing takes accounts. Of 31^8 codes, a thousand
    accounts find the right one with a chance of one in 170 million, a hundred thousand with one in
    1.7 million. To tell people whether a guess was right does not help them."""

    def __init__(self, throttles: Throttles) -> None:
        self._throttles = throttles

    async def is_attacked(self) -> bool:
        """True if very many wrong codes have arrived lately. Raises StoreUnavailable."""
        return await self._throttles.wait(_ALL_GUESSES) > 0

    async def is_spent(self, user_id: int, code: str | None) -> bool:
        """True if no more guesses of this person at this code are checked, at least for now. Raises
        StoreUnavailable."""
        times = ATTEMPTS_IN_ATTACK if await self.is_attacked() else ATTEMPTS
        guesses = replace(_GUESSES, times=times)
        return await self._throttles.wait(guesses, _subject(user_id, code)) > 0

    async def guess(self, user_id: int, text: str, code: str | None) -> Guess:
        """Check a message. `code` is None if there is nothing to pair: the bot has an owner, or
        takes no codes. Raises StoreUnavailable."""
        said = code_in(text)
        if not said and not _NEARLY.fullmatch(text.strip()):
            return Guess.NONE
        if await self.is_spent(user_id, code):
            return Guess.UNSEEN if code else Guess.NONE
        if code and hmac.compare_digest(said.encode(), code.encode()):
            return Guess.RIGHT
        await self._throttles.take(_GUESSES, _subject(user_id, code))
        await self._throttles.take(_ALL_GUESSES)
        if code is None:
            return Guess.VAIN
        return Guess.LAST if await self.is_spent(user_id, code) else Guess.WRONG


def _subject(user_id: int, code: str | None) -> str:
    """Another code is another chance."""
    return f"{user_id} {code or ''}"


def code_in(text: str) -> str:
    """The code in a message, as `new_code` wrote it; empty if the message is not a code."""
    found = _CODE.fullmatch(text.strip())
    return "-".join(filter(None, found.groups())).upper() if found else ""


def new_code() -> str:
    """A random code that is easy to read out and type."""
    letters = [secrets.choice(_ALPHABET) for _ in range(8)]
    return "".join((*letters[:4], "-", *letters[4:]))
