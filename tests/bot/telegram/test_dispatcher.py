"""A bot that receives updates and does not handle them says so, and ends to be started again."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from telegram import Update

from bot.telegram.arrivals import Arrivals
from bot.telegram.delivery.holds import Holds
from bot.telegram.dispatcher import Dispatcher
from bot.telegram.intake.receiving import Stalled
from bot.telegram.lanes import Lanes
from bot.telegram.options import ChannelOptions
from tests.bot.telegram.stage import Stage, stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tests.fakes.files import inbox_in

OPTIONS = ChannelOptions(stop_seconds=0.2, poll_seconds=5)


def is_well(on: Stage) -> bool:
    return on.channel.handling


async def stalled(on: Stage) -> None:
    with pytest.raises(Stalled):
        await asyncio.wait_for(on.running, 15)


async def test_the_end_of_the_task_that_takes_updates_is_noticed(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hasty = replace(OPTIONS, stalled_seconds=2)
    async with stage(server, tmp_path, options=hasty) as on:
        await server.user(1001).says("one")
        await server.replies_to(1001, 1)
        assert is_well(on)
        [task] = [task for task in asyncio.all_tasks() if task.get_name() == "arrivals"]
        task.cancel()
        await asyncio.wait((task,))
        assert not is_well(on)
        await stalled(on)
    assert capsys.readouterr().out.count("handling_stalled") == 1
    await server.user(1001).says("two")
    async with stage(server, tmp_path):
        assert (await server.replies_to(1001, 2))[-1] == "you said: two"


async def test_a_lane_that_is_stuck_is_noticed_and_its_message_answered_by_the_next_start(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("one")
    hasty = replace(OPTIONS, stuck_seconds=0.3, stalled_seconds=2)
    async with stage(server, tmp_path, options=hasty, conversation=echo) as on:
        await server.user(1001).says("one")
        await stalled(on)
        assert not is_well(on)
    async with stage(server, tmp_path):
        assert await server.replies_to(1001, 1) == ["you said: one"]


class Hanging(Arrivals):
    """Never comes to the end of an update."""

    def __init__(self) -> None:
        pass

    async def take(self, update: Update) -> None:
        await asyncio.Event().wait()


async def test_updates_that_nobody_takes_are_noticed(server: BotApiServer, tmp_path: Path) -> None:
    options = replace(OPTIONS, stalled_seconds=0.2)
    async with stage(server, tmp_path) as on:
        people = on.assistant.people
        with ThreadPoolExecutor(1) as pool:
            async with inbox_in(tmp_path / "other.sqlite", pool, "telegram", "1:x") as inbox:
                silent = 0.0
                dispatcher = Dispatcher(
                    inbox, Holds(options.clock), options, lambda: silent, Lanes()
                )
                dispatcher.start(Hanging(), people)
                await inbox.store([{"update_id": 1}])
                await dispatcher.updates.put(Update(1))
                with pytest.raises(Stalled):
                    await asyncio.wait_for(dispatcher.keep_watch(), 15)
                assert not dispatcher.handling
                # Nor does the end wait for it.
                await dispatcher.settle()
                await dispatcher.aclose()
                inbox.claim(1)
                await inbox.done([1])
                assert inbox.unclaimed_seconds == 0
