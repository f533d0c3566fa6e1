"""The heartbeat for supervisors: a file that is touched while the Bot API answers and updates are
handled, and the check of its age."""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import structlog

_log = structlog.get_logger(__name__)

_FILE = "heartbeat"
_BEAT_SECONDS = 10.0

#: A long poll takes half a minute at most, so several in a row must have failed.
STALLED_SECONDS = 150.0

#: Without a beat for so many seconds, something is wrong.
_MISSED_SECONDS = 60.0


class Alive(Protocol):
    """Knows when the other side last answered, and whether the bot handles what it receives."""

    @property
    def handling(self) -> bool:
        """True while what is received is handled."""
        ...

    @property
    def silent_seconds(self) -> float:
        """Seconds since the last answer."""
        ...


@asynccontextmanager
async def heartbeat(
    data_dir: Path, channel: Alive, seconds: float = _BEAT_SECONDS
) -> AsyncIterator[None]:
    """Write the heartbeat file every so many seconds, while the channel is well."""
    file = data_dir / _FILE
    me = str(os.getpid())

    async def beat() -> None:
        complained = False
        while True:
            try:
                if channel.handling and channel.silent_seconds < STALLED_SECONDS:
                    await asyncio.to_thread(_replace, file, me)
            except OSError as failure:
                # A temporarily full disk must not end the heartbeat for good.
                if not complained:
                    _log.warning("heartbeat_failed", file=str(file), error=failure.strerror)
                complained = True
            await asyncio.sleep(seconds)

    beats = asyncio.create_task(beat(), name="heartbeat")
    try:
        yield
    finally:
        beats.cancel()
        await asyncio.gather(beats, return_exceptions=True)
        file.unlink(missing_ok=True)


def find_problem(data_dir: Path, now: float | None = None) -> str | None:
    """The problem of the process that runs on this directory; None if there is none."""
    file = data_dir / _FILE
    try:
        age = (now if now is not None else time.time()) - file.stat().st_mtime
        process = int(file.read_text() or 0)
    except (FileNotFoundError, ValueError):
        return f"no Mordecai runs on {data_dir}"
    if age > _MISSED_SECONDS:
        return (
            f"Mordecai on {data_dir} hangs, has heard nothing or handled nothing for {age:.0f} "
            "seconds and more"
        )
    return None if _is_alive(process) else f"Mordecai on {data_dir} ended without saying goodbye"


def _replace(file: Path, text: str) -> None:
    """Replace the file in one step, so that readers never see half of it."""
    draft = file.with_suffix(".new")
    draft.write_text(text)
    draft.replace(file)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process > 0


def why_unwritable(directory: Path) -> str | None:
    """Why no files can be written there; None if they can. Blocks."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(b"\0")
    except OSError as error:
        return error.strerror or str(error)
    return None
