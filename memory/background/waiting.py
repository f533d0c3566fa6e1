"""Who waits for what the memory reads. If a person does, a silent store is given up soon. If nobody
does, reading leaves room for others. What a turn reads may take its time."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum


class Waiter(Enum):
    PERSON = "person"
    TURN = "turn"
    NOBODY = "nobody"


_waiter = ContextVar("waiter", default=Waiter.TURN)


@contextmanager
def waited_for_by(waiter: Waiter) -> Iterator[None]:
    """Say who waits for what is read in this block."""
    before = _waiter.set(waiter)
    try:
        yield
    finally:
        _waiter.reset(before)


def who_waits() -> Waiter:
    return _waiter.get()
