"""Who may talk to the bot: closed by default, and by numeric ids alone."""

import asyncio
import hmac
import json
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import Executor
from enum import StrEnum
from pathlib import Path

import structlog

_log = structlog.get_logger(__name__)

#: Without letters and digits that look alike. Eight of 31 are 39 bits.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_CODE = re.compile(r"[0-9A-Za-z]{4}-[0-9A-Za-z]{4}")
_ATTEMPTS = 5
_REFUSAL_SECONDS = 3600
_MOST_REFUSED = 10_000


class AccessMode(StrEnum):
    """Who is let in: the first person with the code, those on a list, or everybody."""

    PAIRING = "pairing"
    ALLOWLIST = "allowlist"
    OPEN = "open"


class UnreadableOwner(Exception):
    """The file that names the owner is damaged; the operator has to look at it."""


class Access:
    """Decides by numeric user id. In pairing mode the first person who sends the code from the log
    becomes the owner, for good."""

    def __init__(
        self,
        mode: AccessMode,
        allowed: Collection[int] = (),
        path: Path | None = None,
        pool: Executor | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`path` is where pairing keeps the owner; it needs one. `allowed` are let in by pairing
        too. Raises UnreadableOwner."""
        if mode is AccessMode.PAIRING and path is None:
            raise ValueError("pairing needs a file to keep the owner in")
        self.mode = mode
        self._allowed = frozenset(allowed)
        self._path, self._pool, self._monotonic = path, pool, monotonic
        self._owner = _read_owner(path) if path and mode is AccessMode.PAIRING else None
        self._code = _new_code() if mode is AccessMode.PAIRING and self._owner is None else None
        self._attempts: Counter[int] = Counter()
        self._refused: dict[int, float] = {}

    @property
    def pairing_code(self) -> str | None:
        """The code that makes its sender the owner; None if there is an owner or no pairing."""
        return self._code

    def announce(self) -> None:
        """Tell the operator how to become the owner, if nobody is."""
        if self._code:
            _log.warning(
                "pairing", code=self._code, hint="send this code to the bot to become its owner"
            )

    def admits(self, user_id: int) -> bool:
        """Whether this person may use the bot."""
        return (
            self.mode is AccessMode.OPEN or user_id in self._allowed or user_id == self._owner
        ) and user_id > 0

    async def pair(self, user_id: int, text: str) -> bool:
        """Whether this person has just become the owner by sending the code. A few wrong codes
        from one person, and that person's are not looked at any more."""
        said = text.removeprefix("/start").strip()
        if self._code is None or not _CODE.fullmatch(said):
            return False
        if self._attempts[user_id] >= _ATTEMPTS:
            return False
        if not hmac.compare_digest(said.upper().encode(), self._code.encode()):
            self._attempts[user_id] += 1
            _log.warning("wrong_pairing_code", user=user_id, attempts=self._attempts[user_id])
            return False
        code, self._code, self._owner = self._code, None, user_id
        try:
            await self._write_owner(user_id)
        except OSError:
            self._code, self._owner = code, None
            raise
        _log.info("paired", user=user_id)
        return True

    def refusal_due(self, user_id: int) -> bool:
        """Whether this person is to be told no: at most once an hour each."""
        now = self._monotonic()
        last = self._refused.get(user_id)
        if last is not None and now - last < _REFUSAL_SECONDS:
            return False
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
        self._refused[user_id] = now
        return True

    async def _write_owner(self, user_id: int) -> None:
        path = self._path
        if path is not None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._pool, _write, path, {"owner": user_id})


def _new_code() -> str:
    letters = [secrets.choice(_ALPHABET) for _ in range(8)]
    return "".join((*letters[:4], "-", *letters[4:]))


def _read_owner(path: Path) -> int | None:
    try:
        owner = json.loads(path.read_text(encoding="utf-8"))["owner"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise UnreadableOwner(
            f"{path} does not name the bot's owner ({failure!r}): restore it from a backup, or "
            "delete it to pair again"
        ) from failure
    if type(owner) is not int:
        raise UnreadableOwner(f"{path}: owner must be a numeric id, not {owner!r}")
    return owner


def _write(path: Path, document: dict[str, int]) -> None:
    """Replace the file in one step, so that a crash leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(document, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
