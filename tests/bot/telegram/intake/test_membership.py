"""Coming to a group and leaving it, who may see its memory."""

from pathlib import Path

from bot.people.access import Access, AccessMode
from bot.texts import ENGLISH
from memory.records import Actor
from tests.bot.telegram.stage import ask, stage
from tests.fakes.botapi import BotApiServer

ANNA, BORIS = 1001, 1002


async def test_in_a_group_the_bot_says_how_to_reach_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path):
        await server.user(ANNA).adds_bot(group)
        (hello,) = await server.replies_to(group.id, 1)
        assert "/ask" in hello
        assert "privacy" not in hello
    assert group.has_bot


async def test_where_messages_are_hidden_the_bot_says_so(tmp_path: Path) -> None:
    async with BotApiServer(privacy=True) as server, stage(server, tmp_path):
        group = server.group(-1000500)
        await server.user(ANNA).adds_bot(group)
        (hello,) = await server.replies_to(group.id, 1)
        assert "privacy mode" in hello


async def test_a_group_of_strangers_is_left_with_thanks(
    server: BotApiServer, tmp_path: Path
) -> None:
    access = Access(AccessMode.ALLOWLIST, allowed=[ANNA])
    group = server.group(-1000500)
    async with stage(server, tmp_path, access=access) as on:
        await server.user(BORIS).adds_bot(group)
        (thanks,) = await server.replies_to(group.id, 1)
        assert "I'm leaving" in thanks
        await server.wait_for(lambda: server.calls_of("leaveChat"))
        await on.channel.settle()
    assert not group.has_bot


async def test_ask_reaches_the_bot_anywhere(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        await server.user(ANNA, "Ann").says("/ask what is new?", group=group)
        await server.replies_to(group.id, 1)
        assert "what else" in await ask(server, "/ask what else?")
        assert await ask(server, "/ask") == ENGLISH.ask_how
        assert [inbound.text for inbound in on.echo.heard] == ["what is new?", "what else?"]
        assert on.echo.heard[0].origin.actor == Actor.group(-1000500)


async def test_only_admins_see_and_change_what_a_group_is_remembered_by(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.make_admin(ANNA)
    crowd = Actor.group(-1000500)
    async with stage(server, tmp_path) as on:
        fact = (await on.memory.known.remember(crowd, "We meet on Fridays")).record
        commands = (
            "/memory",
            "/search Fridays",
            f"/forget {fact.short_id}",
            "/forget all",
            "/export",
            "/edit f1 x",
        )
        for number, command in enumerate(commands, 1):
            await server.user(BORIS).says(command, group=group)
            replies = await server.replies_to(group.id, number)
            assert replies[-1].startswith("Only admins of this group")
        assert await on.memory.known.records(crowd) == [fact]
        await server.user(ANNA).says("/memory", group=group)
        replies = await server.replies_to(group.id, len(commands) + 1)
        assert "Fridays" in replies[-1]
        # Whoever is no admin does not get there by the admin's buttons either.
        shown = server.sent(group.id)[-1]
        query = await server.user(BORIS).presses(shown, "Facts (1)")
        await server.wait_for(lambda: query in server.world.answered_queries)
        await on.channel.settle()
        assert server.sent(group.id)[-1]["text"] == shown["text"]


async def test_for_whoever_blocks_the_bot_nothing_more_is_written(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("a long story, please")
        await server.user(ANNA).says("a long story, please")
        await server.wait_for(lambda: on.echo.running)
        await server.user(ANNA).says("and another one")
        await server.user(ANNA).blocks_and_tells()
        assert "Hello" in await ask(server, "Hello", BORIS)
        await on.channel.settle()
        assert on.echo.cancelled == ["a long story, please"]
        assert [inbound.text for inbound in on.echo.heard] == ["a long story, please", "Hello"]
        release.set()


async def test_a_click_that_nobody_was_asked_for_deletes_no_group_s_memory(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    crowd = Actor.group(-1000500)
    async with stage(server, tmp_path) as on:
        fact = (await on.memory.known.remember(crowd, "We meet on Fridays")).record
        await server.user(BORIS).says("/ask hello", group=group)
        await server.replies_to(group.id, 1)
        await on.channel.settle()
        message = server.sent(group.id)[-1]
        query = await server.user(BORIS).clicks(message, f"forget_all:{BORIS}:yes")
        await server.wait_for(lambda: query in server.world.answered_queries)
        await on.channel.settle()
        assert await on.memory.known.records(crowd) == [fact]
        assert server.world.answered_queries[query]["text"] == ENGLISH.admins_only
        assert server.sent(group.id)[-1]["text"] == message["text"], "nor does it change a message"


async def test_who_is_restricted_in_a_group_is_there_or_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        person = server.user(ANNA)
        await person.adds_bot(group)
        await server.replies_to(group.id, 1)
        on.echo.hold("a long story")
        await person.says("/ask a long story", group=group)
        await server.wait_for(lambda: on.echo.running)
        await person.restricts_bot(group)
        await server.wait_for(lambda: not server.world.waiting)
        assert on.echo.running, "it has not gone"
        await person.restricts_bot(group, thrown_out=True)
        await server.wait_for(lambda: on.echo.cancelled)


async def test_a_group_that_throws_the_bot_out_is_answered_in_no_topic_any_more(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.add_topic(7)
    async with stage(server, tmp_path) as on:
        on.echo.hold("a long story, please")
        await server.user(ANNA).says("/ask a long story, please", group=group, topic=7)
        await server.wait_for(lambda: on.echo.running)
        await server.user(ANNA).says("/ask another one", group=group, topic=7)
        await server.user(ANNA).removes_bot(group)
        assert "Hello" in await ask(server, "Hello", BORIS)
        await on.channel.settle()
        assert on.echo.cancelled == ["a long story, please"]
        assert [inbound.text for inbound in on.echo.heard] == ["a long story, please", "Hello"]


async def test_who_blocked_the_bot_while_it_was_away_costs_no_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path):
        await ask(server, "Hello", ANNA)
    await server.user(ANNA).says("tell me everything")
    await server.user(ANNA).blocks_and_tells()
    async with stage(server, tmp_path) as on:
        assert "Hello" in await ask(server, "Hello", BORIS)
        await on.channel.settle()
        assert [inbound.text for inbound in on.echo.heard] == ["Hello"]
