"""What is said arrives once and in order, whatever Telegram and the network do."""

from contextlib import AsyncExitStack
from pathlib import Path

from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import options
from tests.bot.telegram.watched import Watched
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import HeldClock
from tests.fakes.conversing import Echo


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message.get("text", "") for message in server.sent(chat_id)]


async def test_a_flood_limit_is_waited_out_for_that_chat_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", chat_id=1001, retry_after=20)
    held = HeldClock()
    server.now = held.now
    async with stage(server, tmp_path, options=options(clock=held)):
        await server.user(1001).says("one")
        await server.wait_for(lambda: server.calls_of("sendMessage", 1001))
        await server.user(1001).says("two")
        await server.user(1002).says("me too")
        await server.replies_to(1002, 1)
        assert texts(server, 1001) == [], "the other chat did not wait for this one"
        held.released.set()
        assert await server.replies_to(1001, 2) == ["you said: one", "you said: two"]
        first, second = server.calls_of("sendMessage", 1001)[:2]
        assert second.at - first.at >= 20


async def test_the_rest_of_a_long_answer_waits_behind_a_flood_limit(
    server: BotApiServer, tmp_path: Path
) -> None:
    answer = "\n\n".join("word " * 700 for _ in range(3)).strip()
    async with stage(
        server, tmp_path, conversation=Echo(lambda _: answer), options=options()
    ) as on:
        server.fail("sendMessage", chat_id=1001, retry_after=20, skip=1)
        await server.user(1001).says("tell me")
        await server.replies_to(1001, 3)
        await on.channel.settle()
        assert " ".join(texts(server, 1001)).split() == answer.split()


async def test_a_group_that_became_a_supergroup_is_followed(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-500, kind="group")
    echo = Echo()
    release = echo.hold("hi")
    async with stage(server, tmp_path, conversation=echo):
        await server.user(1001).says("@mordecai_test_bot hi", group=group)
        await server.wait_for(lambda: echo.heard)
        moved = group.migrate(-1000500)
        release.set()
        assert await server.replies_to(moved.id, 1) == ["you said: hi"]


async def test_a_topic_that_is_gone_does_not_lose_the_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.add_topic(7)
    echo = Echo()
    release = echo.hold("hi")
    async with stage(server, tmp_path, conversation=echo):
        await server.user(1001).says("@mordecai_test_bot hi", group=group, topic=7)
        await server.wait_for(lambda: echo.heard)
        group.remove_topic(7)
        release.set()
        assert await server.replies_to(group.id, 1) == ["you said: hi"]


async def test_a_bot_that_was_thrown_out_goes_on_elsewhere(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    echo = Echo()
    release = echo.hold("hi")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(1001).says("@mordecai_test_bot hi", group=group)
        await server.wait_for(lambda: echo.heard)
        group.kick_bot()
        release.set()
        await on.channel.settle()
        await server.user(1001).says("still there?")
        assert await server.replies_to(1001, 1) == ["you said: still there?"]


async def test_what_surely_was_not_sent_is_sent_when_telegram_is_back(tmp_path: Path) -> None:
    echo, server, request = Echo(), BotApiServer(), Watched(connection_pool_size=8)
    release = echo.hold("hi")
    async with AsyncExitStack() as bot:
        async with server:
            on = await bot.enter_async_context(
                stage(server, tmp_path, conversation=echo, request=request)
            )
            await server.user(1001).says("hi")
            await server.wait_for(lambda: server.calls_of("sendChatAction"))
        release.set()
        await request.failed("sendMessage", "ConnectError")
        async with server:
            assert await server.replies_to(1001, 1) == ["you said: hi"]
            await on.channel.settle()
            assert len(server.sent(1001)) == 1
            await on.end()
