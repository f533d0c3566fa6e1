"""Groups: the bot answers who asks it, with the group's own memory."""

from pathlib import Path

import pytest

from bot.people.access import Access, AccessMode
from memory.records import Actor, Speaker
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer

ME = "@mordecai_test_bot"


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (f"{ME} what is this?", "what is this?"),
        (f"{ME.upper()}: hello", "hello"),
        (f"what is this, {ME}", "what is this,"),
        (f"ask {ME} about it", f"ask {ME} about it"),
    ],
)
async def test_a_mention_is_answered(
    server: BotApiServer, tmp_path: Path, said: str, heard: str
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        message = await server.user(1001, "Ann").says(said, group=group)
        await server.replies_to(group.id, 1)
        [inbound] = on.echo.heard
        assert inbound.text == heard
        assert inbound.origin.actor == Actor("g1000500")
        assert inbound.origin.speaker == Speaker(inbound.origin.user_id, "Ann")
        [reply] = server.sent(group.id)
        assert reply["reply_to_message"]["message_id"] == message["message_id"]


async def test_an_answer_to_the_bot_is_answered_and_talk_of_others_is_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("just us talking", group=group)
        mine = await server.user(1001).says("a message of mine", group=group)
        await server.user(1002).says("an answer to Ann", group=group, reply_to=mine)
        await server.user(1002).says("@somebody_else hello", group=group)
        await server.user(1001).sends("photo", group=group)
        await server.user(1001).says(f"{ME} hi", group=group)
        await server.replies_to(group.id, 1)
        [first] = server.sent(group.id)
        await server.user(1002).says("and me?", group=group, reply_to=first)
        await server.replies_to(group.id, 2)
        await on.channel.settle()
        quoted = "> Mordecai:\n> you said: hi\nand me?"
        assert [inbound.text for inbound in on.echo.heard] == ["hi", quoted]
        assert len(server.calls_of("sendMessage")) == 2


async def test_commands_count_with_and_without_the_bots_name(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        person = server.user(1001)
        await person.says("/name@other_bot Eve", group=group)
        await person.says("/kick everybody", group=group)
        await person.says("/name", group=group)
        await person.says(f"/kick{ME}", group=group)
        replies = await server.replies_to(group.id, 2)
        await on.channel.settle()
        assert replies[0].startswith("My name is Mordecai")
        assert replies[1].startswith("I don't know /kick.")
        assert len(replies) == 2


async def test_private_memory_stays_out_of_the_group_and_the_other_way_round(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        await on.memory.known.remember(Actor.person(1001), "I am in debt")
        await on.memory.known.remember(Actor.group(group.id), "We meet on Fridays")
        group.make_admin(1001)
        await server.user(1001).says("/memory", group=group)
        [in_group] = await server.replies_to(group.id, 1)
        assert in_group.startswith("What I remember about this group")
        assert "Fridays" in in_group
        assert "debt" not in in_group
        await server.user(1001).says("/memory")
        [in_private] = await server.replies_to(1001, 1)
        assert "debt" in in_private
        assert "Fridays" not in in_private


async def test_each_topic_is_a_place_of_its_own_and_gets_its_answers(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    group.add_topic(7)
    async with stage(server, tmp_path) as on:
        releases = [on.echo.hold("in seven"), on.echo.hold("in general")]
        await server.user(1001).says(f"{ME} in seven", group=group, topic=7)
        await server.user(1001).says(f"{ME} in general", group=group)
        await server.wait_for(lambda: len(server.calls_of("sendChatAction")) == 2)
        for release in releases:
            release.set()
        await server.replies_to(group.id, 2)
        topics = {m["text"]: m.get("message_thread_id") for m in server.sent(group.id)}
        assert topics == {"you said: in seven": 7, "you said: in general": None}
        assert {inbound.origin.place.topic_id for inbound in on.echo.heard} == {7, 1}
        typing = {c.parameters.get("message_thread_id") for c in server.calls_of("sendChatAction")}
        assert typing == {"7", "1"}, "the general topic has the number 1, for actions alone"


async def test_messages_of_two_people_are_not_merged_into_one(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("first")
        await server.user(1001, "Ann").says(f"{ME} first", group=group)
        await server.wait_for(lambda: on.echo.heard)
        await server.user(1001).says(f"{ME} second", group=group)
        await server.user(1002, "Bob").says(f"{ME} third", group=group)
        await server.wait_for(lambda: on.inbox.open_count == 3)
        release.set()
        await server.replies_to(group.id, 3)
        assert [(i.origin.name, i.text) for i in on.echo.heard] == [
            ("Ann", "first"),
            ("Ann", "second"),
            ("Bob", "third"),
        ]


async def test_in_a_group_the_speaker_needs_access(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    access = Access(AccessMode.ALLOWLIST, allowed=[1001])
    async with stage(server, tmp_path, access=access) as on:
        await server.user(666).says(f"{ME} let me in", group=group)
        await server.user(666).says("just talking", group=group)
        await server.user(1001).says(f"{ME} hi", group=group)
        replies = await server.replies_to(group.id, 2)
        assert replies[0].startswith("This is a private bot.")
        assert replies[1] == "you said: hi"
        assert len(on.echo.heard) == 1


async def test_with_privacy_mode_answers_and_commands_still_arrive(tmp_path: Path) -> None:
    async with BotApiServer(privacy=True) as server, stage(server, tmp_path) as on:
        group = server.group(-1000500)
        await server.user(1001).says(f"{ME} this is hidden", group=group)
        await server.user(1001).says("/name", group=group)
        await server.replies_to(group.id, 1)
        [first] = server.sent(group.id)
        await server.user(1001).says("hello", group=group, reply_to=first)
        await server.replies_to(group.id, 2)
        assert on.echo.heard[0].text.endswith("\nhello")
        assert len(on.echo.heard) == 1
