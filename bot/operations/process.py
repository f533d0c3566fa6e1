"""This process: its lock on the data directory, its garbage collector, its signals, its errors for
the operator."""

import asyncio
import ctypes
import gc
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from bot.errors import OperatorError
from bot.telegram.intake.receiving import RejectedToken
from memory.errors import StoreUnavailable
from memory.stores.transfer.files import SCRATCH, UNFINISHED


def collect_garbage_less_often() -> None:
    """Exempt everything loaded at start from garbage collection, and collect the rest less often.
    Collecting took 5 % of a message's time, and 0.1 s at a stretch while reading a person's 100,000
    messages."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


#: glibc, malloc.h: the parameter, and its value at the start of a process, in bytes.
_M_MMAP_THRESHOLD, _LARGE = -3, 128 * 1024


def return_large_blocks() -> None:
    """Have large blocks of memory returned to the system as soon as they are freed. glibc keeps all
    up to the size of the largest one freed so far, and they fall to pieces: a third of the memory
    that each message added. Other C libraries have no such threshold."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)


#: More open files than this process could need.
_MOST_FILES = 65_536


def raise_file_limit() -> None:
    """Allow this process as many open files as the system grants, which is often 1024 unless asked.
    Each connection is one, and each person's memory in use up to three."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Some systems grant less than they say.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextmanager
def only_process(data: Path, *, unfinished: bool = False) -> Iterator[None]:
    """Lock the data directory: two processes on it would answer everything twice. One that
    `mordecai migrate` has not filled yet is for that command alone, which says `unfinished`."""
    try:
        with FileLock(data / "lock", timeout=0):
            if (half := data / UNFINISHED).exists() and not unfinished:
                raise OperatorError(
                    f"data_dir = {data} is half filled: end it with `mordecai migrate "
                    f"postgres-to-sqlite`, or delete {half}"
                )
            # What people let the bot forget would stay in it.
            shutil.rmtree(data / SCRATCH, ignore_errors=True)
            yield
    except Timeout:
        raise OperatorError(
            f"data_dir = {data}: another Mordecai is already running on it: stop that one, or "
            "name another directory with --data or MORDECAI_DATA_DIR"
        ) from None


@contextmanager
def operator_errors() -> Iterator[None]:
    """Turn errors that only the operator can fix into OperatorError."""
    try:
        yield
    except (StoreUnavailable, RejectedToken) as failure:
        raise OperatorError(str(failure)) from failure
    except PermissionError as failure:
        raise OperatorError(
            f"{failure.filename}: no permission: give this user the right to write there, or name "
            "another directory with --data or MORDECAI_DATA_DIR"
        ) from failure


# Handlers are set with `signal.signal`: when the event loop's own handlers are removed or the loop
# closes, they fall back to the system's default, which kills the process.
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
