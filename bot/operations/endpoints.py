"""HTTP endpoints for supervisors and load balancers: is the process alive (`/healthz`), is it ready
to work (`/readyz`), and what has it counted (`/metrics`)?"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sized
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import structlog

from bot.operations.health import STALLED_SECONDS, Alive, why_unwritable
from bot.operations.metrics import Figures, Scrape, watched_loop
from bot.operations.sockets import RouteHandler, Server, ServerLimits, listening_socket
from bot.settings import Settings
from memory.errors import StoreUnavailable
from memory.leases import ALONE, Leases
from memory.memory import Memory
from memory.records import Actor

_log = structlog.get_logger(__name__)

#: True if one part works.
ReadinessCheck = Callable[[], Awaitable[bool]]
#: The response of an endpoint: whether all is well, and the JSON document.
_Status = Callable[[], Awaitable[tuple[bool, dict[str, bool]]]]

#: An actor without a memory, so that asking the store for it is cheap.
_NOBODY = Actor.person(2**52 - 1)
#: Not every probe asks the memory, which may be on AWS. Seconds.
_MEMORY_CHECK_SECONDS = 30.0
#: A part that takes longer is not ready. Probes usually wait a few seconds.
_CHECK_SECONDS = 2.0
_LIMITS = ServerLimits()


@asynccontextmanager
async def endpoints(
    address: str,
    port: int,
    checks: Mapping[str, ReadinessCheck],
    figures: Mapping[str, Figures],
    limits: ServerLimits = _LIMITS,
) -> AsyncIterator[None]:
    """Serve all endpoints, with these checks for `/readyz` and these figures for `/metrics`. Raises
    OperatorError if the port can't be used."""
    taking = listening_socket(address, port, "health_listen and health_port")
    server = Server(
        [
            ("/healthz", _Endpoint, {"answer": _liveness}),
            ("/readyz", _Endpoint, {"answer": _readiness(checks)}),
            ("/metrics", _Metrics, {"scrape": Scrape(figures)}),
        ],
        taking,
        limits,
    )
    _log.info("health_listening", address=address, port=port)
    try:
        async with watched_loop():
            yield
    finally:
        await server.aclose()


def bot_endpoints(
    settings: Settings,
    channel: "Connected",
    inbox: "Backlogged",
    memory: Memory,
    leases: Leases,
    pool: Executor,
) -> AbstractAsyncContextManager[None]:
    """The endpoints of a whole bot, where the settings want them."""
    checks = readiness(channel, memory, settings.data_dir, pool)
    port = settings.health_port or 0
    return endpoints(settings.health_listen, port, checks, figures_of(inbox, memory, leases))


class Connected(Alive, Protocol):
    """What the checks need of a channel."""

    @property
    def listening(self) -> bool:
        """True while updates are received and answered."""
        ...


def readiness(
    channel: Connected, memory: Memory, data_dir: Path, pool: Executor
) -> Mapping[str, ReadinessCheck]:
    """The checks of a whole bot: Telegram answered within `STALLED_SECONDS`, updates are handled,
    the memory's store and journal answer, the data directory is writable."""

    async def check_channel() -> bool:
        return channel.listening and channel.silent_seconds < STALLED_SECONDS

    async def check_handling() -> bool:
        return channel.handling

    async def check_memory() -> bool:
        try:
            await memory.backlog()
            await memory.known.records(_NOBODY)
        except StoreUnavailable:
            return False
        return True

    async def check_data() -> bool:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(pool, why_unwritable, data_dir) is None

    memory_check = cached_check(_MEMORY_CHECK_SECONDS, check_memory)
    return {
        "telegram": check_channel,
        "handling": check_handling,
        "memory": memory_check,
        "data": check_data,
    }


class Backlogged(Protocol):
    """What the figures need of an inbox."""

    async def backlog(self) -> tuple[int, datetime | None]:
        """How many updates are open, and since when the oldest is."""
        ...


