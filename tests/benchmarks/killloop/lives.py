"""The bot as a process that is started and killed again and again."""

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.command import COMMAND
from tests.fakes.botapi import BotApiServer

#: A start has failed if the bot does not listen within so many seconds.
_PATIENCE = 60.0


@dataclass
class Life:
    """One run of the bot. Times are those of the monotonic clock."""

    number: int
    began: float
    log_from: int
    listened: float = 0.0
    ended: float = 0.0
    failed: str = ""
    log: list[str] = field(default_factory=list)

    @property
    def events(self) -> Iterator[dict[str, Any]]:
        """The lines of the log that are events."""
        for line in self.log:
            if line.startswith("{"):
                yield json.loads(line)

    @property
    def tracebacks(self) -> list[str]:
        """The lines of the log with a traceback."""
        return [line for line in self.log if "Traceback" in line or '"exception"' in line]


class Lives:
    """Runs `mordecai run` on one data directory."""

    def __init__(self, server: BotApiServer, folder: Path, variables: dict[str, str]) -> None:
        """The log is left in `folder / log`."""
        self._server, self._folder, self._variables = server, folder, variables
        self._log = folder / "log"
        self._process: asyncio.subprocess.Process | None = None
        self.all: list[Life] = []

    @property
    def data(self) -> Path:
        """The data directory."""
        return Path(self._variables["MORDECAI_DATA_DIR"])

    async def begin(self) -> Life:
        """Start the bot; return at once."""
        self._log.touch()
        life = Life(len(self.all) + 1, time.monotonic(), self._log.stat().st_size)
        self.all.append(life)
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                COMMAND, "run", cwd=self._folder, env=self._variables,
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        return life

    async def listens(self, life: Life) -> bool:
        """Return once the bot asks for updates; False if it ends before, or takes too long."""
        assert self._process
        while time.monotonic() - life.began < _PATIENCE:
            if any(call.at > life.began for call in self._server.calls_of("getUpdates")[-3:]):
                life.listened = time.monotonic()
                return True
            if self._process.returncode is not None:
                return False
            await asyncio.sleep(0.02)
        life.failed = f"did not listen within {_PATIENCE:g} s"
        return False

    async def kill(self, life: Life) -> None:
        """SIGKILL."""
        await self._end(life, signal.SIGKILL)

    async def stop(self, life: Life) -> None:
        """SIGTERM, as an operator ends it."""
        await self._end(life, signal.SIGTERM)

    async def aclose(self) -> None:
        """Leave no bot behind."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def _end(self, life: Life, how: signal.Signals) -> None:
        assert self._process
        life.ended = time.monotonic()
        if self._process.returncode is None:
            self._process.send_signal(how)
        code = await asyncio.wait_for(self._process.wait(), _PATIENCE)
        if code not in (0, -signal.SIGKILL) and not life.failed:
            life.failed = f"ended by itself with code {code}"
        with self._log.open("rb") as log:
            log.seek(life.log_from)
            life.log = log.read().decode(errors="replace").splitlines()
