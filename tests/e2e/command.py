"""The installed command, run as a user runs it."""

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(sys.executable).with_name("mordecai")

#: Generous: a slow machine with two cores, importing everything for the first time.
PATIENCE = 60.0


@dataclass(frozen=True)
class Ran:
    """What a finished run left."""

    code: int
    out: str
    err: str

    @property
    def replies(self) -> list[str]:
        """The bot's replies, each with all its lines."""
        return [part.rstrip("\n") for part in ("\n" + self.out).split("\nbot: ")[1:]]


_FOREIGN = ("MORDECAI_", "TELEGRAM_", "AWS_", "OTEL_", "MAKE", "MFLAGS")


def environment(**variables: str) -> dict[str, str]:
    """The environment without any setting of the machine's own, plus these. A make that runs the
    tests is not to be heard of by one that a test runs."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    return {**own, **variables}


async def start(*arguments: str, cwd: Path, **variables: str) -> asyncio.subprocess.Process:
    """Start the command with pipes for its three streams."""
    return await asyncio.create_subprocess_exec(
        COMMAND,
        *arguments,
        cwd=cwd,
        env=environment(**variables),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def mordecai(*arguments: str, cwd: Path, stdin: bytes = b"", **variables: str) -> Ran:
    """Run the command to its end."""
    process = await start(*arguments, cwd=cwd, **variables)
    try:
        out, err = await asyncio.wait_for(process.communicate(stdin), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ran(process.returncode or 0, out.decode(), err.decode())


async def chat(data: Path, *lines: str | bytes, user: int = 1001, **settings: str) -> Ran:
    """Feed lines to `mordecai chat` in this data directory, with settings as variables."""
    stdin = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
    data.mkdir(parents=True, exist_ok=True)
    arguments = ("chat", "--user", str(user), "--data", str(data))
    return await mordecai(*arguments, cwd=data.parent, stdin=stdin, **settings)
