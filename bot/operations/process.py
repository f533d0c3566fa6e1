"""This process: its lock on the data directory, its garbage collector, its errors for the
operator."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bot.errors import OperatorError
from bot.people.guestbook import UnreadableOwner
from bot.telegram.intake.receiving import RejectedToken
from memory.errors import StoreUnavailable


def collect_garbage_less_often() -> None:
    """Exempt everything loaded at start from garbage collection, and collect the rest less often.
    Collecting took 5 % of a message's time, and 0.1 s at a stretch while reading a person's 100,000
    messages."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


@contextmanager
def only_process(data: Path) -> Iterator[None]:
    """Lock the data directory: two processes on it would answer everything twice."""
    try:
        with FileLock(data / "lock", timeout=0):
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
    except (StoreUnavailable, UnreadableOwner, RejectedToken) as failure:
        raise OperatorError(str(failure)) from failure
    except PermissionError as failure:
        raise OperatorError(
            f"{failure.filename}: no permission: give this user the right to write there, or name "
            "another directory with --data or MORDECAI_DATA_DIR"
        ) from failure
