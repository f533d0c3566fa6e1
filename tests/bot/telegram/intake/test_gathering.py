"""What belongs together is answered as one: pieces of a long text, albums, forwards; and what is
changed, answered or shown is understood."""

import time
from pathlib import Path

import pytest

from bot.assistant.files import FileKind
from bot.telegram.intake.media import Senses
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from tests.bot.telegram.stage import Stage, ask, stage
from tests.bot.telegram.streaming import texts
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import FastClock, HeldClock

ANNA, BORIS = 1001, 1002


def held() -> tuple[ChannelOptions, HeldClock]:
    """A bot whose time stands still until a test has sent all that belongs together."""
    clock = HeldClock(20)
    return ChannelOptions(stop_seconds=5, poll_seconds=5, clock=clock), clock


async def received(server: BotApiServer, on: Stage, count: int) -> None:
    """Return when the bot has so many messages that are not answered."""
    await server.wait_for(lambda: on.inbox.open_count == count, what=f"{count} messages there")


async def test_the_pieces_of_a_long_text_are_one_question(
    server: BotApiServer, tmp_path: Path
) -> None:
    options, clock = held()
    async with stage(server, tmp_path, options=options) as on:
        for number, piece in enumerate(("word " * 810, "word " * 810, "and the end"), 1):
            await server.user(ANNA).says(piece)
            await received(server, on, number)
        clock.released.set()
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        [inbound] = on.echo.heard
        assert inbound.text.endswith("word\nand the end")


async def test_a_short_text_is_answered_at_once(server: BotApiServer, tmp_path: Path) -> None:
    options = ChannelOptions(stop_seconds=5, poll_seconds=5, clock=FastClock(0.001))
    async with stage(server, tmp_path, options=options):
        assert "hello" in await ask(server, "hello")


async def test_forwards_are_gathered_and_quoted(server: BotApiServer, tmp_path: Path) -> None:
    options, clock = held()
    async with stage(server, tmp_path, options=options) as on:
        for number, text in enumerate(("I am rich", "and I am old"), 1):
            await server.user(ANNA).forwards(text, of=server.user(BORIS, "Boris"))
            await received(server, on, number)
        clock.released.set()
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        [inbound] = on.echo.heard
        assert inbound.text == "> Boris:\n> I am rich\n> Boris:\n> and I am old"


async def test_the_pictures_of_an_album_are_gathered(server: BotApiServer, tmp_path: Path) -> None:
    options, clock = held()
    senses = Senses(frozenset((FileKind.PICTURE,)))
    async with stage(server, tmp_path, options=options, senses=senses) as on:
        for number in (1, 2, 3):
            await server.user(ANNA).sends("photo", b"\xff\xd8\xff", album="a")
            await received(server, on, number)
        clock.released.set()
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        [inbound] = on.echo.heard
        assert len(inbound.attachments) == 3


