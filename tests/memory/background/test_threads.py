"""What takes much processor time runs in threads that let the event loop in."""

import asyncio
import sys
import threading

import pytest

from memory.background.threads import compute


async def test_threads_switch_often_as_long_as_any_computes() -> None:
    usual = sys.getswitchinterval()
    begun, go_on = threading.Barrier(3), threading.Event()

    def work(answer: int) -> int:
        begun.wait(5)
        go_on.wait(5)
        return answer

    both = asyncio.gather(compute(work, 1), compute(work, answer=2))
    await asyncio.to_thread(begun.wait, 5)
    assert sys.getswitchinterval() < usual
    go_on.set()
    assert list(await both) == [1, 2]
    assert sys.getswitchinterval() == pytest.approx(usual)


async def test_a_failure_comes_out_and_ends_it() -> None:
    usual = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError):
        await compute(lambda: 1 // 0)
    assert sys.getswitchinterval() == pytest.approx(usual)
