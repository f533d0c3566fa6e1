"""A reply that grows has a button that stops it."""

from pathlib import Path

from bot.texts import ENGLISH
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import CURSOR, options, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Writer


async def test_the_button_stops_the_reply_and_what_was_written_stays(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("a story")
        writer.writes("Once **upon**")
        await shows(server, f"Once upon{CURSOR}")
        [growing] = server.sent(1001)
        query = await server.user(1001).presses(growing, ENGLISH.stop_button)
        await on.channel.settle()
        assert server.world.answered_queries[query]["text"] == ENGLISH.stopped
        assert texts(server) == ["Once upon"]
        again = await server.user(1001).clicks(growing, "stop")
        await server.wait_for(lambda: again in server.world.answered_queries)
        assert server.world.answered_queries[again]["text"] == ENGLISH.nothing_to_stop


async def test_a_whole_reply_has_no_such_button(server: BotApiServer, tmp_path: Path) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("a long story")
        writer.writes("word " * 1000)
        await server.replies_to(1001, 2)
        buttons = ["reply_markup" in message for message in server.sent(1001)]
        assert buttons == [False, True], "under the last message alone"
        writer.finishes("word " * 1000)
        await on.channel.settle()
        assert not any("reply_markup" in message for message in server.sent(1001))


async def test_in_a_group_it_is_for_whoever_asked(server: BotApiServer, tmp_path: Path) -> None:
    writer, group = Writer(), server.group(-1000500)
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("@mordecai_test_bot a story", group=group)
        writer.writes("Once upon")
        await shows(server, f"Once upon{CURSOR}", group.id)
        [growing] = server.sent(group.id)
        query = await server.user(1002).presses(growing, ENGLISH.stop_button)
        await server.wait_for(lambda: query in server.world.answered_queries)
        assert server.world.answered_queries[query]["text"] == ENGLISH.stop_not_yours
        writer.finishes("Once upon a time.")
        await shows(server, "Once upon a time.", group.id)
        await on.channel.settle()
