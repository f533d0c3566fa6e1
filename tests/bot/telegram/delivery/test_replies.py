"""What a person gets back for what they send."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from bot.assistant.events import Reply
from bot.assistant.failures import UNREACHABLE
from bot.assistant.inbound import Message
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import stage
from tests.bot.telegram.streaming import options
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo
from tools.context import TurnEffects


def texts(server: BotApiServer, chat_id: int) -> list[str]:
    return [message.get("text", "") for message in server.sent(chat_id)]


async def test_a_message_is_answered(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == ["you said: hi"]
        [inbound] = on.echo.heard
        assert inbound.origin.actor.id == "u1001"
        assert (inbound.origin.place.channel, inbound.origin.place.chat_id) == ("telegram", 1001)
        assert (inbound.origin.speaker, inbound.origin.language) == (None, "en")
        assert inbound.id == "telegram:1001:1"


async def test_what_is_no_markdown_comes_back_to_the_letter(
    server: BotApiServer, tmp_path: Path
) -> None:
    """There is no parse_mode, so there is nothing that Telegram could fail to parse."""
    said = "*bold <b> List<String> if x<y and y>z [x](y) _z ` a_b_c"
    async with stage(server, tmp_path):
        await server.user(1001).says(said)
        assert await server.replies_to(1001, 1) == [f"you said: {said}"]
        assert not any("parse_mode" in call.parameters for call in server.calls)


async def test_markdown_comes_as_entities(server: BotApiServer, tmp_path: Path) -> None:
    answer = "😀 **bold**\n\n```python\nx < 1\n```\n\n[docs](https://x.de/a)"
    async with stage(server, tmp_path, conversation=Echo(lambda _: answer)):
        await server.user(1001).says("how?")
        assert await server.replies_to(1001, 1) == ["😀 bold\n\nx < 1\n\ndocs"]
        assert server.sent(1001)[0]["entities"] == [
            {"type": "bold", "offset": 3, "length": 4},
            {"type": "pre", "offset": 9, "length": 5, "language": "python"},
            {"type": "text_link", "offset": 16, "length": 4, "url": "https://x.de/a"},
        ]


async def test_code_that_needs_two_messages_is_code_in_its_language_in_both(
    server: BotApiServer, tmp_path: Path
) -> None:
    code = "\n".join(f"    print({number})" for number in range(300))
    answer = f"Here:\n\n```python\n{code}\n```"
    async with stage(server, tmp_path, conversation=Echo(lambda _: answer)) as on:
        await server.user(1001).says("how?")
        parts = await server.replies_to(1001, 2)
        await on.channel.settle()
        assert "\n".join(parts) == f"Here:\n\n{code}"
        for message in server.sent(1001):
            [block] = message["entities"]
            assert (block["type"], block["language"]) == ("pre", "python")
            assert block["offset"] + block["length"] == len(message["text"])


async def test_a_very_long_answer_is_five_messages_and_a_file(
    server: BotApiServer, tmp_path: Path
) -> None:
    answer = "# Long\n\n" + "\n\n".join("слово " * 700 for _ in range(6)).strip()
    async with stage(server, tmp_path, conversation=Echo(lambda _: answer)) as on:
        await server.user(1001).says("everything!")
        await server.replies_to(1001, 6)
        await on.channel.settle()
        *messages, file = server.sent(1001)
        assert len(messages) == 5
        assert messages[0]["text"].startswith("Long\n\nслово слово")
        assert messages[-1]["text"].endswith("…")
        name, content = server.world.files[file["document"]["file_id"]]
        assert (name, content.decode()) == ("answer.md", answer)
        assert file["caption"] == ENGLISH.answer_file


async def test_typing_is_shown_until_the_reply_and_not_after(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    how = options()
    async with stage(server, tmp_path, conversation=echo, options=how):
        await server.user(1001).says("slow")
        await server.wait_for(lambda: len(server.calls_of("sendChatAction", 1001)) >= 3)
        release.set()
        await server.replies_to(1001, 1)
        await how.clock.sleep(5 * how.typing_seconds)
        assert server.calls[-1].method != "sendChatAction"


async def test_typing_and_thinking_end_when_the_person_has_blocked_the_bot(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    echo.hold("slow")
    how = options()
    async with stage(server, tmp_path, conversation=echo, options=how) as on:
        await server.user(1001).says("slow")
        await server.wait_for(lambda: server.calls_of("sendChatAction", 1001))
        server.user(1001).blocks()
        await on.channel.settle()
        assert echo.cancelled == ["slow"]
        assert [call.status for call in server.calls_of("sendChatAction", 1001)][-1] == 403
        count = len(server.calls)
        await how.clock.sleep(5 * how.typing_seconds)
        assert {call.method for call in server.calls[count:]} <= {"getUpdates"}


async def test_somebody_who_blocked_the_bot_is_answered_after_coming_back(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        person = server.user(1001)
        await person.says("one")
        await server.replies_to(1001, 1)
        person.blocks()
        await person.says("two")
        await server.wait_for(lambda: any(call.status == 403 for call in server.calls))
        await on.channel.settle()
        person.unblocks()
        await person.says("three")
        assert (await server.replies_to(1001, 2))[1] == "you said: three"


async def test_four_thousand_emoji_come_back_whole(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path):
        await server.user(1001).says("😀" * 2048)
        parts = await server.replies_to(1001, 3)
        assert "".join(parts) == "you said:" + "😀" * 2048


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


# -- errors ---------------------------------------------------------------------------------------


async def test_a_failure_of_the_conversation_is_its_own_sentence(
    server: BotApiServer, tmp_path: Path
) -> None:
    sentence = "The model is busy. Please try again in a minute."
    async with stage(
        server, tmp_path, conversation=Echo(lambda _: Reply(sentence, failure="busy"))
    ):
        await server.user(1001).says("hi")
        assert await server.replies_to(1001, 1) == [sentence]


async def test_what_the_operator_may_mend_has_an_id(server: BotApiServer, tmp_path: Path) -> None:
    failed = Reply("I can't reach it.", failure="unreachable", error_id="a1b2c3")
    async with stage(server, tmp_path, conversation=Echo(lambda _: failed)):
        await server.user(1001).says("hi")
        [sentence] = await server.replies_to(1001, 1)
        assert sentence == f"{UNREACHABLE.user} (error a1b2c3)"


def _heard(echo: Echo, count: int) -> bool:
    return len(echo.heard) == count


async def test_a_person_hears_after_each_question_that_the_model_is_away(
    server: BotApiServer, tmp_path: Path
) -> None:
    away = Reply("I can't reach it.", failure="unreachable", error_id="a1b2c3")
    mine = Reply("That is too long for me.", failure="long")
    echo = Echo(lambda inbound: mine if inbound.text == "a novel" else away)
    async with stage(server, tmp_path, conversation=echo) as on:
        for number, text in enumerate(("hi", "hello?", "a novel"), 1):
            await server.user(1001).says(text)
            await server.wait_for(partial(_heard, echo, number))
            await on.channel.settle()
        sentences = [sent["text"] for sent in server.sent(1001)]
        away_text = f"{UNREACHABLE.user} (error a1b2c3)"
        assert sentences == [away_text, away_text, "That is too long for me."]
        assert on.inbox.open_count == 0


@pytest.mark.parametrize("breaks", [True, False])
async def test_a_group_sees_a_reaction_after_the_first_sentence_of_a_minute_in_whatever_topic(
    server: BotApiServer, tmp_path: Path, breaks: bool
) -> None:
    group = server.group(-1000500)
    for topic in (7, 8):
        group.add_topic(topic)
    failed = Reply("I can't reach it.", failure="unreachable", error_id="a1b2c3")
    broken = Echo(lambda _: ZeroDivisionError() if breaks else failed)
    async with stage(server, tmp_path, conversation=broken) as on:
        asked = [
            await server.user(1001).says("/ask break", group=group, topic=topic) for topic in (7, 8)
        ]
        await server.wait_for(lambda: len(broken.heard) == 2)
        await on.channel.settle()
        assert len(server.sent(group.id)) == 1
        reacted = {
            int(call.parameters["message_id"]) for call in server.calls_of("setMessageReaction")
        }
        assert len(reacted) == 1
        assert reacted < {message["message_id"] for message in asked}


async def test_a_group_without_reactions_hears_a_sentence_each_time(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    server.fail("setMessageReaction", status=400, description="Bad Request: REACTION_INVALID")
    async with stage(server, tmp_path, conversation=Echo(lambda _: ZeroDivisionError())) as on:
        for number in (1, 2):
            await server.user(1001).says("/ask break", group=group)
            await server.replies_to(group.id, number)
        await on.channel.settle()


async def test_an_unexpected_error_is_a_sentence_with_an_id(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(inbound: Message) -> Exception | str:
        return ZeroDivisionError("a secret detail") if inbound.text == "break" else "fine"

    async with stage(server, tmp_path, conversation=Echo(broken)):
        person = server.user(1001)
        await person.says("break")
        [sentence] = await server.replies_to(1001, 1)
        assert sentence.startswith("Something went wrong on my side.")
        assert "secret" not in sentence
        assert "Traceback" not in sentence
        error_id = sentence.rpartition("error ")[2].rstrip(")")
        assert error_id in capsys.readouterr().out
        await person.says("break")
        again = (await server.replies_to(1001, 2))[1]
        assert again.startswith("Something went wrong on my side.")
        assert error_id not in again
        await person.says("and now?")
        assert (await server.replies_to(1001, 3))[2:] == ["fine"]


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


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("photo", "not set up to look at pictures"),
        ("voice", "can't listen to recordings"),
        ("document", "not set up to read this kind of document"),
        ("video", "can't read this kind of message or file. What I can read: text."),
        ("story", "can't read this kind of message or file. What I can read: text."),
    ],
)
async def test_what_nobody_can_take_in_gets_a_polite_sentence(
    server: BotApiServer, tmp_path: Path, kind: str, sentence: str
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).sends(kind)
        [reply] = await server.replies_to(1001, 1)
        assert sentence in reply
        assert on.echo.heard == []
        assert not server.calls_of("getFile"), "nothing is fetched for nobody"


@pytest.mark.parametrize("text", [" ", "\n\t", "\u200b", "\x00", "\u2060\u200d"])
async def test_an_empty_message_gets_a_polite_sentence(
    server: BotApiServer, tmp_path: Path, text: str
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(1001).says(text)
        [reply] = await server.replies_to(1001, 1)
        assert reply.startswith("There's no text in your message.")
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
        assert await on.memory.talk.end(Actor.person(1001), Place("telegram", 1001), "new") is None


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


async def test_buttons_below_an_answer_go_when_pressed_and_the_answer_stays(
    server: BotApiServer, tmp_path: Path
) -> None:
    effects = TurnEffects()
    echo = Echo(lambda _: Reply("You *decide*.", markdown=True, effects=effects))
    async with stage(server, tmp_path, conversation=echo) as on:
        anna = Actor.person(1001)
        effects.to_forget.append(
            (await on.memory.known.remember(anna, "Julia lives in Oslo")).record
        )
        await server.user(1001).says("forget Julia")
        await server.replies_to(1001, 1)
        [answer] = server.sent(1001)
        assert answer["text"].startswith("You decide.\n\nDelete this?")
        await server.user(1001).presses(answer, "Yes, delete it")
        await server.replies_to(1001, 2)
        await on.channel.settle()
        answer, deleted = server.sent(1001)
        assert "reply_markup" not in answer
        assert answer["text"].startswith("You decide.")
        assert deleted["text"].startswith("Deleted: ")


async def test_when_a_deletion_is_final_no_file_has_a_byte_of_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, undo_seconds=0.3) as on:
        anna = server.user(1001)
        await anna.says("/remember Julia lives in Oslo")
        await server.replies_to(1001, 1)
        await anna.says("/forget Julia")
        await server.replies_to(1001, 2)
        await anna.presses(server.sent(1001)[-1], "Yes, delete it")
        await server.wait_for(lambda: "Deleted" in server.sent(1001)[-1]["text"], 10)
        await on.channel.settle()
        async with asyncio.timeout(10):
            while any(b"Julia" in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()):
                await asyncio.sleep(0.05)
