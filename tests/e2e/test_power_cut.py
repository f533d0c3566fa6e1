"""What the bot has called saved, renamed or deleted survives a power cut: only what was synced to
the disk is left."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.command import PATIENCE, chat, start
from tests.fakes.power_cut import PowerCut

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)


class Talk:
    """A chat in a program that can lose power at any time."""

    def __init__(self, process: asyncio.subprocess.Process, data: Path, power: PowerCut) -> None:
        self._process, self._data, self._power = process, data, power

    async def say(self, text: str, until: str) -> None:
        """Say something and wait until the bot has answered with these words."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(text.encode() + b"\n")
        heard = ""
        async with asyncio.timeout(PATIENCE):
            while until not in heard:
                heard += (await self._process.stdout.readline()).decode()

    async def cut(self) -> Path:
        """The data directory after a power cut some messages later: none of them is open."""
        await self.say("/help", until="/remember")
        await self.say("/usage", until="oken")
        self._process.kill()
        return self._power.leave(self._data, self._data.with_name("left"))


@asynccontextmanager
async def talking(tmp_path: Path) -> AsyncIterator[Talk]:
    power, data = PowerCut(tmp_path / "power"), tmp_path / "data"
    arguments = ("chat", "--user", "1001", "--data", str(data))
    process = await start(*arguments, cwd=tmp_path, **power.variables)
    try:
        yield Talk(process, data, power)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_what_was_remembered_survives_a_power_cut(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("/remember I have a dog called Rex", until="Rex")
        left = await talk.cut()
    assert "Rex" in (await chat(left, "/memory")).out


async def test_a_conversation_that_was_saved_survives_a_power_cut(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("I'm allergic to nuts.", until="Kept")
        await talk.say("The blue key opens the shed.", until="Kept")
        await talk.say("/new", until="Edit")
        left = await talk.cut()
    assert "nuts" in (await chat(left, "/memory")).out
    assert "shed" in (await chat(left, "What does the blue key open?")).out


async def test_a_conversation_that_taught_nothing_survives_a_power_cut(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("The blue key opens the shed.", until="Kept")
        await talk.say("/new", until="new conversation")
        left = await talk.cut()
    assert "shed" in (await chat(left, "What does the blue key open?")).out


async def test_an_open_conversation_survives_a_power_cut(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("The blue key opens the shed.", until="Kept")
        left = await talk.cut()
    # The journal has it; the archive gets it again with the next message.
    assert "shed" in (await chat(left, "Good morning!", "What does the blue key open?")).out


async def test_what_was_chosen_survives_a_power_cut(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("/language de", until="Deutsch")
        left = await talk.cut()
    assert "Sprache" in (await chat(left, "/language")).out


async def test_what_was_forgotten_stays_forgotten_after_a_power_cut(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("/remember I have a dog called Rex", until="Rex")
        await talk.say("/remember I have a cat called Tom", until="Tom")
        await talk.say("/forget f1", until="Back")
        left = await talk.cut()
    listed = (await chat(left, "/memory")).out
    assert "Tom" in listed
    assert "Rex" not in listed


async def test_after_forget_all_a_power_cut_brings_nothing_back(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("/remember I have a dog called Rex", until="Rex")
        await talk.say("/forget all", until="No, keep it")
        await talk.say("yes", until="is deleted")
        left = await talk.cut()
    assert not list(left.glob("memory/u1001*"))
    assert b"Rex" not in b"".join(part.read_bytes() for part in left.rglob("*") if part.is_file())
