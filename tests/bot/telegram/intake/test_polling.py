"""Polling beside another copy, and polling that has stalled, over real HTTP."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from bot.clock import Clock
from bot.people.people import QuotaLimits
from bot.telegram.intake.receiving import Stalled
from bot.telegram.options import ChannelOptions
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import FastClock
from tests.fakes.conversing import Echo

#: Long enough for an answer on a busy machine, and short enough to wait for.
QUICK = ChannelOptions(stop_seconds=5, poll_seconds=0.5, stalled_seconds=2.0)


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message["text"] for message in server.sent(chat_id)]


async def test_a_second_copy_is_hinted_at_once_and_survived(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = ChannelOptions(stop_seconds=5, poll_seconds=5, clock=FastClock())
    async with stage(server, tmp_path, options=fast), httpx.AsyncClient() as other:
        await server.wait_for(lambda: server.calls_of("getUpdates"))
        for _ in range(2):
            polls = len(server.calls_of("getUpdates"))
            await other.get(f"{server.base_url}{server.token}/getUpdates?timeout=0")
            await _polls(server, polls + 2)
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        assert capsys.readouterr().out.count("another_copy_is_running") == 1


class NotingClock(Clock):
    """Does not wait, and notes how long it should have."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)


async def test_beside_another_copy_it_tries_on_slowly_and_more_and_more_so(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("getUpdates", status=409, description="Conflict: somebody else polls", times=7)
    clock = NotingClock()
    options = ChannelOptions(stop_seconds=5, poll_seconds=5, clock=clock)
    async with stage(server, tmp_path, options=options):
        await _polls(server, 8)
        # Others, too, look after something every five seconds.
        assert min(clock.pauses) == 5
        longer = [pause for pause in clock.pauses if pause > 5]
        assert longer == sorted(longer)
        assert (len(longer), longer[-1]) == (6, 30)
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]


async def test_beside_another_copy_the_bot_is_not_well_and_waits(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gets answers, and no updates: whoever asks for its health is to know."""
    options = replace(QUICK, poll_seconds=5, clock=FastClock())
    async with stage(server, tmp_path, options=options) as on:
        await _polls(server, 1)
        rival = server.fail("getUpdates", status=409, description="Conflict", times=10_000)
        await server.wait_for(
            lambda: on.channel.silent_seconds > QUICK.stalled_seconds, what="silence"
        )
        assert not on.running.done()
        rival.times = 0
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        await server.wait_for(lambda: on.channel.silent_seconds < QUICK.stalled_seconds)
    assert "polling_stalled" not in capsys.readouterr().out


async def test_what_waits_at_telegram_when_the_bot_starts_is_answered_together(
    server: BotApiServer, tmp_path: Path
) -> None:
    for text in ("one", "two"):
        await server.user(1001).says(text)
    await server.user(1002).says("me too")
    await server.user(1001).says("three")
    # With a limit, what somebody has used is looked up for each message: that takes a moment.
    limits = QuotaLimits(tokens_per_day=1_000_000)
    async with stage(server, tmp_path, options=QUICK, quotas=limits) as on:
        assert await server.replies_to(1001, 1) == ["you said: one\ntwo\nthree"]
        assert await server.replies_to(1002, 1) == ["you said: me too"]
        await on.channel.settle()
        assert len(on.echo.heard) == 2


async def test_where_what_waits_can_not_be_fetched_at_once_it_is_answered_all_the_same(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("getUpdates", status=502, description="Bad Gateway")
    await server.user(1001).says("one")
    async with stage(server, tmp_path):
        assert await server.replies_to(1001, 1) == ["you said: one"]


# -- polling that has stalled ---------------------------------------------------------------------


async def test_polling_that_gets_no_answer_any_more_begins_anew(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with stage(server, tmp_path, options=QUICK) as on:
        await server.wait_for(lambda: server.calls_of("getUpdates"))
        hung = server.fail("getUpdates", delay=3600)
        await server.wait_for(lambda: not hung.times)
        await server.user(1001).says("are you there?")
        assert await server.replies_to(1001, 1) == ["you said: are you there?"]
        assert on.channel.silent_seconds < 2
    logged = capsys.readouterr().out
    assert logged.count("polling_stalled") == 1
    assert "polling_abandoned" not in logged


async def _logged(capsys: pytest.CaptureFixture[str], event: str, times: int = 1) -> None:
    """Return once this was logged so often."""
    out = ""
    async with asyncio.timeout(60):
        while out.count(event) < times:
            await asyncio.sleep(0.02)
            out += capsys.readouterr().out


async def test_polling_that_stays_silent_ends_the_process_and_loses_nothing(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    echo = Echo()
    release = echo.hold("one")
    options = replace(QUICK, stalled_seconds=1.0)
    async with stage(server, tmp_path, conversation=echo, options=options) as on:
        await server.user(1001).says("one")
        await server.wait_for(lambda: echo.heard)
        hung = server.fail("getUpdates", delay=3600, times=1000)
        await server.wait_for(lambda: hung.times < 1000)
        await server.user(1001).says("two")
        await _logged(capsys, "polling_abandoned")
        release.set()
        with pytest.raises(Stalled):
            await on.running
        assert texts(server, 1001) == ["you said: one"], "what was under way is finished"
    server.faults.clear()
    async with stage(server, tmp_path):
        assert (await server.replies_to(1001, 2))[1] == "you said: two"


async def test_a_telegram_that_is_out_of_reach_is_waited_for_without_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = replace(QUICK, poll_seconds=0.1, stalled_seconds=0.1, clock=FastClock())
    async with AsyncExitStack() as stack:
        async with BotApiServer() as before:
            on = await stack.enter_async_context(stage(before, tmp_path, options=options))
            await _polls(before, 1)
        port = int(before.root.rpartition(":")[2])
        await _logged(capsys, "polling_stalled", 5)
        assert not on.running.done()
        async with BotApiServer(port=port) as after:
            await after.user(1001).says("back again?")
            assert await after.replies_to(1001, 1) == ["you said: back again?"]
            await on.end()


async def test_stopping_does_not_wait_for_the_end_of_a_flood_limit(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("getUpdates", retry_after=13938)
    async with stage(server, tmp_path) as on:
        await server.wait_for(lambda: server.calls_of("getUpdates"))
        async with asyncio.timeout(10):
            await on.end()


async def _polls(server: BotApiServer, count: int) -> None:
    await server.wait_for(lambda: len(server.calls_of("getUpdates")) >= count)
