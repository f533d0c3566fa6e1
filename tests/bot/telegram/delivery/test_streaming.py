"""A reply is seen while it is written, at a pace that Telegram allows, and stands there once."""

from itertools import pairwise
from pathlib import Path

import pytest

from bot.people.personal import Streaming
from memory.records import Actor
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import CURSOR, SPEED, options, showings, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import HeldClock
from tests.fakes.conversing import Writer

# -- a message that grows -------------------------------------------------------------------------


async def test_a_reply_grows_in_one_message_and_ends_formatted(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("tell me")
        writer.writes("This is **bo")
        await shows(server, f"This is **bo{CURSOR}")
        writer.writes("ld** and `co")
        await shows(server, f"This is bold and `co{CURSOR}")
        writer.finishes("This is **bold** and `code`.")
        await shows(server, "This is bold and code.")
        await on.channel.settle()
        assert len(server.sent(1001)) == 1
        *grown, final = showings(server)
        assert not any("entities" in call.parameters for call in grown), "plain while it grows"
        assert "entities" in final.parameters
        assert len(server.calls_of("sendMessage", 1001)) == 1


async def test_a_reply_that_is_done_at_once_is_one_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, unseen = Writer(), options(clock=HeldClock())
    async with stage(server, tmp_path, conversation=writer, options=unseen) as on:
        await server.user(1001).says("hi")
        writer.writes("Hello")
        writer.finishes("Hello!")
        await shows(server, "Hello!")
        await on.channel.settle()
        assert [call.method for call in showings(server)] == ["sendMessage"]


@pytest.mark.parametrize(("chat_id", "seconds"), [(1001, 1.0), (-1000500, 3.0)])
async def test_edits_keep_their_distance(
    server: BotApiServer, tmp_path: Path, chat_id: int, seconds: float
) -> None:
    writer, how = Writer(), options()
    server.now = how.clock.now
    async with stage(server, tmp_path, conversation=writer, options=how) as on:
        group = server.group(chat_id) if chat_id < 0 else None
        asked = await server.user(1001).says("@mordecai_test_bot tell me", group=group)
        said = ""
        for word in ("one", "two", "three"):
            said += f"{word} "
            writer.writes(f"{word} ")
            await shows(server, said.strip() + CURSOR, chat_id)
        writer.finishes(said)
        await shows(server, said.strip(), chat_id)
        await on.channel.settle()
        shown = showings(server, chat_id)
        assert min(later.at - call.at for call, later in pairwise(shown)) >= seconds
        [message] = server.sent(chat_id)
        answered = message.get("reply_to_message", {}).get("message_id")
        assert answered == (asked["message_id"] if group else None)


async def test_what_was_written_before_a_tool_call_is_replaced(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("what do you know?")
        writer.writes("Let me look.")
        await shows(server, f"Let me look.{CURSOR}")
        writer.calls_a_tool()
        writer.writes("You like")
        await shows(server, f"You like{CURSOR}")
        writer.finishes("You like tea.")
        await shows(server, "You like tea.")
        await on.channel.settle()
        assert len(server.sent(1001)) == 1


async def test_a_preview_of_a_reply_that_fails_becomes_the_sentence(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Well, I thi")
        await shows(server, f"Well, I thi{CURSOR}")
        writer.fails("The model is busy. Please try again in a minute.")
        await shows(server, "The model is busy. Please try again in a minute.")
        await on.channel.settle()
        assert len(server.sent(1001)) == 1


async def test_stop_keeps_what_was_written(server: BotApiServer, tmp_path: Path) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("a story")
        writer.writes("Once **upon** a time")
        await shows(server, f"Once upon a time{CURSOR}")
        await server.user(1001).says("/stop")
        await server.wait_for(lambda: texts(server) == ["Once upon a time", "Stopped."])
        await on.channel.settle()
        assert server.sent(1001)[0]["entities"][0]["type"] == "bold"
        [turn] = (await on.memory.talk.tiers(Actor.person(1001))).active
        assert [m.text for m in turn.messages] == ["a story", "Once **upon** a time"]
        assert not turn.kept, "it can be gone on from, and is no source of facts"


@pytest.mark.parametrize("streaming", [Streaming.EDIT, Streaming.OFF])
async def test_stop_keeps_also_what_was_not_shown_yet(
    server: BotApiServer, tmp_path: Path, streaming: Streaming
) -> None:
    writer, held = Writer(), HeldClock(SPEED)
    unseen = options(streaming, clock=held)
    async with stage(server, tmp_path, conversation=writer, options=unseen) as on:
        await server.user(1001).says("a story")
        writer.writes("Once upon a time")
        await server.wait_for(lambda: writer.taken == 1)
        await server.user(1001).says("/stop")
        await server.wait_for(lambda: texts(server) == ["Once upon a time", "Stopped."])
        held.released.set()
        await on.channel.settle()


async def test_a_long_reply_grows_to_one_message_and_the_rest_follows(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, answer = Writer(), "\n\n".join("word " * 300 for _ in range(8)).strip()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("all of it")
        writer.writes(answer)
        await server.wait_for(lambda: texts(server)[-1:] and texts(server)[0].endswith(CURSOR))
        writer.finishes(answer)
        await server.replies_to(1001, 2)
        await on.channel.settle()
        assert " ".join(texts(server)).split() == answer.split()


# -- other ways -----------------------------------------------------------------------------------


async def test_a_draft_shows_the_reply_and_a_message_follows(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    drafts = options(Streaming.DRAFT)
    async with stage(server, tmp_path, conversation=writer, options=drafts) as on:
        await server.user(1001).says("tell me")
        chat = server.world.chats[1001]
        writer.writes("This is **bo")
        await server.wait_for(lambda: list(chat.drafts.values()) == [f"This is **bo{CURSOR}"])
        # Half a minute without news: the draft is renewed, or it would vanish.
        await server.wait_for(lambda: len(server.calls_of("sendMessageDraft", 1001)) >= 2)
        writer.finishes("This is **bold**.")
        await shows(server, "This is bold.")
        await on.channel.settle()
        assert chat.drafts == {}
        assert [call.method for call in showings(server)] == ["sendMessage"]


async def test_a_draft_that_was_stopped_stays_as_a_message(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    drafts = options(Streaming.DRAFT)
    async with stage(server, tmp_path, conversation=writer, options=drafts):
        await server.user(1001).says("tell me")
        writer.writes("This is")
        await server.wait_for(lambda: server.world.chats[1001].drafts)
        await server.user(1001).says("/stop")
        await server.wait_for(lambda: sorted(texts(server)) == ["Stopped.", "This is"])


async def test_groups_have_no_drafts_but_edits(server: BotApiServer, tmp_path: Path) -> None:
    writer, group = Writer(), server.group(-1000500)
    drafts = options(Streaming.DRAFT)
    async with stage(server, tmp_path, conversation=writer, options=drafts) as on:
        await server.user(1001).says("@mordecai_test_bot tell me", group=group)
        writer.writes("This is")
        await shows(server, f"This is{CURSOR}", group.id)
        writer.finishes("This is it.")
        await shows(server, "This is it.", group.id)
        await on.channel.settle()
        assert server.calls_of("sendMessageDraft") == []


async def test_a_server_that_knows_no_drafts_has_edits_from_then_on(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    drafts = options(Streaming.DRAFT)
    async with stage(server, tmp_path, conversation=writer, options=drafts) as on:
        how = {"status": 404, "description": "Not Found: method not found"}
        server.fail("sendMessageDraft", times=100, **how)
        await server.user(1001).says("tell me")
        writer.writes("This is")
        await server.wait_for(lambda: server.calls_of("sendMessageDraft", 1001))
        writer.writes(" it")
        writer.finishes("This is it.")
        await shows(server, "This is it.")
        await server.user(1001).says("more")
        writer.writes("There is")
        await shows(server, f"There is{CURSOR}")
        writer.finishes("There is no more.")
        await shows(server, "There is no more.")
        await on.channel.settle()
        assert len(server.calls_of("sendMessageDraft", 1001)) == 1


async def test_without_streaming_nothing_is_seen_before_the_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    off = options(Streaming.OFF, typing_seconds=4.0)
    async with stage(server, tmp_path, conversation=writer, options=off) as on:
        await server.user(1001).says("tell me")
        writer.writes("This is")
        await server.wait_for(lambda: len(server.calls_of("sendChatAction", 1001)) >= 3)
        assert showings(server) == []
        writer.finishes("This is it.")
        await shows(server, "This is it.")
        await on.channel.settle()
        assert len(showings(server)) == 1


@pytest.mark.parametrize("topic", [7, 1])
async def test_preview_and_typing_are_in_the_topic_that_was_asked_in(
    server: BotApiServer, tmp_path: Path, topic: int
) -> None:
    """The general topic has the number 1: typing names it, a message must not."""
    writer, group = Writer(), server.group(-1000500)
    group.add_topic(7)
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("@mordecai_test_bot hi", group=group, topic=topic)
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}", group.id)
        writer.finishes("Hello")
        await shows(server, "Hello", group.id)
        await on.channel.settle()
        [typing, *_] = server.calls_of("sendChatAction", group.id)
        assert int(typing.parameters["message_thread_id"]) == topic
        assert server.sent(group.id)[0].get("message_thread_id") == (7 if topic == 7 else None)
