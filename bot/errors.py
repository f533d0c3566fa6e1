"""Errors of the program itself. Those of memory, tools and models have their own places."""

from collections.abc import Callable
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


class OperatorError(Exception):
    """Something only the operator can put right. The text names key, value and remedy, one line
    for each problem."""


class Unreadable(Exception):
    """What somebody sent is damaged, protected, hostile, or of another format."""


def parse_untrusted(read: Callable[[S], T], sent: S) -> T:
    """What `read` makes of what somebody sent. Raises Unreadable, whatever `read` raises: libraries
    promise no list of errors for what is damaged or made up."""
    try:
        return read(sent)
    except Unreadable:
        raise
    except Exception as failure:
        raise Unreadable from failure
