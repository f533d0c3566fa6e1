"""SIGINT and SIGTERM: one ends the bot in good order, and so do several."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDING = (signal.SIGINT, signal.SIGTERM)


def stopped_by_signals() -> asyncio.Event:
    """An event that SIGINT and SIGTERM set, which no longer break anything off from here on."""
    stop = asyncio.Event()
    for name in _ENDING:
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    return stop


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Leave the block in good order on SIGTERM, which a process that is a container's first would
    not even notice without a handler."""
    loop, running = asyncio.get_running_loop(), asyncio.current_task()
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        if running:
            running.cancel()

    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        yield
    except asyncio.CancelledError:
        if not terminated or running is None:
            raise
        running.uncancel()
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


@contextmanager
def undisturbed_at_the_end() -> Iterator[None]:
    """For a process that ends after the block: a signal that comes when all is done is not to spoil
    how it ends."""
    try:
        yield
    finally:
        for name in _ENDING:
            asyncio.get_running_loop().remove_signal_handler(name)
            signal.signal(name, signal.SIG_IGN)
