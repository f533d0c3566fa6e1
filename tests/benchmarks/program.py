"""The whole bot as a process beside a Bot API, people and a model, for benchmarks to measure."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.command import environment
from tests.fakes.botapi import BotApiServer
from tests.fakes.openai_server import Completion, OpenAIServer, text

ROOT = Path(__file__).parents[2]
_WATCHED = Path(__file__).with_name("watched.py")
#: What a model that answers at once answers, in thirteen pieces.
_ANSWER = tuple("I see what you mean and I will gladly keep it in mind.".split(" "))
_LEARNED = json.dumps({"findings": [], "summary": "They talked about the day.", "topics": ["day"]})
PATIENCE = 120.0


def at_once(body: dict[str, Any]) -> Completion:
    """A model that answers at once: a turn with words, extraction with nothing learned."""
    if body.get("tools"):
        return text(*(f"{word} " for word in _ANSWER))
    return text(_LEARNED if "finished conversation" in str(body["messages"][0]) else "They talked.")


@dataclass(frozen=True)
class World:
    """What stands around the bot."""

    server: BotApiServer
    model: OpenAIServer

    async def asks(self, person: int, words: str) -> float:
        """Say something; the seconds until the bot's next message to this person is there."""
        seen, started = len(self.server.calls), time.perf_counter()
        await self.server.user(person).says(words)
        await self._answered(person, seen)
        return time.perf_counter() - started

    async def presses(self, person: int, button: int = 0) -> float:
        """Press a button under the bot's last message; the seconds until it has done something."""
        message = self.server.sent(person)[-1]
        buttons = [one for row in message["reply_markup"]["inline_keyboard"] for one in row]
        seen, started = len(self.server.calls), time.perf_counter()
        await self.server.user(person).clicks(message, buttons[button]["callback_data"])
        await self._answered(person, seen)
        return time.perf_counter() - started

    async def _answered(self, person: int, seen: int) -> None:
        # Not `replies_to`: it looks at every message there is, each time anybody does anything.
        calls = self.server.calls
        wanted = {(person, method) for method in ("sendMessage", "sendDocument", "editMessageText")}

        def answered() -> bool:
            nonlocal seen
            while seen < len(calls) and (calls[seen].chat_id, calls[seen].method) not in wanted:
                seen += 1
            # One that was broken off never gets its status.
            return any(
                call.status == 200 for call in calls[seen:] if (call.chat_id, call.method) in wanted
            )

        await self.server.wait_for(answered, PATIENCE, f"answer to {person}")


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    """A Bot API server and a model that answers at once, in this process."""
    async with BotApiServer() as server, OpenAIServer(decide=at_once) as model:
        yield World(server, model)


def settings_for(around: World, data: Path, *, offline: bool = False) -> dict[str, str]:
    """The environment of a bot in this world that anybody may talk to as fast as they can."""
    model = {
        "MORDECAI_MODEL": "openai:at-once",
        "MORDECAI_MODEL_BASE_URL": around.model.base_url,
        "MORDECAI_MODEL_API_KEY": around.model.api_key,
    }
    return environment(
        TELEGRAM_BOT_TOKEN=around.server.token,
        MORDECAI_TELEGRAM_BASE_URL=around.server.root,
        MORDECAI_DATA_DIR=str(data),
        MORDECAI_ACCESS="open",
        MORDECAI_MESSAGES_PER_MINUTE="1000",
        MORDECAI_MAX_RECORDS="1000000",
        MORDECAI_MAX_ARCHIVED_TURNS="1000000",
        **({} if offline else model),
    )


class Watched:
    """A bot that tells what it does inside; see `watched`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def begin(self) -> None:
        """Count from now on."""
        await self._tell(b"begin\n")

    async def end(self) -> dict[str, Any]:
        """What happened since."""
        return await self._tell(b"end\n")

    async def _tell(self, order: bytes) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(order)
        told: dict[str, Any] = json.loads(await self.process.stdout.readline() or b"{}")
        return told


@asynccontextmanager
async def watched(
    kind: str, folder: Path, variables: dict[str, str], tree: Path = ROOT
) -> AsyncIterator[Watched]:
    """The bot of this tree as a process, watched for `kind`: "loop" or "trace". Its log is left in
    `folder / log`."""
    async with _started([str(_WATCHED), kind], folder, variables, tree) as process:
        yield Watched(process)


@asynccontextmanager
async def running(folder: Path, variables: dict[str, str], *arguments: str) -> AsyncIterator[int]:
    """The bot, or what the arguments of Python say, as a process; its id."""
    async with _started([*(arguments or ("-m", "bot", "run"))], folder, variables, ROOT) as process:
        yield process.pid


@asynccontextmanager
async def _started(
    arguments: list[str], folder: Path, variables: dict[str, str], tree: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", *arguments,
            cwd=folder, env={**variables, "PYTHONPATH": str(tree)},
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
            limit=2**26,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
                try:
                    await asyncio.wait_for(process.wait(), PATIENCE)
                except TimeoutError:
                    process.kill()
                    await process.wait()


async def filled(directory: Path, facts: int, messages: int, user: int, tree: Path = ROOT) -> None:
    """Write a person's memory into the directory of a bot that does not run."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", str(_WATCHED), "fill", str(directory / "memory"),
        str(facts), str(messages), str(user),
        env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    if await process.wait():
        raise RuntimeError("the memory could not be written")
