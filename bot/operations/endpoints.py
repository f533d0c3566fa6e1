"""What a supervisor or a load balancer asks over HTTP: whether the process lives (`/healthz`), and
whether it can do its work (`/readyz`)."""

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import structlog
from tornado.web import Application, RequestHandler

from bot.operations.health import STALLED_SECONDS
from bot.operations.sockets import close_server, http_server, listening_socket
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor

_log = structlog.get_logger(__name__)

#: Whether one part is as it has to be.
ReadinessCheck = Callable[[], Awaitable[bool]]
#: What an address says: whether all is well, and a document.
_Status = Callable[[], Awaitable[tuple[bool, dict[str, bool]]]]

#: Nobody's memory: the store answers for it without having anything to look for.
_NOBODY = Actor.person(2**52 - 1)
#: A memory on AWS is not asked at every probe. Seconds.
_MEMORY_CHECK_SECONDS = 30.0
#: What does not answer in this time is not ready. Probes usually wait for a few seconds.
_CHECK_SECONDS = 2.0
_LONGEST_BODY = 1024


@asynccontextmanager
async def endpoints(
    address: str, port: int, checks: Mapping[str, ReadinessCheck]
) -> AsyncIterator[None]:
    """Serve both, with these checks for `/readyz`. Raises OperatorError if nobody can listen
    there."""
    routes: list[tuple[str, Any, dict[str, Any]]] = [
        ("/healthz", _Endpoint, {"answer": _liveness}),
        ("/readyz", _Endpoint, {"answer": _readiness(checks)}),
    ]
    application = Application(routes, log_function=_skip_access_log)
    server = http_server(application, _LONGEST_BODY)
    server.add_socket(listening_socket(address, port, "health_listen and health_port"))
    _log.info("health_listening", address=address, port=port)
    try:
        yield
    finally:
        await close_server(server)


class Connected(Protocol):
    """What of a channel is asked here."""

    @property
    def listening(self) -> bool:
        """Whether updates come in and are answered."""
        ...

    @property
    def silent_seconds(self) -> float:
        """Seconds since the other side was last heard of."""
        ...


def readiness(
    channel: Connected, memory: Memory, data_dir: Path, pool: Executor
) -> Mapping[str, ReadinessCheck]:
    """The checks of a whole bot: Telegram heard of within `STALLED_SECONDS`, the memory's store and
    journal answering, the data directory to be written."""

    async def connected() -> bool:
        return channel.listening and channel.silent_seconds < STALLED_SECONDS

    async def remembers() -> bool:
        try:
            await memory.backlog()
            await memory.known.records(_NOBODY)
        except StoreUnavailable:
            return False
        return True

    async def writes() -> bool:
        return await asyncio.get_running_loop().run_in_executor(pool, is_writable, data_dir)

    remembered = cached_check(_MEMORY_CHECK_SECONDS, remembers)
    return {"telegram": connected, "memory": remembered, "data": writes}


def cached_check(
    seconds: float, check: ReadinessCheck, monotonic: Callable[[], float] = time.monotonic
) -> ReadinessCheck:
    """The check, with its last result as long as that is not older: for what costs something."""
    result, at = False, -seconds

    async def remembered() -> bool:
        nonlocal result, at
        if monotonic() - at >= seconds:
            at = monotonic()
            try:
                result = await check()
            except BaseException:
                # Given up or broken: what hangs is not to be asked again by every probe, and what
                # was said before does not count any more.
                result = False
                raise
        return result

    return remembered


def is_writable(directory: Path) -> bool:
    """Whether something can be written there. Blocks."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(b"\0")
    except OSError:
        return False
    return True


class _Endpoint(RequestHandler):
    """One address: a short JSON document, and in the status whether it says something good."""

    def initialize(self, answer: _Status) -> None:
        """What tornado does for each request."""
        self._answer = answer

    def set_default_headers(self) -> None:
        """Nobody needs to know what runs here, and no proxy should keep an answer."""
        self.clear_header("Server")
        self.set_header("Cache-Control", "no-store")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """The number says it all."""
        self.finish()

    def compute_etag(self) -> None:
        """Every answer is new."""

    async def get(self) -> None:
        """Status and document."""
        document = await self._respond()
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps(document))

    async def head(self) -> None:
        """The same without the document."""
        await self._respond()

    async def _respond(self) -> dict[str, bool]:
        well, document = await self._answer()
        self.set_status(200 if well else 503)
        return document


async def _liveness() -> tuple[bool, dict[str, bool]]:
    """That this is answered is the answer: the event loop turns."""
    return True, {"alive": True}


def _readiness(checks: Mapping[str, ReadinessCheck]) -> _Status:
    """Whether every part is ready; which ones are says the document."""

    async def answer() -> tuple[bool, dict[str, bool]]:
        asked = (_in_time(check) for check in checks.values())
        # One that breaks says that its part is not well, and nothing of the others.
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
    """What a check has found; if it broke instead, that is logged."""
    if isinstance(result, bool):
        return result
    if not isinstance(result, Exception):
        raise result
    _log.error("readiness_check_crashed", part=part, exc_info=result)
    return False


def _skip_access_log(handler: RequestHandler) -> None:
    """No line in the log for every probe."""
