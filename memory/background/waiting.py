"""Whether a person waits for what the memory reads. A store that is silent is then given up soon;
work in the background may take as long as it takes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_waits = ContextVar("person_waits", default=False)


@contextmanager
def person_waits() -> Iterator[None]:
    """What is read in this block keeps a person waiting."""
    before = _waits.set(True)
    try:
        yield
    finally:
        _waits.reset(before)


def does_person_wait() -> bool:
    return _waits.get()
