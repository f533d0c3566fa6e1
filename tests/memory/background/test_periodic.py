"""Work that is done again and again."""

import asyncio

from structlog.testing import capture_logs

from memory.background.periodic import Periodic
from memory.errors import StoreUnavailable


async def test_work_that_fails_comes_again_and_holds_up_no_other():
    done = asyncio.Event()
    rounds = 0

    async def failing() -> None:
        nonlocal rounds
        rounds += 1
        if rounds >= 4:
            done.set()
        raise StoreUnavailable("away") if rounds % 2 else RuntimeError("a mistake")

    async def hanging() -> None:
        await asyncio.Event().wait()

    periodic = Periodic([hanging, failing], seconds=0.001)
    with capture_logs() as logs:
        periodic.start()
        async with asyncio.timeout(10):
            await done.wait()
        await periodic.aclose()
    assert {line["event"] for line in logs} == {"memory_degraded", "periodic_work_crashed"}
