"""What Leases promise a worker, whether it is alone or not.

Subclass `LeasesContract` with a fixture `leases`: those of a worker beside which no other runs."""

from memory.leases import Leases, current_lease
from memory.records import Actor

ANN, BOB = Actor("u1001"), Actor("u1002")


class LeasesContract:
    async def test_what_nobody_holds_is_ours(self, leases: Leases) -> None:
        async with leases.work_on(ANN) as ours, leases.work_alone("maintenance") as alone:
            assert ours
            assert alone

    async def test_blocks_of_one_worker_share_a_lease(self, leases: Leases) -> None:
        async with leases.work_on(ANN) as first:
            async with leases.work_on(ANN) as second:
                assert (first, second) == (True, True)
                inner = current_lease.get()
            assert current_lease.get() == inner
        async with leases.work_on(ANN) as again:
            assert again

    async def test_a_block_ends_where_it_began(self, leases: Leases) -> None:
        async with leases.work_on(ANN):
            outer = current_lease.get()
            async with leases.work_on(BOB):
                pass
            assert current_lease.get() == outer
        assert current_lease.get() is None

    async def test_what_was_claimed_is_held(self, leases: Leases) -> None:
        assert list(await leases.claim([ANN, BOB])) == [ANN, BOB]
        assert list(await leases.claim([BOB, ANN])) == [BOB, ANN]
        lease = leases.held(ANN)
        assert lease
        assert not lease.is_lost
        assert not lease.inherited

    async def test_nothing_is_elsewhere(self, leases: Leases) -> None:
        await leases.claim([ANN])
        assert await leases.elsewhere([ANN, BOB]) == set()

    async def test_what_is_given_back_can_be_claimed_again(self, leases: Leases) -> None:
        await leases.claim([ANN, BOB])
        await leases.give_back()
        assert list(await leases.claim([ANN])) == [ANN]
