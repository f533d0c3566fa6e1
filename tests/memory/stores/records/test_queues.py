"""Calls on actors' tables."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.stores.records.queues import ActorQueues

ANN = Actor("u1")


async def test_what_fails_when_nobody_waits_any_more_bothers_nobody():
    bothered: list[str] = []
    loop, gate = asyncio.get_running_loop(), threading.Event()
    loop.set_exception_handler(lambda _, about: bothered.append(about["message"]))

    def fail() -> None:
        gate.wait(10)
        raise StoreUnavailable("away")

    with ThreadPoolExecutor(1) as pool:
        queues = ActorQueues(pool)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await queues.run(fail, ANN)
        gate.set()
        await queues.aclose()
    gc.collect()
    await asyncio.sleep(0)
    assert bothered == []
