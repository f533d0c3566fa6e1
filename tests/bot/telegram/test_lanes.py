"""One lane a chat: in order within, side by side without."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.inbound import Message, Origin
from bot.telegram.lanes import Item, Lanes, LaneTask
from bot.telegram.options import ChannelOptions
from memory.records import Actor, Place
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import HeldClock
from tests.fakes.conversing import Echo
from tests.fakes.memories import NOON

HERE = Place("telegram", 1)


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message.get("text", "") for message in server.sent(chat_id)]


def reaction(message: dict[str, Any]) -> str | None:
    return next((one["emoji"] for one in message.get("reactions", ())), None)


async def test_what_arrives_during_a_reply_is_merged_into_the_next_turn(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("first")
    async with stage(server, tmp_path, conversation=echo) as on:
        person = server.user(1001)
        await person.says("first")
        await server.wait_for(lambda: echo.heard)
        for text in ("second", "third", "fourth"):
            await person.says(text)
        await server.wait_for(lambda: on.inbox.open_count == 4)
        release.set()
        replies = await server.replies_to(1001, 2)
        assert replies == ["you said: first", "you said: second\nthird\nfourth"]
        await on.channel.settle()
        assert len(texts(server, 1001)) == 2


async def test_commands_that_write_keep_their_place_among_messages(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo) as on:
        person = server.user(1001)
        await person.says("one")
        await server.wait_for(lambda: echo.heard)
        for text in ("two", "/remember I like tea", "/memory", "three", "four"):
            await person.says(text)
        await server.wait_for(lambda: on.inbox.open_count == 6)
        release.set()
        replies = await server.replies_to(1001, 5)
        assert [reply[:14] for reply in replies] == [
            "you said: one",
            "you said: two",
            "Remembered: I ",
            "What I remembe",
            "you said: thre",
        ]
        assert "I like tea" in replies[3], "what follows a command knows of it"


@pytest.mark.parametrize(
    "command",
    "/help /start /usage /memory /search /name /settings /language /timezone /export /x".split(),
)
async def test_commands_that_only_read_overtake_the_answer_and_what_waits(
    server: BotApiServer, tmp_path: Path, command: str
) -> None:
    echo = Echo()
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo) as on:
        await on.memory.known.remember(Actor.person(1001), "I like tea")
        person = server.user(1001)
        await person.says("one")
        await server.wait_for(lambda: echo.heard)
        await person.says("two")
        await person.says(command)
        await server.replies_to(1001, 1)
        await server.wait_for(lambda: on.inbox.open_count == 2)
        release.set()
        await on.channel.settle()
        assert texts(server, 1001)[-2:] == ["you said: one", "you said: two"]


async def test_commands_overtake_a_refusal_that_waits_too(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    options = ChannelOptions(longest_text=10, stop_seconds=5, poll_seconds=5)
    async with stage(server, tmp_path, conversation=echo, options=options) as on:
        for text in ("one", "x" * 11, "/help"):
            await server.user(1001).says(text)
        assert "/memory" in (await server.replies_to(1001, 1))[0]
        await server.wait_for(lambda: on.inbox.open_count == 2)
        release.set()
        assert (await server.replies_to(1001, 3))[1] == "you said: one"


async def test_browsing_overtakes_and_deleting_does_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo) as on:
        await on.memory.known.remember(Actor.person(1001), "I live in Oslo")
        person = server.user(1001)
        await person.says("/memory")
        await server.replies_to(1001, 1)
        [panel] = server.sent(1001)
        await person.says("one")
        await server.wait_for(lambda: echo.heard)
        for label in ("Facts (1)", "1. I live in Oslo", "Delete"):
            before = panel["text"]
            await person.presses(panel, label)
            await server.wait_for(lambda: panel["text"] != before)  # noqa: B023
        await person.presses(panel, "Yes, delete it")
        await server.wait_for(lambda: not server.world.waiting)
        assert await on.memory.known.records(Actor.person(1001))
        release.set()
        await on.channel.settle()
        assert await on.memory.known.records(Actor.person(1001)) == []


async def test_a_question_that_waits_in_a_group_is_seen_at_once(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    group = server.group(-1000500)
    async with stage(server, tmp_path, conversation=echo) as on:
        first = await server.user(1001).says("@mordecai_test_bot one", group=group)
        await server.wait_for(lambda: echo.heard)
        second = await server.user(1002).says("@mordecai_test_bot two", group=group)
        more = await server.user(1002).says("@mordecai_test_bot and three", group=group)
        await server.user(1003).says("/help@mordecai_test_bot", group=group)
        await server.wait_for(lambda: reaction(second) == "👀")
        await server.replies_to(group.id, 1)
        release.set()
        await on.channel.settle()
        assert (reaction(first), reaction(more)) == (None, None), (
            "one for what is answered together"
        )
        await server.user(1001).says("@mordecai_test_bot four", group=group)
        await on.channel.settle()
        assert len(server.calls_of("setMessageReaction")) == 1


async def test_where_a_reaction_is_refused_the_question_waits_without(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    group = server.group(-1000500)
    server.fail("setMessageReaction", status=400)
    async with stage(server, tmp_path, conversation=echo):
        await server.user(1001).says("@mordecai_test_bot one", group=group)
        await server.wait_for(lambda: echo.heard)
        await server.user(1002).says("@mordecai_test_bot two", group=group)
        await server.wait_for(lambda: server.calls_of("setMessageReaction"))
        release.set()
        assert len(await server.replies_to(group.id, 2)) == 2


async def test_an_album_does_not_wait_for_itself(server: BotApiServer, tmp_path: Path) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        caption = "@mordecai_test_bot what is this?"
        for words in (caption, "", ""):
            await server.user(1001).sends("photo", b"?", group=group, album="a", caption=words)
        await server.replies_to(group.id, 1)
        await on.channel.settle()
        assert server.calls_of("setMessageReaction") == []


async def test_in_a_private_chat_a_question_waits_without_a_sign(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(1001).says("one")
        await server.wait_for(lambda: echo.heard)
        await server.user(1001).says("two")
        await server.wait_for(lambda: on.inbox.open_count == 2)
        release.set()
        await server.replies_to(1001, 2)
        assert server.calls_of("setMessageReaction") == []


async def test_a_merged_turn_is_not_longer_than_one_message_may_be(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo(lambda inbound: str(len(inbound.text)))
    release = echo.hold("first")
    options = ChannelOptions(longest_text=100, stop_seconds=5)
    async with stage(server, tmp_path, conversation=echo, options=options) as on:
        person = server.user(1001)
        await person.says("first")
        await server.wait_for(lambda: echo.heard)
        for _ in range(3):
            await person.says("x" * 45)
        await server.wait_for(lambda: on.inbox.open_count == 4)
        release.set()
        assert await server.replies_to(1001, 3) == ["5", "91", "45"]


async def test_chats_do_not_wait_for_each_other(server: BotApiServer, tmp_path: Path) -> None:
    echo = Echo()
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo):
        await server.user(1001).says("slow")
        await server.wait_for(lambda: echo.heard)
        await server.user(1002).says("quick")
        assert await server.replies_to(1002, 1) == ["you said: quick"]
        assert texts(server, 1001) == []
        release.set()
        await server.replies_to(1001, 1)


async def test_only_so_many_replies_are_written_at_once(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    options = ChannelOptions(parallel_replies=2, stop_seconds=5)
    async with stage(server, tmp_path, conversation=echo, options=options):
        for user_id in range(1001, 1006):
            await server.user(user_id).says("slow")
        await server.wait_for(lambda: len(server.calls_of("sendChatAction")) >= 5)
        await server.wait_for(lambda: echo.running == 2)
        release.set()
        for user_id in range(1001, 1006):
            assert await server.replies_to(user_id, 1) == ["you said: slow"]
        assert echo.most_running == 2


async def test_a_lane_that_has_nothing_to_do_is_gone() -> None:
    async def work(place: Place, item: Item) -> None:
        pass

    lanes = Lanes()
    for user_id in range(1001, 1011):
        lanes.put(Place("telegram", user_id), LaneTask("hello", nothing))
    assert len(lanes) == 10
    lanes.open(work)
    await lanes.settle()
    assert len(lanes) == 0


async def test_stop_ends_the_reply_under_way_and_passes_by_the_queue(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("endless")
    async with stage(server, tmp_path, conversation=echo) as on:
        person = server.user(1001)
        await person.says("endless")
        await server.wait_for(lambda: echo.heard)
        await person.says("and this too")
        await person.says("/stop")
        assert await server.replies_to(1001, 2) == ["Stopped.", "you said: and this too"]
        await on.channel.settle()
        assert echo.cancelled == ["endless"]
        await person.says("hello again")
        assert (await server.replies_to(1001, 3))[2] == "you said: hello again"


async def test_stop_before_a_reply_has_begun_takes_back_what_waits_for_one(
    server: BotApiServer, tmp_path: Path
) -> None:
    held = HeldClock()
    options = ChannelOptions(stop_seconds=5, poll_seconds=5, clock=held)
    async with stage(server, tmp_path, options=options) as on:
        person = server.user(1001)
        await person.says("word " * 810)
        await server.wait_for(lambda: on.inbox.open_count == 1)
        await person.says("/stop")
        assert await server.replies_to(1001, 1) == ["Stopped."]
        held.released.set()
        await on.channel.settle()
        assert on.echo.heard == []


async def test_stop_with_nothing_under_way_says_so(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await server.user(1001).says("/stop")
        assert await server.replies_to(1001, 1) == ["There's nothing to stop."]


async def test_somebody_elses_stop_stops_nothing_of_mine(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo):
        await server.user(1001).says("slow")
        await server.wait_for(lambda: echo.heard)
        await server.user(1002).says("/stop")
        await server.replies_to(1002, 1)
        release.set()
        assert await server.replies_to(1001, 1) == ["you said: slow"]


async def test_a_lane_goes_on_after_an_item_that_raised(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    async def work(place: Place, item: Item) -> None:
        assert isinstance(item, LaneTask)
        if item.name == "bad":
            raise ZeroDivisionError
        done.append(item.name)

    lanes, place = Lanes(), Place("telegram", 1001)
    lanes.open(work)
    for name in ("bad", "next"):
        lanes.put(place, LaneTask(name, nothing))
    assert await lanes.drain(10)
    lanes.put(place, LaneTask("later", nothing))
    assert await lanes.drain(10)
    assert done == ["next", "later"]
    assert len(lanes) == 0
    gc.collect()
    assert "ZeroDivisionError" in caplog.text


async def test_what_waits_behind_an_item_that_is_cut_off_is_not_begun() -> None:
    begun: list[str] = []

    async def work(place: Place, item: Item) -> None:
        assert isinstance(item, LaneTask)
        begun.append(item.name)
        await asyncio.Event().wait()

    lanes, place = Lanes(), Place("telegram", 1001)
    lanes.open(work)
    for name in ("endless", "next"):
        lanes.put(place, LaneTask(name, nothing))
    assert not await lanes.drain(0.05)
    await asyncio.sleep(0)
    assert begun == ["endless"]
    assert len(lanes) == 0


async def test_what_an_item_that_is_cut_off_queues_is_cut_off_too() -> None:
    ended: list[str] = []

    async def work(place: Place, item: Item) -> None:
        assert isinstance(item, LaneTask)
        try:
            await asyncio.Event().wait()
        finally:
            if item.name == "endless":
                lanes.put(place, LaneTask("more", nothing), aside=True)
                await asyncio.sleep(0.01)
            ended.append(item.name)

    lanes, place = Lanes(), Place("telegram", 1001)
    lanes.open(work)
    lanes.put(place, LaneTask("endless", nothing))
    assert not await lanes.drain(0.05)
    assert len(lanes) == 0
    assert ended == ["endless", "more"]


async def nothing() -> None:
    pass


def said(number: int) -> Message:
    origin = Origin(HERE, Actor("u1"), 1)
    return Message(f"telegram:1:{number}", origin, NOON, f"text {number}", number, 700 + number)


def test_a_burst_knows_its_beginnings_and_what_follows_each() -> None:
    one, two, three = said(1), said(2), said(3)
    begun = one.join(two, 100)
    assert begun
    burst = begun.join(three, 100)
    assert burst
    assert burst.id == "telegram:1:1+2+3"
    assert burst.beginnings() == [(one, two.join(three, 100)), (begun, three), (burst, None)]
    assert one.beginnings() == [(one, None)]
