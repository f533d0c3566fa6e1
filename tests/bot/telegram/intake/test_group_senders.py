"""Who writes in groups, and where: odd senders, odd names, topics, messages that are changed."""

from pathlib import Path

import pytest

from bot.people.access import Access, AccessMode
from bot.people.guest_file import FileGuestBook
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer

ANNA, BORIS = 1001, 1002
ME = "@mordecai_test_bot"
GROUP = -1000500


# -- in the name of a chat ------------------------------------------------------------------------


async def test_an_anonymous_admin_is_answered_where_everybody_is(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.group(GROUP), "We meet on Fridays")
        await group.says(f"{ME} hello")
        await group.says("just talk", signature="Boss")
        await server.replies_to(GROUP, 1)
        release = on.echo.hold("and this?")
        await group.says(f"{ME} and this?")
        await server.wait_for(lambda: on.echo.running)
        await group.says(f"{ME} hello again")
        await group.says(f"{ME} hello again", signature="Boss")
        await server.wait_for(lambda: on.inbox.open_count == 3)
        release.set()
        await group.says("/memory")
        replies = await server.replies_to(GROUP, 5)
        speakers = [message.origin.name for message in on.echo.heard]
        assert speakers == ["Friends", "Friends", "Friends", "Boss"]
        assert {i.origin.actor for i in on.echo.heard} == {Actor.group(GROUP)}
        assert any("Fridays" in reply for reply in replies), (
            "only admins can write in the name of their group"
        )


@pytest.mark.parametrize("mode", [AccessMode.ALLOWLIST, AccessMode.PAIRING])
async def test_elsewhere_an_anonymous_admin_hears_why_not_and_no_more(
    server: BotApiServer, tmp_path: Path, mode: AccessMode
) -> None:
    # Not even the ids of the group and of its stand-in let anybody in.
    access = Access(
        mode, [ANNA, GROUP, 1087968824], FileGuestBook(tmp_path / "access.json"), owners=[ANNA]
    )
    group = server.group(GROUP)
    async with stage(server, tmp_path, access=access) as on:
        await group.says("just talk")
        await group.says(f"{ME} hello")
        await group.says("/memory")
        await server.user(ANNA).says(f"{ME} hi", group=group)
        replies = await server.replies_to(GROUP, 2)
        await on.channel.settle()
        assert replies == [ENGLISH.refused_anonymous, "you said: hi"]
        assert len(on.echo.heard) == 1