def figures_of(inbox: Backlogged, memory: Memory, leases: Leases = ALONE) -> Mapping[str, Figures]:
    """What a whole bot tells of what waits, and of its leases if other workers have some too."""

    async def inbox_figures() -> Mapping[str, float]:
        waiting, since = await inbox.backlog()
        oldest = (datetime.now(UTC) - since).total_seconds() if since else 0.0
        return {
            "mordecai_waiting_inbounds": waiting,
            "mordecai_oldest_waiting_seconds": max(0.0, oldest),
        }

    async def memory_figures() -> Mapping[str, float]:
        backlog = await memory.backlog()
        return {
            "mordecai_extraction_waiting": backlog.waiting,
            "mordecai_extraction_quarantined": backlog.quarantined,
            "mordecai_outbox_waiting": backlog.unsent,
            "mordecai_outbox_refused": backlog.refused,
            "mordecai_deletions_pending": backlog.deletions,
        }

    async def lease_figures() -> Mapping[str, float]:
        return {"mordecai_leases_held": len(leases)} if isinstance(leases, Sized) else {}

    return {"inbox": inbox_figures, "memory": memory_figures, "leases": lease_figures}


def cached_check(
    seconds: float, check: ReadinessCheck, monotonic: Callable[[], float] = time.monotonic
) -> ReadinessCheck:
    """A check that is repeated at most every so many seconds, because it is expensive."""
    result, at = False, -seconds

    async def look() -> bool:
        nonlocal result, at
        if monotonic() - at >= seconds:
            at = monotonic()
            try:
                result = await check()
            except BaseException:
                # Timed out or crashed: not every probe should repeat a check that hangs, and the
                # last result is out of date.
                result = False
                raise
        return result

    return look


class _Uncached(RouteHandler):
    """Serves what changes, on a protected connection."""

    def set_default_headers(self) -> None:
        """Keep proxies from caching the response."""
        super().set_default_headers()
        self.set_header("Cache-Control", "no-store")

    def prepare(self) -> None:
        self.protect()

    def on_finish(self) -> None:
        self.protect(wanted=False)

    def compute_etag(self) -> None:
        """Send no ETag: responses change."""


class _Metrics(_Uncached):
    """Responds with what Prometheus reads."""

    def initialize(self, scrape: Scrape) -> None:
        self._scrape = scrape

    async def get(self) -> None:
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.write(await self._scrape.text())


class _Endpoint(_Uncached):
    """Responds with a short JSON document, and status 200 or 503."""

    def initialize(self, answer: _Status) -> None:
        self._answer = answer

    async def get(self) -> None:
        document = await self._respond()
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps(document))

    async def head(self) -> None:
        await self._respond()

    async def _respond(self) -> dict[str, bool]:
        well, document = await self._answer()
        self.set_status(200 if well else 503)
        return document


async def _liveness() -> tuple[bool, dict[str, bool]]:
    """Any response shows that the event loop runs."""
    return True, {"alive": True}


def _readiness(checks: Mapping[str, ReadinessCheck]) -> _Status:
    """Ready if every part is; the document lists the parts."""

    async def answer() -> tuple[bool, dict[str, bool]]:
        asked = (_in_time(check) for check in checks.values())
        # A check that crashes fails its own part only.
        results = await asyncio.gather(*asked, return_exceptions=True)
        parts = {part: _is_well(part, result) for part, result in zip(checks, results, strict=True)}
        ready = all(parts.values())
        return ready, {"ready": ready, **parts}

    return answer


async def _in_time(check: ReadinessCheck) -> bool:
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return False


def _is_well(part: str, result: bool | BaseException) -> bool:
    """The result of a check; a crash is logged and counts as False."""
    if isinstance(result, bool):
        return result
    if not isinstance(result, Exception):
        raise result
    _log.error("readiness_check_crashed", part=part, exc_info=result)
    return False
