"""Checks of stored values, so that a damaged one fails when it is read, not later elsewhere."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

T = TypeVar("T")

#: No number of a record, a message or a person is larger.
MOST = 2**53

#: Nothing was said to the program before; and a time zone may still move the last moments.
_FIRST_YEAR, _LAST_YEAR = 1970, 9999


def time_of(stored: str) -> datetime:
    """A stored moment. Raises ValueError, TypeError, also for an impossible year, which a damaged
    digit may make."""
    at = datetime.fromisoformat(stored)
    if at.tzinfo is None or not _FIRST_YEAR <= at.year < _LAST_YEAR:
        raise ValueError("no moment of anything that was said")
    return at


def stamp(at: datetime) -> str:
    """A moment as text that sorts by time: UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def moment(at: datetime) -> str:
    """The time in ISO format with the offset at which it was said."""
    return with_zone(at).isoformat()


def with_zone(at: datetime) -> datetime:
    """The time, in UTC if it has no zone."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def time_or_none(stored: str | None) -> datetime | None:
    """Raises ValueError, TypeError if it is something else."""
    return None if stored is None else time_of(stored)


def first(check: Callable[[Any], object], *stored: T) -> T:
    """The first of these values that passes the check. Raises ValueError if none does."""
    for value in stored:
        with suppress(ValueError, TypeError):
            check(value)
            return value
    raise ValueError("nothing of it can be read")


def texts_of(stored: object) -> tuple[str, ...]:
    """A list of texts. Raises ValueError for anything else."""
    if not isinstance(stored, list) or not all(isinstance(each, str) for each in stored):
        raise ValueError("no list of texts")
    return tuple(stored)


def text_of(stored: object) -> str:
    """Raises ValueError if it is no text."""
    if isinstance(stored, str):
        return stored
    raise ValueError("no text")


def text_or_none(stored: object) -> str | None:
    """Raises ValueError if it is something else."""
    return None if stored is None else text_of(stored)


def integer_or_none(stored: object) -> int | None:
    """Raises ValueError if it is something else."""
    return None if stored is None else integer_of(stored)


def integer_of(stored: object) -> int:
    """Raises ValueError if it is no integer, or too large to count on."""
    if isinstance(stored, int) and abs(stored) < MOST:
        return stored
    raise ValueError("no integer")
