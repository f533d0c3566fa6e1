"""On a machine whose clock is wrong, by hours or years, messages are answered as usual."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.telegram.options import ChannelOptions
from memory.background.wall import WallClock
from tests.bot.telegram.intake.test_webhook import called
from tests.bot.telegram.intake.test_webhook import options as webhook_options
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer

LEAPS = [timedelta(hours=2), timedelta(days=3), timedelta(days=400), timedelta(days=-3)]


class Deaf(WallClock):
    """Hears no server's time, as behind a server that names none."""

    def hear(self, date: datetime) -> None:
        """Ignore it."""


def leapt(leap: timedelta, kind: type[WallClock] = WallClock) -> ChannelOptions:
    wall = kind(lambda: datetime.now(UTC) + leap)
    return ChannelOptions(stop_seconds=5, poll_seconds=5, wall=wall)


@pytest.mark.parametrize("leap", LEAPS)
async def test_what_is_late_is_told_by_telegrams_time(
    server: BotApiServer, tmp_path: Path, leap: timedelta
) -> None:
    await server.user(1001).says("old", date=int(time.time()) - 3 * 3600)
    await server.user(1002).says("recent", date=int(time.time()) - 60)
    async with stage(server, tmp_path, options=leapt(leap)):
        [apology] = await server.replies_to(1001, 1)
        assert apology.startswith("Sorry, I was away for a while")
        assert await server.replies_to(1002, 1) == ["you said: recent"]
        await server.user(1003).says("live")
        assert await server.replies_to(1003, 1) == ["you said: live"]


@pytest.mark.parametrize("leap", LEAPS)
async def test_without_telegrams_time_what_comes_in_live_is_never_late(
    server: BotApiServer, tmp_path: Path, leap: timedelta
) -> None:
    async with stage(server, tmp_path, options=leapt(leap, Deaf)) as on:
        await server.wait_for(lambda: on.channel.listening)
        for number in range(1, 4):
            await server.user(1001).says(f"live {number}")
            assert len(await server.replies_to(1001, number)) == number
        assert [inbound.text for inbound in on.echo.heard] == ["live 1", "live 2", "live 3"]


async def test_a_backlog_of_any_length_is_fetched_before_anything_counts_as_live(
    server: BotApiServer, tmp_path: Path
) -> None:
    for number in range(250):
        await server.user(1001).says(f"{number}", date=int(time.time()) - 3 * 3600)
    async with stage(server, tmp_path) as on:
        [apology] = await server.replies_to(1001, 1)
        await on.channel.settle()
        assert apology.startswith("Sorry, I was away for a while")
        assert on.echo.heard == []


@pytest.mark.parametrize("leap", LEAPS)
async def test_the_same_holds_behind_a_webhook(
    server: BotApiServer, tmp_path: Path, leap: timedelta
) -> None:
    given = replace(webhook_options(), wall=leapt(leap).wall)
    async with called(server, tmp_path, given):
        await server.user(1001).says("live")
        assert await server.replies_to(1001, 1) == ["you said: live"]
