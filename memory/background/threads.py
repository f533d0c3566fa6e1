"""Work that takes much processor time, in threads that let the event loop in."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: How long a thread computes before Python lets another one in, in seconds. The event loop may wait
#: that long wherever it reads, writes or asks what is ready, a dozen times a message: Python's own
#: five milliseconds would be felt. For threads that mostly wait, switching more often only costs.
_SWITCH = 0.0005


async def compute(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do the work in a thread, and keep nobody waiting meanwhile."""

    def alone() -> T:
        with _switches.often():
            return work(*args, **kwargs)

    return await asyncio.to_thread(alone)


class _Switches:
    """How often this process switches threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._computing, self._usual = 0, 0.0

    @contextmanager
    def often(self) -> Iterator[None]:
        """Switch often while any thread is in such a block."""
        with self._lock:
            if not self._computing:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(_SWITCH)
            self._computing += 1
        try:
            yield
        finally:
            with self._lock:
                self._computing -= 1
                if not self._computing:
                    sys.setswitchinterval(self._usual)


_switches = _Switches()
