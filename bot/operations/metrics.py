"""`/metrics`: what the bot counts, what waits, and how the process is, as Prometheus reads it.

Numbers alone: nothing of what people say, and no id. A part that does not answer, such as a
database that is away, is left out, and `mordecai_part_up` says so."""

import asyncio
import gc
import os
import resource
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import structlog

from bot.metrics import COUNTED, LOOP_LAG, Metric, Sample
from memory.errors import StoreUnavailable

_log = structlog.get_logger(__name__)

#: Asks a part of the bot for its figures, by their names in `GAUGES`. Raises StoreUnavailable.
Figures = Callable[[], Awaitable[Mapping[str, float]]]

#: What parts tell. With PostgreSQL, all but the leases are of the whole database: every worker
#: shows the same.
GAUGES = {
    "mordecai_waiting_inbounds": "Updates that wait for their answer, or for its delivery.",
    "mordecai_oldest_waiting_seconds": "Seconds for which the oldest of them has waited.",
    "mordecai_leases_held": "Leases of this worker: on actors, and on what one does for all.",
    "mordecai_extraction_waiting": "Ended sessions from which nothing was learned yet.",
    "mordecai_extraction_quarantined": "Ended sessions whose extraction failed too often.",
    "mordecai_outbox_waiting": "Messages that wait to be sent to AWS.",
    "mordecai_outbox_refused": "Messages that AWS has refused for good.",
    "mordecai_deletions_pending": "Erasures of which AWS may still show something.",
}
#: Scrapes within so many seconds share the parts' answers.
_FRESH_SECONDS = 5.0
#: A part that takes longer is left out. Prometheus waits ten seconds.
_PATIENCE = 2.0
_LAG_EVERY = 0.5
_OWN = Path("/proc/self")


class Scrape:
    """Makes the text of `/metrics`. Never fails because of a part."""

    def __init__(
        self, parts: Mapping[str, Figures], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._parts, self._monotonic = parts, monotonic
        self._asked_at = float("-inf")
        self._asking: asyncio.Task[list[Metric]] | None = None

    async def text(self) -> str:
        if self._asking is None or self._monotonic() - self._asked_at >= _FRESH_SECONDS:
            self._asked_at = self._monotonic()
            self._asking = asyncio.create_task(self._ask_parts(), name="metrics")
        # Shielded: a scraper that hangs up must not spoil it for the next one.
        parts = await asyncio.shield(self._asking)
        counted = [each.read() for each in COUNTED]
        return exposition([*_process_metrics(), *parts, *counted])

    async def _ask_parts(self) -> list[Metric]:
        answers = await asyncio.gather(*(_ask(*part) for part in self._parts.items()))
        figures = {name: value for answer in answers if answer for name, value in answer.items()}
        up = [
            Sample(int(answer is not None), {"part": part})
            for part, answer in zip(self._parts, answers, strict=True)
        ]
        return [
            Metric("mordecai_part_up", "gauge", "1 if this part told its figures, else 0.", up),
            *(_gauge(name, help_, figures[name]) for name, help_ in GAUGES.items()
              if name in figures),
        ]  # fmt: skip


async def _ask(part: str, figures: Figures) -> Mapping[str, float] | None:
    """The part's figures; None if it has none in time."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await figures()
    except (StoreUnavailable, TimeoutError):
        return None
    except Exception:  # noqa: BLE001 - the boundary: the other figures still count
        _log.exception("metrics_failed", part=part)
        return None


@asynccontextmanager
async def watched_loop() -> AsyncIterator[None]:
    """Observe how late tasks run while the block is open."""

    async def watch() -> None:
        while True:
            wanted = time.monotonic() + _LAG_EVERY
            await asyncio.sleep(_LAG_EVERY)
            LOOP_LAG.observe(max(0.0, time.monotonic() - wanted))

    watching = asyncio.create_task(watch(), name="loop lag")
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def exposition(metrics: list[Metric]) -> str:
    """The text format of Prometheus, version 0.0.4."""
    return "".join(line + "\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{_escape(value)}"' for name, value in sample.labels.items())
        value = float(sample.value)
        number = int(value) if value.is_integer() else value
        yield f"{metric.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {number}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _gauge(name: str, help_: str, value: float, labels: Mapping[str, str] | None = None) -> Metric:
    return Metric(name, "gauge", help_, [Sample(value, labels or {})])


def _process_metrics() -> Iterator[Metric]:
    """Under the names that Prometheus' own clients use. Memory and files on Linux only."""
    yield _gauge("mordecai_build_info", "The version that runs.", 1, {"version": _version()})
    times = os.times()
    cpu = [Sample(times.user + times.system, {})]
    yield Metric("process_cpu_seconds_total", "counter", "Processor time in seconds.", cpu)
    threads = threading.active_count()
    yield _gauge("process_threads", "Threads of this process.", threads)
    collected = [
        Sample(each["collections"], {"generation": str(number)})
        for number, each in enumerate(gc.get_stats())
    ]
    yield Metric(
        "python_gc_collections_total", "counter", "Garbage collections, by generation.", collected
    )
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    yield _gauge("process_max_fds", "Files that this process may open.", limit)
    with suppress(OSError):
        pages = int((_OWN / "statm").read_text().split()[1])
        size = pages * resource.getpagesize()
        yield _gauge("process_resident_memory_bytes", "Resident memory in bytes.", size)
        yield _gauge("process_open_fds", "Open files.", len(os.listdir(_OWN / "fd")))  # noqa: PTH208
        yield _gauge(
            "process_start_time_seconds", "When this process began, in Unix time.", _started_at()
        )


def _started_at() -> float:
    # The 22nd field, counted from after the name, which may hold spaces: ticks since the boot.
    ticks = int((_OWN / "stat").read_text().rpartition(")")[2].split()[19])
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return round(time.time() - since_boot, 1)


def _version() -> str:
    try:
        return version("mordecai-assistant")
    except PackageNotFoundError:
        return "unknown"
