"""A chat in the terminal ends when either side of it does."""

import asyncio
import io
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from telegram.request import BaseRequest

from bot.app import talk
from bot.assistant.greeting import Greetings
from bot.offline.understanding import by_rules
from bot.people.access import Access, AccessMode
from bot.people.usage import Accounts
from bot.telegram.channel import TelegramChannel
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.receiving import RejectedToken
from bot.terminal import TERMINAL_TOKEN, Terminal
from memory.memory import Memory
from memory.stores.journal.journal import SqliteJournal
from tests.bot.telegram.stage import ABOUT
from tests.fakes.conversing import Echo
from tests.fakes.temporary_store import TemporaryStore


class Rejecting(BaseRequest):
    """A Bot API that does not accept the token."""

    read_timeout = None

    async def initialize(self) -> None:
        pass

    async def shutdown(self) -> None:
        pass

    async def do_request(self, *_: Any, **__: Any) -> tuple[int, bytes]:
        return 401, b'{"ok":false,"error_code":401,"description":"Unauthorized"}'


@pytest.fixture
def silence() -> Iterator[BinaryIO]:
    """An input on which nothing is written and that does not end before the test does."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream:
        yield stream
        os.close(writing)


@asynccontextmanager
async def channel_on(
    request: BaseRequest, folder: Path
) -> AsyncIterator[tuple[TelegramChannel, Memory]]:
    with ThreadPoolExecutor(2) as pool:
        async with (
            SqliteJournal(":memory:", pool) as journal,
            Inbox(folder / "inbox.sqlite", pool, "terminal", TERMINAL_TOKEN) as inbox,
            Accounts(":memory:", pool) as accounts,
            Memory(TemporaryStore(), journal, by_rules()) as memory,
            TelegramChannel(
                TERMINAL_TOKEN,
                Echo(),
                memory,
                Access(AccessMode.OPEN),
                inbox,
                ABOUT,
                accounts,
                Greetings(memory),
                channel="terminal",
                request=request,
                get_updates_request=request,
            ) as channel,
        ):
            yield channel, memory


async def test_a_terminal_whose_channel_fails_does_not_wait_for_it(
    tmp_path: Path, silence: BinaryIO
):
    terminal = Terminal(7, tmp_path, silence, io.StringIO(), interactive=False)
    async with channel_on(Rejecting(), tmp_path) as (channel, memory):
        talking = asyncio.create_task(talk(terminal, channel, memory))
        await asyncio.wait((talking,), timeout=10)
        ended_by_itself = talking.done()
        talking.cancel()
        with pytest.raises(RejectedToken):
            await talking
        assert ended_by_itself


async def test_the_channel_ends_with_the_input(tmp_path: Path):
    out = io.StringIO()
    terminal = Terminal(7, tmp_path, io.BytesIO(b"hi\n"), out, interactive=False)
    async with channel_on(terminal.request, tmp_path) as (channel, memory):
        await asyncio.wait_for(talk(terminal, channel, memory), 30)
    assert "you said: hi" in out.getvalue()


async def test_nothing_of_the_offline_engine_is_loaded_where_a_model_is_set(tmp_path: Path):
    settings = {"model": "openai:small", "model_base_url": "http://127.0.0.1:1/v1"}
    loaded = await _loaded(tmp_path, settings)
    assert "openai" in loaded
    assert not [name for name in loaded if name.startswith("bot.offline")]


async def test_no_vendor_s_library_is_loaded_where_no_model_is_set(tmp_path: Path):
    loaded = await _loaded(tmp_path, {})
    assert "bot.offline.engine" in loaded
    assert not {"openai", "boto3", "fastembed", "numpy"} & loaded


async def _loaded(data: Path, settings: dict[str, str]) -> set[str]:
    """The modules that a bot with these settings has imported."""
    program = (
        "import asyncio, sys\n"
        "from bot.app import _parts\n"
        "from bot.settings import Settings\n"
        "async def start():\n"
        f"    async with _parts(Settings(data_dir={str(data)!r}, **{settings!r})):\n"
        "        print(*sys.modules)\n"
        "asyncio.run(start())"
    )
    ran = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=PIPE)
    printed, _ = await ran.communicate()
    assert ran.returncode == 0
    return set(printed.decode().split())
