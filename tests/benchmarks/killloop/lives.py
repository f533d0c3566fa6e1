"""The bot as a process that is started and killed again and again."""

import asyncio
import json
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.command import COMMAND

#: A start has failed if the bot does not listen within so many seconds.
_PATIENCE = 60.0
_AWAY = re.compile(r"\b(StoreUnavailable|Unreachable)\b")


@dataclass
class Life:
    """One run of the bot, of the one of this name. Times are those of the monotonic clock. A reply
    may be sent and not noted just before one of the `blows`: a kill, a stop of the process, a cut
    connection. What went on after such a stop `woke` may send what it did not know was sent."""

    number: int
    began: float
    log_from: int
    by: str = ""
    listened: float = 0.0
    ended: float = 0.0
    failed: str = ""
    log: list[str] = field(default_factory=list)
    blows: list[float] = field(default_factory=list)
    woke: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return f"life {self.by}{'.' * bool(self.by)}{self.number}"

    @property
    def killed(self) -> bool:
        """Whether it did not end by itself."""
        return self.ended in self.blows

    @property
    def events(self) -> Iterator[dict[str, Any]]:
        """The lines of the log that are events."""
        for line in self.log:
            if line.startswith("{"):
                yield json.loads(line)

    @property
    def tracebacks(self) -> list[str]:
        """The lines of the log with a traceback, but those that tell of a server that is away."""
        lines = (line for line in self.log if "Traceback" in line or '"exception"' in line)
        return [line for line in lines if not _AWAY.search(line)]


class Lives:
    """Runs `mordecai run` on one data directory. Of several bots each has a name."""

    def __init__(self, folder: Path, variables: dict[str, str], name: str = "") -> None:
        """The log is left in `folder / log`, with the name."""
        self._folder, self.variables, self.name = folder, variables, name
        self._log = folder / f"log{name}"
        self._process: asyncio.subprocess.Process | None = None
        self.all: list[Life] = []

    async def begin(self) -> Life:
        """Start the bot; return at once."""
        self._log.touch()
        life = Life(len(self.all) + 1, time.monotonic(), self._log.stat().st_size, self.name)
        self.all.append(life)
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                COMMAND, "run", cwd=self._folder, env=self.variables,
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        return life

    async def listens(self, life: Life) -> bool:
        """Return once the bot listens; False if it ends before, or takes too long."""
        assert self._process
        while time.monotonic() - life.began < _PATIENCE:
            if any('"event": "listening"' in line for line in self._log_of(life)):
                life.listened = time.monotonic()
                return True
            if self._process.returncode is not None:
                return False
            await asyncio.sleep(0.05)
        life.failed = f"did not listen within {_PATIENCE:g} s"
        return False

    async def kill(self, life: Life) -> None:
        """SIGKILL."""
        await self._end(life, signal.SIGKILL)

    async def stop(self, life: Life) -> None:
        """SIGTERM, as an operator ends it."""
        await self._end(life, signal.SIGTERM)

    async def freeze(self, life: Life, seconds: float) -> None:
        """SIGSTOP, and SIGCONT so much later."""
        assert self._process
        life.blows.append(time.monotonic())
        self._process.send_signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            life.woke.append(time.monotonic())
            self._process.send_signal(signal.SIGCONT)

    async def aclose(self) -> None:
        """Leave no bot behind."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def _end(self, life: Life, how: signal.Signals) -> None:
        assert self._process
        life.ended = time.monotonic()
        if how == signal.SIGKILL:
            life.blows.append(life.ended)
        if self._process.returncode is None:
            self._process.send_signal(how)
        code = await asyncio.wait_for(self._process.wait(), _PATIENCE)
        if code not in (0, -signal.SIGKILL) and not life.failed:
            life.failed = f"ended by itself with code {code}"
        life.log = self._log_of(life)

    def _log_of(self, life: Life) -> list[str]:
        with self._log.open("rb") as log:
            log.seek(life.log_from)
            return log.read().decode(errors="replace").splitlines()
