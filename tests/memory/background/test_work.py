"""Background work goes on, whatever becomes of a round."""

import asyncio

import structlog
from structlog.testing import capture_logs

from memory.background.work import Periodic, Worklist
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


async def test_the_first_round_may_wait() -> None:
    rounds: list[float] = []
    loop = asyncio.get_running_loop()

    async def note() -> None:
        rounds.append(loop.time())

    begun = loop.time()
    periodic = Periodic([note], seconds=0.001)
    periodic.start(after=0.1)
    while len(rounds) < 2:
        await asyncio.sleep(0.01)
    await periodic.aclose()
    assert rounds[0] - begun > 0.09


async def test_a_round_that_breaks_is_told_and_the_next_one_comes() -> None:
    rounds = 0

    async def take_up() -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 1:
            raise ZeroDivisionError

    with structlog.testing.capture_logs() as logs:
        work = Worklist("chores", take_up, structlog.get_logger())
        work.start()
        await work.settle()
        work.look_again()
        await work.settle()
        await work.aclose()
    assert rounds == 2
    assert [line["event"] for line in logs] == ["chores_not_found"]


async def test_it_is_quiet_only_when_every_task_has_ended() -> None:
    release = asyncio.Event()

    async def chore() -> None:
        await release.wait()
        work.end("one", look=False)

    async def take_up() -> None:
        if not release.is_set():
            work.begin("one", chore())

    work = Worklist("chores", take_up, structlog.get_logger())
    work.start()
    settling = asyncio.create_task(work.settle())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not settling.done()
    release.set()
    await settling
    assert work.tasks == {}
    await work.aclose()
