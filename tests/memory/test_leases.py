"""A lease by itself, and those of a worker without others."""

from collections.abc import Iterator

import pytest

from memory.errors import LeaseLost
from memory.leases import Alone, Lease, Leases, check_lease, current_lease
from tests.contracts.leases import LeasesContract


class TestAlone(LeasesContract):
    @pytest.fixture
    def leases(self) -> Leases:
        return Alone()


@pytest.fixture(autouse=True)
def under_no_lease() -> Iterator[None]:
    before = current_lease.set(None)
    yield
    current_lease.reset(before)


def test_a_lease_that_was_not_renewed_in_time_is_lost():
    current_lease.set(Lease("u1", 1, until=0.0))
    with pytest.raises(LeaseLost):
        check_lease()


def test_a_lease_that_was_taken_away_is_lost_at_once():
    lease = Lease("u1", 1)
    current_lease.set(lease)
    check_lease()
    lease.lose()
    with pytest.raises(LeaseLost):
        check_lease()


def test_without_a_lease_nothing_can_be_lost():
    check_lease()