@pytest.mark.parametrize("by_hand", [False, True])
async def test_channels_are_not_talked_to(
    server: BotApiServer, tmp_path: Path, by_hand: bool
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        post = await group.gets_post("News", f"{ME} great news", by_hand=by_hand)
        await group.gets_post("News", "/ask for more", by_hand=by_hand)
        await server.user(ANNA).says(f"{ME} is it?", group=group, reply_to=post)
        await server.replies_to(GROUP, 1)
        await on.channel.settle()
        [inbound] = on.echo.heard
        assert inbound.text == f"> News:\n> {ME} great news\nis it?"


# -- names ----------------------------------------------------------------------------------------


async def test_people_of_one_name_are_not_one(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("first")
        await server.user(ANNA, "Sam").says(f"{ME} first", group=group)
        await server.wait_for(lambda: on.echo.heard)
        await server.user(ANNA).says(f"{ME} I live in Oslo", group=group)
        await server.user(BORIS, "Sam").says(f"{ME} I live in Rome", group=group)
        await server.wait_for(lambda: on.inbox.open_count == 3)
        release.set()
        await server.replies_to(GROUP, 3)
        assert [i.text for i in on.echo.heard[1:]] == ["I live in Oslo", "I live in Rome"]


@pytest.mark.parametrize(
    ("name", "speaker"),
    [("\u200b", f"#{ANNA}"), ("<>", f"#{ANNA}"), ("<b>Ann</b>", "<b>Ann</b>"), ("Ann", "Ann")],
)
async def test_who_has_no_name_to_show_is_told_from_others_all_the_same(
    server: BotApiServer, tmp_path: Path, name: str, speaker: str
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        await server.user(ANNA, name).says(f"{ME} hi", group=group)
        await server.replies_to(GROUP, 1)
        who = on.echo.heard[0].origin.speaker
        assert who is not None
        assert who.name == speaker


# -- topics ---------------------------------------------------------------------------------------


async def test_an_answer_to_the_bot_from_another_topic_is_one(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    group.add_topic(7)
    group.add_topic(8)
    async with stage(server, tmp_path) as on:
        await server.user(ANNA).says(f"{ME} hi", group=group, topic=7)
        await server.replies_to(GROUP, 1)
        [mine] = server.sent(GROUP)
        theirs = await server.user(BORIS).says("a word of mine", group=group, topic=7)
        await server.user(BORIS).says("about that one", group=group, topic=8, elsewhere=mine)
        await server.user(ANNA).says("and that one", group=group, topic=8, elsewhere=theirs)
        await server.replies_to(GROUP, 2)
        await on.channel.settle()
        assert [i.text for i in on.echo.heard] == ["hi", "about that one"]
        assert server.sent(GROUP)[1]["message_thread_id"] == 8


async def test_new_ends_the_conversation_of_its_topic_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    group.add_topic(7)
    group.make_admin(ANNA)
    crowd = Actor.group(GROUP)
    async with stage(server, tmp_path) as on:
        person = server.user(ANNA)
        for number, topic in enumerate((7, None), 1):
            await person.says("/private", group=group, topic=topic)
            await server.replies_to(GROUP, number)
        await person.says("/new", group=group, topic=7)
        await server.replies_to(GROUP, 3)
        general = await on.memory.talk.session(crowd, Place("telegram", GROUP, 1))
        assert general is not None
        assert general.private, "the general one goes on"
        assert await on.memory.talk.session(crowd, Place("telegram", GROUP, 7)) is None
        assert [m.get("message_thread_id") for m in server.sent(GROUP)] == [7, None, 7]


# -- messages that are changed --------------------------------------------------------------------


async def test_a_message_that_is_changed_to_mention_the_bot_is_answered_once(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        # Only a message from after the start is known to be new by its change.
        await server.wait_for(lambda: on.channel.listening)
        person = server.user(ANNA)
        message = await person.says("what is the time?", group=group)
        await person.edits(message, f"{ME} what is the time?")
        await server.replies_to(GROUP, 1)
        await person.edits(message, f"{ME} what is the date?")
        await server.user(BORIS).says(f"{ME} hi", group=group)
        await server.replies_to(GROUP, 2)
        await on.channel.settle()
        assert [i.text for i in on.echo.heard] == ["what is the time?", "hi"]
        [reply, *others] = server.sent(GROUP)
        assert sorted(other["text"] for other in others) == [ENGLISH.edited, "you said: hi"]
        assert reply["reply_to_message"]["message_id"] == message["message_id"]


async def test_an_old_message_is_not_answered_for_a_mention_that_is_added(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        person = server.user(ANNA)
        # As old as the second before the start: what an earlier process made of it, nobody knows.
        message = await person.says("what is the time?", group=group, date=1_700_000_000)
        await person.edits(message, f"{ME} what is the time?")
        await person.says(f"{ME} hi", group=group)
        await server.replies_to(GROUP, 1)
        await on.channel.settle()
        assert [i.text for i in on.echo.heard] == ["hi"]


async def test_a_change_that_is_not_answered_when_the_bot_ends_is_answered_later(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    hasty = ChannelOptions(stop_seconds=0.05, poll_seconds=5)
    async with stage(server, tmp_path, options=hasty) as on:
        person = server.user(ANNA)
        on.echo.hold("slow")
        await person.says(f"{ME} slow", group=group)
        await server.wait_for(lambda: on.echo.heard)
        message = await person.says("what is the time?", group=group)
        await person.edits(message, f"{ME} what is the time?")
        await server.wait_for(lambda: on.inbox.open_count == 2 and not server.world.waiting)
        await on.end()
    async with stage(server, tmp_path) as on:
        assert await server.replies_to(GROUP, 1) == ["you said: slow\nwhat is the time?"]
        await on.channel.settle()
        assert len(on.echo.heard) == 1


async def test_a_message_that_waits_does_not_become_a_command(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("first")
        await server.user(ANNA).says("first")
        await server.wait_for(lambda: on.echo.heard)
        message = await server.user(ANNA).says("second")
        await server.user(ANNA).edits(message, "/forget all")
        await server.wait_for(lambda: on.inbox.open_count == 2 and not server.world.waiting)
        release.set()
        await server.replies_to(ANNA, 2)
        assert [i.text for i in on.echo.heard] == ["first", "second"]


# -- where the bot can't write --------------------------------------------------------------------


@pytest.mark.parametrize(
    "reason",
    [
        "Bad Request: not enough rights to send text messages to the chat",
        "Bad Request: have no rights to send a message",
        "Bad Request: TOPIC_CLOSED",
        "Bad Request: CHAT_WRITE_FORBIDDEN",
    ],
)
async def test_a_bot_that_was_muted_is_no_error(
    server: BotApiServer, tmp_path: Path, reason: str
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        server.fail("sendMessage", chat_id=GROUP, status=400, description=reason, times=2)
        await server.user(ANNA).says(f"{ME} hi", group=group)
        await server.user(ANNA).says("/help", group=group)
        await server.wait_for(lambda: len(server.calls_of("sendMessage", GROUP)) == 2)
        await on.channel.settle()
        assert server.sent(GROUP) == [], "nor is an error told that nobody can be told"
        await server.user(ANNA).says(f"{ME} and now?", group=group)
        assert await server.replies_to(GROUP, 1) == ["you said: and now?"]


# -- coming and going -----------------------------------------------------------------------------


async def test_a_bot_that_was_thrown_out_and_is_back_says_hello_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(GROUP)
    async with stage(server, tmp_path) as on:
        await server.user(ANNA).adds_bot(group)
        await server.replies_to(GROUP, 1)
        on.echo.hold("a long story")
        await server.user(ANNA).says("/ask a long story", group=group)
        await server.wait_for(lambda: on.echo.running)
        await server.user(ANNA).removes_bot(group)
        await server.wait_for(lambda: on.echo.cancelled)
        await on.channel.settle()
        await server.user(ANNA).adds_bot(group)
        await server.replies_to(GROUP, 2)
        await server.user(ANNA).says("/ask again", group=group)
        assert (await server.replies_to(GROUP, 3))[1:] == [
            server.sent(GROUP)[0]["text"],
            "you said: again",
        ]
