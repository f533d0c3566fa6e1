"""Whoever waits for a long deletion hears how far it is."""

import asyncio
from types import SimpleNamespace
from typing import cast

from bot.assistant.context import Context
from bot.assistant.inbound import Origin
from bot.commands.pages.progress import tell_if_slow, tell_progress
from memory.records import Place
from tests.bot.commands.desk import ANN, ANNA, ENGLISH, DeskChannel, open_desk

PLACE = Place("telegram", ANNA)
ORIGIN = Origin(PLACE, ANN, ANNA)


def told(channel: DeskChannel) -> list[str]:
    return [sent.text for sent in channel.chats.get(PLACE, [])]


async def delete(total: int, done: int, first: float) -> list[str]:
    channel = DeskChannel()
    context = cast(Context, SimpleNamespace(texts=ENGLISH, channel=channel))
    async with tell_progress(ORIGIN, total, context, first) as progress:
        progress.done = done
        await asyncio.sleep(0.05)
    return told(channel)


async def test_a_deletion_that_takes_long_tells_how_far_it_is():
    assert await delete(20, 7, first=0.01) == [ENGLISH.forget_progress.format(done=7, total=20)]


async def test_a_quick_deletion_tells_nothing():
    assert await delete(20, 7, first=60) == []


async def test_one_memory_has_no_progress():
    assert await delete(1, 0, first=0.01) == []


async def test_several_memories_are_forgotten_without_a_word_before_the_report():
    async with open_desk() as desk:
        await desk.remember("I grow mint", "I grow sage")
        [report] = await desk.says("/forget f1 f2")
        assert "mint" in report.text
        assert "sage" in report.text


async def test_anything_that_takes_long_is_announced_once():
    channel = DeskChannel()
    context = cast(Context, SimpleNamespace(texts=ENGLISH, channel=channel))
    async with tell_if_slow(ORIGIN, ENGLISH.export_takes_long, context, first=0.01):
        await asyncio.sleep(0.05)
    assert told(channel) == [ENGLISH.export_takes_long]
    async with tell_if_slow(ORIGIN, ENGLISH.export_takes_long, context, first=60):
        pass
    assert len(told(channel)) == 1, "not of what is quick"
