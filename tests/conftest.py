"""What all tests share."""

from collections.abc import Iterator

import pytest

from tests.fakes.temporary_store import TemporaryStore


@pytest.fixture(autouse=True)
def _no_store_stays() -> Iterator[None]:
    """A store may be made in passing: nobody has to close it."""
    yield
    TemporaryStore.remove_all()
