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
from tornado.httpserver import HTTPServer
from tornado.web import Application, RequestHandler

from bot.health import STALLED_SECONDS
from bot.sockets import close, listening
from memory.errors import StoreUnavailable
from memory.records import Actor
from memory.service import Memory

_log = structlog.get_logger(__name__)

#: Whether one part is as it has to be.
Check = Callable[[], Awaitable[bool]]

#: Nobody's memory: the store answers for it without having anything to look for.
_NOBODY = Actor.person(2**52 - 1)
#: A memory on AWS is not asked at every probe. Seconds.
_MEMORY_CHECK_SECONDS = 30.0
#: What does not answer in this time is not ready. Probes usually wait for a few seconds.
_CHECK_SECONDS = 2.0
_LONGEST_BODY = 1024


@asynccontextmanager
async def endpoints(address: str, port: int, checks: Mapping[str, Check]) -> AsyncIterator[None]:
    """Serve both, with these checks for `/readyz`. Raises OperatorError if nobody can listen
    there."""
    application = Application(
        [("/healthz", _Alive), ("/readyz", _Ready, {"checks": checks})], log_function=_silent
    )
    server = HTTPServer(application, max_body_size=_LONGEST_BODY)
    server.add_socket(listening(address, port, "health_listen and health_port"))
    _log.info("health_listening", address=address, port=port)
    try:
        yield
    finally:
        await close(server)


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
) -> Mapping[str, Check]:
    """The checks of a whole bot: Telegram heard of within `STALLED_SECONDS`, the memory's store and
    journal answering, the data directory to be written."""

    async def connected() -> bool:
        return channel.listening and channel.silent_seconds < STALLED_SECONDS

    async def remembers() -> bool:
        try:
            await memory.backlog()
            await memory.records(_NOBODY)
        except StoreUnavailable:
            return False
        return True

    async def writes() -> bool:
        return await asyncio.get_running_loop().run_in_executor(pool, is_writable, data_dir)

    remembered = at_most_every(_MEMORY_CHECK_SECONDS, remembers)
    return {"telegram": connected, "memory": remembered, "data": writes}


def at_most_every(seconds: float, check: Check) -> Check:
    """The check, with its last result as long as that is not older: for what costs something."""
    result, at = False, -seconds

    async def remembered() -> bool:
        nonlocal result, at
        if time.monotonic() - at >= seconds:
            at = time.monotonic()
            try:
                result = await check()
            except asyncio.CancelledError:
                # Given up: what hangs is not to be asked again by every probe.
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
    """What both have in common."""

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
        """The answer, as a short JSON document."""
        status, document = await self.answer()
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps(document))

    async def head(self) -> None:
        """The same without the document."""
        status, _ = await self.answer()
        self.set_status(status)

    async def answer(self) -> tuple[int, dict[str, bool]]:
        """Status and document."""
        raise NotImplementedError


class _Alive(_Endpoint):
    """That this is answered is the answer: the event loop turns."""

    async def answer(self) -> tuple[int, dict[str, bool]]:
        """See _Endpoint."""
        return 200, {"alive": True}


class _Ready(_Endpoint):
    """200 if every part is ready, else 503; which ones are says the document."""

    def initialize(self, checks: Mapping[str, Check]) -> None:
        """What tornado does for each request."""
        self._checks = checks

    async def answer(self) -> tuple[int, dict[str, bool]]:
        """See _Endpoint."""
        results = await asyncio.gather(*(_in_time(check) for check in self._checks.values()))
        parts = dict(zip(self._checks, results, strict=True))
        ready = all(results)
        return 200 if ready else 503, {"ready": ready, **parts}


async def _in_time(check: Check) -> bool:
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return False


def _silent(handler: RequestHandler) -> None:
    """No line in the log for every probe."""
