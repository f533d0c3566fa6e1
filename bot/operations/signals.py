"""SIGINT and SIGTERM: one or several end the bot gracefully.

Handlers are set with `signal.signal`: when the event loop's own handlers are removed or the loop
closes, they fall back to the system's default, which kills the process."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM)


def stop_event() -> asyncio.Event:
    """An event set by SIGINT and SIGTERM, which from now on have no other effect."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def set_off(*_: object) -> None:
        loop.call_soon_threadsafe(stop.set)

    for name in _ENDING:
        signal.signal(name, set_off)
    return stop


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Leave the block gracefully on SIGTERM, which the first process of a container would ignore
    without a handler. A second SIGTERM changes nothing."""
    loop, running = asyncio.get_running_loop(), asyncio.current_task()
    terminated = False

    def terminate(*_: object) -> None:
        nonlocal terminated
        if running and not terminated:
            loop.call_soon_threadsafe(running.cancel)
        terminated = True

    earlier = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except asyncio.CancelledError:
        if not terminated or running is None:
            raise
        running.uncancel()
    finally:
        if signal.getsignal(signal.SIGTERM) is terminate:
            signal.signal(signal.SIGTERM, earlier)


@contextmanager
def ignore_signals_at_exit() -> Iterator[None]:
    """Ignore signals after the block, so that a late one does not change the exit code."""
    try:
        yield
    finally:
        for name in _ENDING:
            signal.signal(name, signal.SIG_IGN)
