"""What breaks in bots on Telegram and is tried nowhere else here; docs/pitfalls.md lists it all."""

import io
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.files import FileKind
from bot.telegram.intake.media import Senses
from bot.texts import ENGLISH
from memory.records import Actor, Place
from tests.bot.telegram.stage import ask, stage, tell
from tests.bot.telegram.streaming import CURSOR, options, shows, texts
from tests.bot.telegram.watched import Watched
from tests.fakes.botapi import BotApiServer
from tests.fakes.conversing import Echo, Writer

ANNA, BORIS = 1001, 1002
ME = "@mordecai_test_bot"
TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"
FAMILY = "👨‍👩‍👧‍👦"


def answering(answer: str) -> Echo:
    return Echo(lambda _: answer)


def marked(message: dict[str, Any], kind: str = "bold") -> int:
    """How many UTF-16 units of a message have this format."""
    return sum(e["length"] for e in message.get("entities", ()) if e["type"] == kind)


# -- formatting and length ------------------------------------------------------------------------


async def test_more_formatting_than_a_message_may_have_is_spread_over_several(
    server: BotApiServer, tmp_path: Path
) -> None:
    """Telegram would ignore what is beyond the hundredth entity, without a word."""
    words = [f"w{number}" for number in range(250)]
    answer = " ".join(f"**{word}** and" for word in words)
    async with stage(server, tmp_path, conversation=answering(answer)) as on:
        await server.user(ANNA).says("all of them")
        await server.replies_to(ANNA, 3)
        await on.channel.settle()
        assert " ".join(texts(server)).split() == answer.replace("*", "").split()
        assert sum(map(marked, server.sent(ANNA))) == sum(map(len, words))


async def test_a_text_that_is_cut_within_bold_is_bold_on_both_sides(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, conversation=answering(f"**{'word ' * 1500}end**")) as on:
        await server.user(ANNA).says("all in bold")
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        for message in server.sent(ANNA):
            assert marked(message) == len(message["text"])


async def test_formatting_that_is_refused_costs_its_own_message_alone_its_formatting(
    server: BotApiServer, tmp_path: Path
) -> None:
    answer = "\n\n".join(f"**{'word ' * 700}end**" for _ in range(3))
    reason = "Bad Request: can't parse entities: unexpected"
    server.fail("sendMessage", skip=1, status=400, description=reason)
    async with stage(server, tmp_path, conversation=answering(answer)) as on:
        await server.user(ANNA).says("three of them")
        await server.replies_to(ANNA, 3)
        await on.channel.settle()
        assert " ".join(texts(server)).split() == answer.replace("*", "").split()
        assert [marked(m) > 0 for m in server.sent(ANNA)] == [True, False, True]


async def test_what_is_seen_as_one_character_is_never_cut(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, conversation=answering(FAMILY * 500)) as on:
        await server.user(ANNA).says("families")
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert "".join(texts(server)) == FAMILY * 500
        assert all(text.replace(FAMILY, "") == "" for text in texts(server))


async def test_the_length_that_counts_is_that_of_what_can_be_read(
    server: BotApiServer, tmp_path: Path
) -> None:
    """Marks and addresses are part of the Markdown, and of no message."""
    link = f"[here](https://example.org/{'x' * 200})"
    async with stage(server, tmp_path, conversation=answering(" ".join([link] * 60))) as on:
        await server.user(ANNA).says("where?")
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        [message] = server.sent(ANNA)
        assert message["text"] == " ".join(["here"] * 60)
        assert marked(message, "text_link") == 60 * len("here")


