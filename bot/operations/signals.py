"""SIGINT and SIGTERM: one ends the bot in good order, and so do several.

Handlers are set with `signal.signal`: those of the event loop go back to the system's default, the
sudden end, when they are removed and when the loop closes."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM)


def stop_event() -> asyncio.Event:
    """An event that SIGINT and SIGTERM set, which no longer break anything off from here on."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def set_off(*_: object) -> None:
        loop.call_soon_threadsafe(stop.set)

    for name in _ENDING:
        signal.signal(name, set_off)
    return stop


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Leave the block in good order on SIGTERM, which a process that is a container's first would
    not even notice without a handler. Once leaving, it is not hurried by another one."""
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
    """For a process that ends after the block: a signal that comes when all is done is not to spoil
    how it ends."""
    try:
        yield
    finally:
        for name in _ENDING:
            signal.signal(name, signal.SIG_IGN)
