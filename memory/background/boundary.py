"""The boundary of background work: whatever breaks is logged, and the next round comes all the
same."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from memory.errors import StoreUnavailable


@contextmanager
def log_outage(log: Any, event: str, **details: Any) -> Iterator[None]:
    """Leave what is done within when the store does not answer, with a warning in the log."""
    try:
        yield
    except StoreUnavailable as failure:
        log.warning(event, error=str(failure), **details)


class Boundary:
    """Lets no exception out of its block but those that end the task or the program:
    `with Boundary(log, "extraction_crashed") as ended: …`. `ended.failure` is what it kept in."""

    def __init__(self, log: Any, event: str) -> None:
        self._log, self._event = log, event
        self.failure: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.failure = error
        self._log.error(self._event, exc_info=error)
        return True