async def test_a_button_that_changes_nothing_sends_nothing_anew(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/settings")
        message = server.sent(ANNA)[0]
        for _ in range(2):
            await server.user(ANNA).presses(message, "Language")
        await server.wait_for(lambda: len(server.calls_of("editMessageText")) == 2)
        await on.channel.settle()
        assert [call.status for call in server.calls_of("editMessageText")] == [200, 400]
        assert len(server.sent(ANNA)) == 1


# -- flood limits ---------------------------------------------------------------------------------


async def test_a_flood_limit_costs_no_formatting_and_is_not_tried_in_vain(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    async with stage(server, tmp_path, conversation=writer, options=options()) as on:
        await server.user(ANNA).says("hi")
        writer.writes("Hel")
        await shows(server, f"Hel{CURSOR}")
        server.fail("editMessageText", retry_after=10)
        writer.finishes("**Hello**")
        await shows(server, "Hello")
        await on.channel.settle()
        assert marked(server.sent(ANNA)[0]) == len("Hello")
        assert [c.status for c in server.calls_of("editMessageText")] == [429, 200]


async def test_during_a_flood_limit_no_preview_is_tried(
    server: BotApiServer, tmp_path: Path
) -> None:
    writer = Writer()
    hasty = options(stop_seconds=0.05)
    async with stage(server, tmp_path, conversation=writer, options=hasty):
        await server.user(ANNA).says("hi")
        writer.writes("slow")
        await shows(server, f"slow{CURSOR}")
        server.fail("editMessageText", retry_after=13_938)
        writer.writes(" and")
        await server.wait_for(lambda: server.calls_of("editMessageText"))
        writer.writes(" steady")
        await hasty.clock.sleep(6)  # six more looks at the reply
        assert len(server.calls_of("editMessageText")) == 1


async def test_typing_is_not_shown_during_its_flood_limit(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    releases = [echo.hold("slow"), echo.hold("slow too")]
    async with stage(server, tmp_path, conversation=echo, options=options()):
        server.fail("sendChatAction", chat_id=ANNA, retry_after=10_000)
        await server.user(ANNA).says("slow")
        await server.wait_for(lambda: server.calls_of("sendChatAction", ANNA))
        await server.user(BORIS).says("slow too")
        await server.wait_for(lambda: len(server.calls_of("sendChatAction", BORIS)) >= 4)
        assert len(server.calls_of("sendChatAction", ANNA)) == 1
        for release in releases:
            release.set()
        assert await server.replies_to(ANNA, 1) == ["you said: slow"], "sending is another matter"


async def test_a_file_waits_for_the_end_of_a_flood_limit(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("sendDocument", retry_after=10)
    async with stage(server, tmp_path, options=options()) as on:
        await on.memory.known.remember(Actor.person(ANNA), "I like tea")
        await server.user(ANNA).says("/export")
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert [c.status for c in server.calls_of("sendDocument")] == [429, 200, 200]


# -- what may have been sent ----------------------------------------------------------------------


async def test_what_found_no_free_connection_is_sent_when_there_is_one(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo, request = Echo(), Watched(connection_pool_size=1, pool_timeout=0.05)
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo, request=request) as on:
        await server.wait_for(lambda: on.channel.listening)
        server.fail("sendChatAction", chat_id=BORIS, delay=3600)
        await server.user(BORIS).says("slow")
        await server.wait_for(lambda: server.calls_of("sendChatAction", BORIS))
        await server.user(ANNA).says("hi")
        await request.failed("sendMessage", "PoolTimeout")
        release.set()
        assert await server.replies_to(ANNA, 1) == ["you said: hi"]
        await on.channel.settle()
        assert texts(server) == ["you said: hi"]


# -- people who can't be reached ------------------------------------------------------------------


@pytest.mark.parametrize(
    "reason",
    [
        "bot was blocked by the user",
        "user is deactivated",
        "bot can't initiate conversation with a user",
    ],
)
async def test_a_notice_to_somebody_who_can_not_be_reached_is_no_error(
    server: BotApiServer, tmp_path: Path, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "hi")
        await tell(on, "I live in Oslo.")
        chat = server.world.chats[ANNA]
        chat.reachable, chat.refusal = False, reason
        await on.memory.talk.end(Actor.person(ANNA), Place("telegram", ANNA), "idle")
        await on.memory.settle()
        await server.wait_for(lambda: server.calls_of("sendMessage", ANNA)[-1].status == 403)
        await on.channel.settle()
        assert len(server.calls_of("sendMessage", ANNA)) == 2, "refused once, and left at that"
        chat.reachable = True
        assert await ask(server, "back again") == "you said: back again"
    assert "update_failed" not in capsys.readouterr().out


async def test_a_chat_that_is_gone_costs_one_try(
    server: BotApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    echo = Echo()
    release = echo.hold("hi")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(ANNA).says("hi")
        await server.wait_for(lambda: echo.heard)
        del server.world.chats[ANNA]
        release.set()
        await on.channel.settle()
        assert len(server.calls_of("sendMessage", ANNA)) <= 1
    assert "update_failed" not in capsys.readouterr().out


# -- order, pieces, ends --------------------------------------------------------------------------


async def test_a_picture_that_takes_its_time_is_not_overtaken(
    server: BotApiServer, tmp_path: Path
) -> None:
    server.fail("getFile", delay=0.5)
    senses = Senses(frozenset((FileKind.PICTURE,)))
    async with stage(server, tmp_path, senses=senses) as on:
        await server.user(ANNA).sends("photo", b"\xff\xd8\xff", caption="What is it?")
        await server.wait_for(lambda: server.calls_of("getFile"))
        await server.user(ANNA).says("And whose?")
        await server.replies_to(ANNA, 2)
        assert [inbound.text.splitlines()[-1] for inbound in on.echo.heard] == [
            "What is it?",
            "And whose?",
        ]


async def test_a_command_after_a_long_text_is_no_piece_of_it(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(ANNA).says("word " * 810)
        await server.user(ANNA).says("/name")
        replies = await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert replies[0].startswith("My name is Mordecai"), "the text still waits for more"
        assert [inbound.text.split()[-1] for inbound in on.echo.heard] == ["word"]


async def test_a_piece_that_waits_for_more_is_answered_before_the_end(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, options=options()) as on:
        await server.user(ANNA).says("word " * 810)
        # Once it asks for later updates, this one is queued: until then it may be left open.
        await server.wait_for(
            lambda: any(int(c.parameters.get("offset") or 0) for c in server.calls_of("getUpdates"))
        )
        await on.end()
        assert on.inbox.open_count == 0
        assert len(texts(server)) == 1


@pytest.mark.parametrize("topic", [1, 7])
async def test_files_go_to_the_topic_they_were_asked_for_in_if_there_still_is_one(
    server: BotApiServer, tmp_path: Path, topic: int
) -> None:
    """The general topic must not be named, and the other one is deleted meanwhile."""
    group, answer = server.group(-1000500), "word " * 6_000
    group.add_topic(7)
    echo = answering(answer)
    release = echo.hold("everything")
    async with stage(server, tmp_path, conversation=echo) as on:
        await server.user(ANNA).says(f"{ME} everything", group=group, topic=topic)
        await server.wait_for(lambda: echo.heard)
        group.remove_topic(7)
        release.set()
        await server.replies_to(group.id, 6)
        await on.channel.settle()
        *_, last, file = server.sent(group.id)
        assert last["text"].endswith("…")
        assert "document" in file


# -- buttons --------------------------------------------------------------------------------------


async def test_a_button_is_let_go_while_a_reply_is_under_way(
    server: BotApiServer, tmp_path: Path
) -> None:
    echo = Echo()
    release = echo.hold("slow")
    async with stage(server, tmp_path, conversation=echo) as on:
        await ask(server, "/settings")
        await server.user(ANNA).says("slow")
        await server.wait_for(lambda: echo.running)
        query = await server.user(ANNA).presses(server.sent(ANNA)[0], "Language")
        await server.wait_for(lambda: query in server.world.answered_queries)
        assert echo.running, "nobody waited for the reply"
        release.set()
        await on.channel.settle()


async def test_a_click_that_is_too_old_to_be_answered_is_carried_out(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        await ask(server, "/settings")
        server.fail("answerCallbackQuery", status=400, description=TOO_OLD)
        await server.user(ANNA).presses(server.sent(ANNA)[0], "Language")
        await shows(server, ENGLISH.settings_language_ask)
        await on.channel.settle()
        assert len(texts(server)) == 1


# -- secrets --------------------------------------------------------------------------------------


async def test_the_address_of_a_file_reaches_neither_log_nor_person_nor_model(
    server: BotApiServer, tmp_path: Path, everything_logged: io.StringIO
) -> None:
    """It has the token in it."""
    senses = Senses(frozenset((FileKind.PICTURE,)))
    async with stage(server, tmp_path, senses=senses, options=options()) as on:
        server.fail("download", status=404, times=3)
        await server.user(ANNA).sends("photo", b"\xff\xd8\xff")
        [sentence] = await server.replies_to(ANNA, 1)
        assert sentence.startswith("I couldn't download your file")
        await server.user(ANNA).sends("photo", b"\xff\xd8\xff")
        await server.replies_to(ANNA, 2)
        [inbound] = on.echo.heard
        told = f"{inbound} {texts(server)} {everything_logged.getvalue()}"
        assert "download_failed" in told
        assert server.token.partition(":")[2] not in told
