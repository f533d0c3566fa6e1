"""Simulated time passes when everybody waits, and not before."""

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from memory.errors import StoreUnavailable
from memory.records import Actor
from tests.fakes.aws import hanging
from tests.fakes.extractors import EverySentence
from tests.fakes.simulated.aws import simulated
from tests.fakes.simulated.loop import SimulatedLoop, now

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(work)


def test_time_passes_after_half_a_year_too() -> None:
    async def month() -> None:
        loop = asyncio.get_running_loop()
        for _ in range(30):
            await asyncio.sleep(86_400.3)
            due = asyncio.Event()
            loop.call_at(loop.time(), due.set)
            await due.wait()

    begun = now()
    for _ in range(7):
        run(month())
    assert (now() - begun).days == 210


def test_a_day_passes_at_once_and_in_order() -> None:
    async def day() -> list[str]:
        done: list[str] = []

        async def after(hours: float, name: str) -> None:
            await asyncio.sleep(3600 * hours)
            done.append(name)

        begun = now()
        await asyncio.gather(after(24, "night"), after(1, "morning"), after(5, "noon"))
        assert (now() - begun).total_seconds() == pytest.approx(24 * 3600)
        return done

    started = time.monotonic()
    assert run(day()) == ["morning", "noon", "night"]
    assert time.monotonic() - started < 5


def test_work_for_threads_is_done_in_turn_on_the_loop() -> None:
    async def work() -> list[int]:
        loop, done = asyncio.get_running_loop(), list[int]()
        with ThreadPoolExecutor(4) as pool:
            calls = [loop.run_in_executor(pool, done.append, n) for n in range(20)]
            await asyncio.gather(*calls, asyncio.to_thread(done.append, 20))
        return done

    assert run(work()) == list(range(21))


def test_waiting_for_nothing_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="nobody will ever go on"):
        run(asyncio.Event().wait())


def test_a_call_that_hangs_takes_simulated_seconds(tmp_path: Path) -> None:
    async def ask() -> float:
        here = await made.world(tmp_path)
        here.aws.faults.add(hanging("ListSessions"))
        begun = now()
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            await here.calls().ask("list_sessions", actorId=Actor("u1").id)
        return (now() - begun).total_seconds()

    with simulated(None, EverySentence()) as made:
        assert 8 <= run(ask()) < 9
