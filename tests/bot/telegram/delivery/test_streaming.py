"""A reply is seen while it is written, at a pace that Telegram allows, and stands there once."""

from itertools import pairwise
from pathlib import Path

import pytest

from bot.people.personal import Streaming
from bot.texts import ENGLISH
from memory.records import Actor
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import CURSOR, SPEED, options, showings, shows, texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import FastClock, HeldClock
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
        formatted = ["bold" in str(call.parameters.get("entities")) for call in showings(server)]
        assert formatted == [False, True, True]
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
async def test_previews_keep_their_distance_and_the_whole_reply_comes_at_once(
    server: BotApiServer, tmp_path: Path, chat_id: int, seconds: float
) -> None:
    writer, how = Writer(), options(clock=FastClock(5.0))
    server.now = how.clock.now
    async with stage(server, tmp_path, conversation=writer, options=how) as on:
        group = server.group(chat_id) if chat_id < 0 else None
        asked = await server.user(1001).says("@mordecai_test_bot tell me", group=group)
        said = ""
        for word in ("one", "two", "three"):
            said += f"{word} "
            writer.writes(f"{word} ")
            await shows(server, said.strip() + CURSOR, chat_id)
        done = how.clock.now()
        writer.finishes(said)
        await shows(server, said.strip(), chat_id)
        await on.channel.settle()
        *grown, final = showings(server, chat_id)
        assert min(later.at - call.at for call, later in pairwise(grown)) >= seconds - 1e-6
        assert final.at - done < seconds / 3
        [message] = server.sent(chat_id)
        answered = message.get("reply_to_message", {}).get("message_id")
        assert answered == (asked["message_id"] if group else None)


async def test_the_next_reply_pays_for_the_one_that_did_not_wait(
    server: BotApiServer, tmp_path: Path
) -> None:
    """A group may be sent twenty messages a minute."""
    writer, how, group = Writer(), options(clock=FastClock(5.0)), server.group(-1000500)
    server.now = how.clock.now
    async with stage(server, tmp_path, conversation=writer, options=how) as on:
        for name in ("one", "two"):
            await server.user(1001).says("@mordecai_test_bot tell me", group=group)
            writer.writes(f"Reply {name}. ")
            await shows(server, f"Reply {name}.{CURSOR}", group.id)
            writer.finishes(f"Reply {name}. Done.")
            await shows(server, f"Reply {name}. Done.", group.id)
        await on.channel.settle()
        first, whole, second, end = (call.at for call in showings(server, group.id))
        assert second - first >= 6.0
        assert whole - first < 2.0
        assert end - second < 2.0


@pytest.mark.parametrize(
    ("begins", "least", "most"),
    [("I", 0.5, 1.0), ("Yes. And", 0.2, 0.5), ("说得对。还", 0.2, 0.5), ("a " * 25, 0.2, 0.5)],
)
async def test_first_words_come_as_soon_as_they_can_be_read(
    server: BotApiServer, tmp_path: Path, begins: str, least: float, most: float
) -> None:
    writer, how = Writer(), options(clock=FastClock(1.0))
    server.now = how.clock.now
    async with stage(server, tmp_path, conversation=writer, options=how) as on:
        await server.user(1001).says("tell me")
        await server.wait_for(lambda: writer.heard)
        began = how.clock.now()
        writer.writes(begins)
        await shows(server, begins.strip() + CURSOR)
        assert least <= showings(server)[0].at - began <= most
        writer.finishes(begins)
        await on.channel.settle()


async def test_what_was_written_before_a_tool_call_stays_and_the_search_is_seen(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("what do you know?")
        writer.writes("Let me look.")
        await shows(server, f"Let me look.{CURSOR}")
        writer.calls_a_tool()
        await shows(server, f"Let me look.\n\n🔎 Searching my memory …{CURSOR}")
        writer.writes("You like")
        await shows(server, f"Let me look.\n\nYou like{CURSOR}")
        writer.finishes("Let me look.\n\nYou like tea.")
        await shows(server, "Let me look.\n\nYou like tea.")
        await on.channel.settle()
        assert len(server.sent(1001)) == 1


async def test_a_search_before_the_first_word_is_seen_in_the_person_s_language(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        server.user(1001).profile["language_code"] = "de"
        await server.user(1001).says("Was weißt du?")
        writer.calls_a_tool()
        await shows(server, f"🔎 Ich sehe in meinem Gedächtnis nach …{CURSOR}")
        writer.writes("Du magst Tee.")
        await shows(server, f"Du magst Tee.{CURSOR}")
        writer.finishes("Du magst Tee.")
        await on.channel.settle()


async def test_what_is_shown_of_a_reply_that_fails_stays(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("hi")
        writer.writes("Well, I thi")
        await shows(server, f"Well, I thi{CURSOR}")
        writer.fails("The model is busy. Please try again in a minute.")
        await shows(server, f"Well, I thi\n\n{ENGLISH.interrupted['other']}")
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


@pytest.mark.parametrize(("paragraphs", "messages"), [(8, 3), (20, 5)])
async def test_a_long_reply_goes_on_in_further_messages_and_never_shrinks(
    server: BotApiServer, tmp_path: Path, paragraphs: int, messages: int
) -> None:
    writer = Writer()
    answer = "\n\n".join("word " * 299 + f"end{n}." for n in range(paragraphs))
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(1001).says("all of it")
        begun, seen = 0, [""]
        for end in range(2500, len(answer) + 2500, 2500):
            writer.writes(answer[begun:end])
            begun = end
            if len(seen[-1]) < 5 * 3900:
                await server.wait_for(lambda: "".join(texts(server)) != seen[-1])
            seen.append("".join(texts(server)))
        writer.finishes(answer)
        await server.wait_for(lambda: not texts(server)[-1].endswith(CURSOR))
        await on.channel.settle()
        grown = [len(text.replace("▍", "").split()) for text in [*seen, "".join(texts(server))]]
        assert grown == sorted(grown)
        assert server.calls_of("deleteMessage", 1001) == []
        read = [text for text in texts(server) if text]
        assert len(read) == messages
        sent = [message["document"] for message in server.sent(1001) if "document" in message]
        assert [document["file_name"] for document in sent] == ["answer.md"] * (messages == 5)
        whole, words = answer.split(), " ".join(read).removesuffix("…").split()
        assert words == whole[: len(words)]
        assert sent or words == whole


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


async def test_a_draft_of_a_reply_that_breaks_stays_as_a_message_with_the_reason(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer, drafts = Writer(), options(Streaming.DRAFT)
    async with stage(server, tmp_path, conversation=writer, options=drafts) as on:
        await server.user(1001).says("tell me")
        writer.writes("This is")
        await server.wait_for(lambda: server.world.chats[1001].drafts)
        writer.breaks()
        await on.channel.settle()
        [text] = texts(server)
        assert text.startswith(f"This is\n\n{ENGLISH.interrupted['other']}")


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
