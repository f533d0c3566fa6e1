"""What a person gets back, whatever Telegram and the network do."""

import asyncio
from pathlib import Path

import pytest

from bot.replies import Failed, Inbound
from bot.telegram import ChannelOptions
from memory.records import Actor, Place
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message.get("text", "") for message in server.sent(chat_id)]


async def test_a_message_is_answered(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        [inbound] = on.echo.heard
        assert inbound.actor.id == "u1001"
        assert (inbound.place.channel, inbound.place.chat_id) == ("telegram", 1001)
        assert (inbound.speaker, inbound.language) == (None, "en")
        assert inbound.id == "telegram:1001:1"


async def test_replies_are_plain_text(server: BotApiServer, tmp_path: Path) -> None:
    """Marks of formatting are characters like others: there is nothing to parse and to fail."""
    said = "*bold <b>&amp; List<String> [x](y) _z `"
    async with stage(server, tmp_path):
        await server.user(1001).says(said)
        assert await server.replies_to(1001, 1) == [f"you said: {said}"]
        assert not any("parse_mode" in call.parameters for call in server.calls)


async def test_typing_is_shown_until_the_reply_and_not_after(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    options = ChannelOptions(typing_seconds=0.05, stop_seconds=5)
    async with stage(server, tmp_path, conversation=echo, options=options):
        await server.user(1001).says("slow")
        await server.wait_for(lambda: len(server.calls_of("sendChatAction", 1001)) >= 3)
        release.set()
        await server.replies_to(1001, 1)
        await asyncio.sleep(0.2)
        assert server.calls[-1].method != "sendChatAction"


async def test_typing_ends_when_the_person_has_blocked_the_bot(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    options = ChannelOptions(typing_seconds=0.02, stop_seconds=5)
    async with stage(server, tmp_path, conversation=echo, options=options) as on:
        await server.user(1001).says("slow")
        await server.wait_for(lambda: server.calls_of("sendChatAction", 1001))
        server.user(1001).blocks()
        await server.wait_for(
            lambda: server.calls_of("sendChatAction", 1001)[-1].status == 403, what="refused typing"
        )
        count = len(server.calls_of("sendChatAction", 1001))
        await asyncio.sleep(0.2)
        assert len(server.calls_of("sendChatAction", 1001)) == count
        release.set()
        await on.channel.settle()
        assert server.calls_of("sendMessage", 1001)[-1].status == 403


async def test_somebody_who_blocked_the_bot_is_answered_after_coming_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        person = server.user(1001)
        await person.says("one")
        await server.replies_to(1001, 1)
        person.blocks()
        await person.says("two")
        await server.wait_for(lambda: len(on.echo.heard) == 2)
        await on.channel.settle()
        person.unblocks()
        await person.says("three")
        assert (await server.replies_to(1001, 2))[1] == "you said: three"


async def test_four_thousand_emoji_come_back_whole(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await server.user(1001).says("😀" * 2048)
        parts = await server.replies_to(1001, 2)
        assert " ".join(parts) == "you said: " + "😀" * 2048


async def test_a_long_reply_comes_in_order(server: BotApiServer, tmp_path: Path) -> None:
    answer = "\n\n".join(f"{n}. " + "word " * 200 for n in range(12))
    async with stage(server, tmp_path, conversation=Echo(lambda _: answer)) as on:
        await server.user(1001).says("tell me")
        await server.replies_to(1001, 3)
        await on.channel.settle()
        assert " ".join(texts(server, 1001)).split() == answer.split()


async def test_an_empty_answer_is_said_politely(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, conversation=Echo(lambda _: " \n\u200b")):
        await server.user(1001).says("hm")
        [reply] = await server.replies_to(1001, 1)
        assert reply.startswith("I have no answer")


# -- order and lanes ------------------------------------------------------------------------------


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


async def test_commands_keep_their_place_among_messages(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("one")
    async with stage(server, tmp_path, conversation=echo) as on:
        person = server.user(1001)
        await person.says("one")
        await server.wait_for(lambda: echo.heard)
        for text in ("two", "/name", "three", "four"):
            await person.says(text)
        await server.wait_for(lambda: on.inbox.open_count == 5)
        release.set()
        replies = await server.replies_to(1001, 4)
        assert [reply[:14] for reply in replies] == [
            "you said: one",
            "you said: two",
            "My name is Mor",
            "you said: thre",
        ]


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
        release.set()
        for user_id in range(1001, 1006):
            assert await server.replies_to(user_id, 1) == ["you said: slow"]
        assert echo.most_running == 2


async def test_a_lane_that_has_nothing_to_do_is_gone(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        for user_id in range(1001, 1011):
            await server.user(user_id).says("hi")
        for user_id in range(1001, 1011):
            await server.replies_to(user_id, 1)
        await on.channel.settle()
        assert on.channel.lane_count == 0


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
        assert await server.replies_to(1001, 1) == ["Stopped."]
        await on.channel.settle()
        assert echo.cancelled == ["endless"]
        await person.says("hello again")
        assert (await server.replies_to(1001, 2))[1] == "you said: hello again"
        assert [inbound.text for inbound in echo.heard] == ["endless", "hello again"]


async def test_stop_with_nothing_under_way_says_so(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await server.user(1001).says("/stop")
        assert await server.replies_to(1001, 1) == ["There is nothing to stop."]


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


# -- what Telegram and the network do -------------------------------------------------------------


async def test_a_flood_limit_is_waited_out_for_that_chat_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendMessage", chat_id=1001, retry_after=1)
    async with stage(server, tmp_path):
        await server.user(1001).says("one")
        await server.wait_for(lambda: server.calls_of("sendMessage", 1001))
        await server.user(1001).says("two")
        await server.user(1002).says("me too")
        await server.replies_to(1002, 1)
        assert texts(server, 1001) == [], "the other chat did not wait for this one"
        assert await server.replies_to(1001, 2) == ["you said: one", "you said: two"]
        first, second = server.calls_of("sendMessage", 1001)[:2]
        assert second.at - first.at >= 1


async def test_the_rest_of_a_long_answer_waits_behind_a_flood_limit(
    server: BotApiServer, tmp_path: Path
) -> None:
    answer = "\n\n".join("word " * 700 for _ in range(3)).strip()
    async with stage(server, tmp_path, conversation=Echo(lambda _: answer)) as on:
        server.fail("sendMessage", chat_id=1001, retry_after=1, skip=1)
        await server.user(1001).says("tell me")
        await server.replies_to(1001, 3)
        await on.channel.settle()
        assert " ".join(texts(server, 1001)).split() == answer.split()


@pytest.mark.parametrize(
    "trouble",
    [
        {"status": 500},
        {"status": 502, "description": "Bad Gateway"},
        {"drop": "before"},
        {"drop": "after"},
    ],
)
async def test_what_may_have_been_sent_is_not_sent_again(
    server: BotApiServer, tmp_path: Path, trouble: dict[str, object]
) -> None:
    server.fail("sendMessage", chat_id=1001, **trouble)
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("one")
        await server.wait_for(lambda: server.calls_of("sendMessage", 1001))
        await on.channel.settle()
        assert len(server.calls_of("sendMessage", 1001)) == 1
        await server.user(1001).says("two")
        await server.wait_for(lambda: "you said: two" in texts(server, 1001))


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


# -- errors ---------------------------------------------------------------------------------------


async def test_a_failure_of_the_conversation_is_its_own_sentence(
    server: BotApiServer, tmp_path: Path
) -> None:
    sentence = "The model is busy. Please try again in a minute."
    async with stage(server, tmp_path, conversation=Echo(lambda _: Failed(sentence))):
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == [sentence]


async def test_an_unexpected_error_is_one_sentence_with_an_id_a_minute(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(inbound: Inbound) -> Exception | str:
        return ZeroDivisionError("a secret detail") if inbound.text == "break" else "fine"

    async with stage(server, tmp_path, conversation=Echo(broken)) as on:
        person = server.user(1001)
        await person.says("break")
        [sentence] = await server.replies_to(1001, 1)
        assert sentence.startswith("Something went wrong on my side.")
        assert "secret" not in sentence
        assert "Traceback" not in sentence
        error_id = sentence.rpartition("error ")[2].rstrip(")")
        assert error_id in capsys.readouterr().out
        await person.says("break")
        await server.wait_for(lambda: len(on.echo.heard) == 2)
        await on.channel.settle()
        await person.says("and now?")
        assert (await server.replies_to(1001, 2))[1:] == ["fine"]


async def test_an_error_in_one_chat_is_not_told_in_another(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, conversation=Echo(lambda _: ZeroDivisionError())):
        for user_id in (1001, 1002):
            await server.user(user_id).says("break")
        for user_id in (1001, 1002):
            [sentence] = await server.replies_to(user_id, 1)
            assert sentence.startswith("Something went wrong")


# -- other than ordinary text ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["photo", "sticker", "voice", "document", "location", "contact"])
async def test_what_is_no_text_gets_a_polite_sentence(
    server: BotApiServer, tmp_path: Path, kind: str
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).sends(kind)
        [reply] = await server.replies_to(1001, 1)
        assert reply == "I can only read text so far. Please write it to me."
        assert on.echo.heard == []


@pytest.mark.parametrize("text", [" ", "\n\t", "\u200b", "\x00", "\u2060\u200d"])
async def test_an_empty_message_gets_a_polite_sentence(
    server: BotApiServer, tmp_path: Path, text: str
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says(text)
        [reply] = await server.replies_to(1001, 1)
        assert reply.startswith("There was no text in your message.")
        assert on.echo.heard == []


async def test_a_text_that_is_too_long_is_refused_with_its_measure(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("x" * 16_001)
        [reply] = await server.replies_to(1001, 1)
        assert "16001" in reply
        assert "16000" in reply
        assert on.echo.heard == []
        assert (
            await on.memory.end_session(Actor.person(1001), Place("telegram", 1001), "new") is None
        )


async def test_control_characters_and_half_surrogates_do_not_reach_the_conversation(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("a\x00b\x1b[0m\ud83dc")
        assert await server.replies_to(1001, 1) == ["you said: ab[0mc"]
        assert on.echo.heard[0].text == "ab[0mc"


async def test_text_from_right_to_left_stays_as_it_is(server: BotApiServer, tmp_path: Path) -> None:
    text = "שלום \u2067עולם\u2069 <b>نص</b>"
    async with stage(server, tmp_path):
        await server.user(1001).says(text)
        assert await server.replies_to(1001, 1) == [f"you said: {text}"]


async def test_edited_messages_are_ignored(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        message = await server.user(1001).says("hi")
        await server.replies_to(1001, 1)
        await server.user(1001).edits(message, "bye")
        await server.user(1001).says("next")
        assert await server.replies_to(1001, 2) == ["you said: hi", "you said: next"]
        assert len(on.echo.heard) == 2
