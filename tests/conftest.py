"""What all tests share."""

import signal
from collections.abc import Iterator

import pytest

from tests.fakes.temporary_store import TemporaryStore

# A shell starts background jobs (`make test &`) with SIGINT ignored, and children inherit that: the
# programs that tests interrupt would not notice.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_store_stays() -> Iterator[None]:
    """A store may be made in passing: nobody has to close it."""
    yield
    TemporaryStore.remove_all()
