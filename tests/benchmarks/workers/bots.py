"""Workers to measure, and what they and the rest of the machine use."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.program import PATIENCE, World, running, settings_for
from tests.fakes.postgres_process import PostgresProcess

_TICK = os.sysconf("SC_CLK_TCK")
_GROUPS = Path("/sys/fs/cgroup/cpu")
_PERIOD = 100_000


@asynccontextmanager
async def bots(
    around: World, folder: Path, url: str, count: int, *arguments: str, **settings: str
) -> AsyncIterator[list[int]]:
    """So many bots on the database at `url`, or one with SQLite, which listen; their process ids.
    `arguments` are what Python runs instead."""
    async with AsyncExitStack() as stack:
        found = []
        for number in range(1, count + 1):
            place = folder / f"{'postgres' if url else 'sqlite'}-{count}-{number}"
            place.mkdir(parents=True, exist_ok=True)
            (place / "log").unlink(missing_ok=True)
            variables = settings_for(around, place / "data") | settings
            if url:
                variables["MORDECAI_DATABASE_URL"] = url
            variables["MORDECAI_TELEGRAM_BASE_URL"] += f"/w{number}"
            found.append(await stack.enter_async_context(running(place, variables, *arguments)))
            async with asyncio.timeout(PATIENCE):
                while '"event": "listening"' not in (place / "log").read_text():
                    await asyncio.sleep(0.1)
        yield found


@dataclass(frozen=True)
class Used:
    """Processor seconds of the workers, of PostgreSQL and of this process by a moment; the
    messages answered by then."""

    workers: float
    postgres: float
    generator: float
    messages: int
    at: float


def used(workers: Iterable[int], postgres: PostgresProcess, messages: int) -> Used:
    """What was used by now."""
    return Used(
        sum(_seconds(worker) for worker in workers),
        _seconds(postgres.number) + sum(_seconds(one) for one in _children(postgres.number)),
        time.process_time(),
        messages,
        time.perf_counter(),
    )


def _seconds(process: int) -> float:
    """With those of its children that have ended."""
    try:
        stat = (Path("/proc") / str(process) / "stat").read_text()
    except OSError:
        return 0.0
    return sum(map(int, stat.rpartition(")")[2].split()[11:15])) / _TICK


def _children(process: int) -> list[int]:
    tasks = (Path("/proc") / str(process) / "task").glob("*/children")
    return [int(child) for one in tasks for child in one.read_text().split()]


@asynccontextmanager
async def confined(processes: Iterable[int], cores: float) -> AsyncIterator[None]:
    """Let each of the processes use so much of a core, while the block runs. Needs the right to
    make control groups."""
    made = []
    try:
        for process in processes:
            group = _GROUPS / f"mordecai-{process}"
            group.mkdir()
            made.append(group)
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(round(_PERIOD * cores)))
            (group / "cgroup.procs").write_text(str(process))
        yield
    finally:
        for group in made:
            for one in (group / "cgroup.procs").read_text().split():
                (_GROUPS / "cgroup.procs").write_text(one)
            group.rmdir()


def can_confine() -> bool:
    """Whether `confined` works here."""
    return os.access(_GROUPS, os.W_OK) and (_GROUPS / "cpu.cfs_quota_us").exists()