async def test_a_change_before_the_answer_counts_and_one_after_it_is_answered_only_on_request(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        release = on.echo.hold("first")
        await server.user(ANNA).says("first")
        await server.wait_for(lambda: on.echo.running)
        second = await server.user(ANNA).says("I live in Olso")
        await server.user(ANNA).edits(second, "I live in Oslo")
        assert "hi" in await ask(server, "hi", BORIS), "the change has arrived by now"
        release.set()
        replies = await server.replies_to(ANNA, 2)
        assert "I live in Oslo" in replies[1]
        await server.user(ANNA).edits(second, "I live in Rome")
        await ask(server, "bye", BORIS)
        await on.channel.settle()
        assert texts(server, ANNA)[2:] == [ENGLISH.edited]
        assert len(on.echo.heard) == 4


async def test_what_is_changed_while_it_is_answered_is_answered_as_it_reads_now(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        on.echo.hold("I live in Olso")
        message = await server.user(ANNA).says("I live in Olso")
        await server.wait_for(lambda: on.echo.running)
        await server.user(ANNA).edits(message, "I live in Oslo")
        assert await server.replies_to(ANNA, 1) == ["you said: I live in Oslo"]
        await on.channel.settle()
        assert len(server.sent(ANNA)) == 1


@pytest.mark.parametrize(("seconds", "read"), [(20, "I live in Oslo"), (90, "I live in Olso")])
async def test_a_change_within_a_minute_counts_however_long_the_bot_was_away(
    server: BotApiServer, tmp_path: Path, seconds: int, read: str
) -> None:
    sent_at = int(time.time()) - 300
    message = await server.user(ANNA).says("I live in Olso", date=sent_at)
    await server.user(ANNA).edits(message, "I live in Oslo", date=sent_at + seconds)
    async with stage(server, tmp_path) as on:
        assert await server.replies_to(ANNA, 1) == [f"you said: {read}"]
        await on.channel.settle()
        assert len(on.echo.heard) == 1


async def test_a_change_to_what_is_too_long_is_left_alone(
    server: BotApiServer, tmp_path: Path
) -> None:
    options = ChannelOptions(stop_seconds=5, poll_seconds=5, longest_text=100)
    async with stage(server, tmp_path, options=options) as on:
        release = on.echo.hold("short")
        under_way = await server.user(ANNA).says("short")
        await server.wait_for(lambda: on.echo.running)
        waits = await server.user(ANNA).says("brief")
        for message in (under_way, waits):
            await server.user(ANNA).edits(message, "x" * 101)
        await ask(server, "hi", BORIS)
        release.set()
        assert await server.replies_to(ANNA, 2) == ["you said: short", "you said: brief"]


async def test_one_message_of_a_burst_is_changed_while_the_burst_is_answered(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        first = on.echo.hold("wait")
        on.echo.hold("I live in Olso\nand you?")
        await server.user(ANNA).says("wait")
        await server.wait_for(lambda: on.echo.running)
        message = await server.user(ANNA).says("I live in Olso")
        await server.user(ANNA).says("and you?")
        await ask(server, "hi", BORIS)
        first.set()
        await server.wait_for(lambda: on.echo.heard[-1].text.startswith("I live in Olso"))
        await server.user(ANNA).edits(message, "I live in Oslo")
        replies = await server.replies_to(ANNA, 2)
        assert replies[1] == "you said: I live in Oslo\nand you?"


async def test_the_message_that_is_answered_is_context_and_no_statement(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        first = await server.user(ANNA).says("My dentist is called Miller")
        await server.replies_to(ANNA, 1)
        await server.user(ANNA).says("What was that about?", reply_to=first)
        await server.replies_to(ANNA, 2)
        asked = on.echo.heard[1].text
        assert asked.splitlines()[1:] == ["> My dentist is called Miller", "What was that about?"]
        assert asked.startswith("> ")


async def test_a_question_about_somebodys_message_brings_it_along(
    server: BotApiServer, tmp_path: Path
) -> None:
    group = server.group(-1000500)
    async with stage(server, tmp_path) as on:
        said = await server.user(BORIS, "Boris").says("The moon is a cheese", group=group)
        await server.user(ANNA).says("/ask is that true?", group=group, reply_to=said)
        await server.replies_to(group.id, 1)
        [inbound] = on.echo.heard
        assert inbound.text == "> Boris:\n> The moon is a cheese\nis that true?"


@pytest.mark.parametrize(
    ("kind", "shown"),
    [("sticker", "[a sticker"), ("location", "[a location: "), ("contact", "[a contact: ")],
)
async def test_what_is_no_text_is_put_into_words(
    server: BotApiServer, tmp_path: Path, kind: str, shown: str
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(ANNA).sends(kind)
        await server.replies_to(ANNA, 1)
        [inbound] = on.echo.heard
        assert inbound.text.startswith(f"> {shown}"), "shown, and nothing that Anna says of herself"
