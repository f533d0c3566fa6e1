"""Pictures, documents and recordings: fetched when they are answered, as content beside the text;
what can't be taken gets one polite sentence."""

import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.assistant.files import FileKind, NotTranscribed, Transcription
from bot.clock import Clock
from bot.telegram.intake.media import Senses
from bot.telegram.options import ChannelOptions
from bot.texts import ENGLISH
from tests.bot.telegram.intake.test_documents import docx, paragraph
from tests.bot.telegram.stage import stage
from tests.fakes.botapi import BotApiServer
from tests.fakes.clock import FastClock, HeldClock

ANNA, BORIS, GROUP = 1001, 1002, -500
JPEG = b"\xff\xd8\xff\xe0 a picture"
PNG = b"\x89PNG\r\n\x1a\n a picture"
PDF = b"%PDF-1.7 a document"
EVERYTHING = frozenset({FileKind.PICTURE, FileKind.PDF, FileKind.TEXT})
#: How Telegram describes a document of text.
TEXT: dict[str, Any] = {"file_name": "notes.txt", "mime_type": "text/plain"}


class Typist:
    """Writes every recording down as the same words."""

    def __init__(self, words: str | None = "I live in Oslo") -> None:
        self.words = words
        self.heard: list[tuple[bytes, str]] = []

    async def transcribe(
        self, recording: bytes, media_type: str, length: timedelta
    ) -> Transcription:
        """See Transcriber."""
        self.heard.append((recording, media_type))
        if self.words is None:
            raise NotTranscribed
        return Transcription(self.words, length)


def senses(typist: Typist | None = None) -> Senses:
    return Senses(EVERYTHING, typist or Typist())


def fast(clock: Clock | None = None) -> ChannelOptions:
    return ChannelOptions(stop_seconds=5, poll_seconds=5, clock=clock or FastClock(20))


# -- pictures and documents -----------------------------------------------------------------------


async def test_a_photo_goes_to_the_model_with_its_caption(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.user(ANNA).sends("photo", JPEG, caption="What is this?")
        await server.replies_to(ANNA, 1)
        [inbound] = on.echo.heard
    assert inbound.text == "> [a photo]\nWhat is this?"
    [photo] = inbound.attachments
    assert (photo.kind, photo.media_type, photo.data) == (FileKind.PICTURE, "image/jpeg", JPEG)


async def test_a_photo_without_a_caption_is_answered(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.user(ANNA).sends("photo", JPEG)
        assert await server.replies_to(ANNA, 1) == ["you said: > [a photo]"]
        assert len(on.echo.heard[0].attachments) == 1


async def test_an_album_is_one_question(server: BotApiServer, tmp_path: Path) -> None:
    held = HeldClock(20)
    async with stage(server, tmp_path, options=fast(held), senses=senses()) as on:
        for number in range(3):
            caption = "Which is best?" if number == 0 else None
            await server.user(ANNA).sends("photo", JPEG, caption=caption, album="a")
        await server.wait_for(lambda: on.inbox.open_count == 3)
        held.released.set()
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        [inbound] = on.echo.heard
    assert inbound.text == "> [a photo]\nWhich is best?\n> [a photo]\n> [a photo]"
    assert len(inbound.attachments) == 3


async def test_more_than_one_turn_can_hold_goes_on_in_the_next(
    server: BotApiServer, tmp_path: Path
) -> None:
    held = HeldClock(20)
    async with stage(server, tmp_path, options=fast(held), senses=senses()) as on:
        for _ in range(12):
            await server.user(ANNA).sends("photo", JPEG, of=server.user(BORIS))
        await server.wait_for(lambda: on.inbox.open_count == 12)
        held.released.set()
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert [len(inbound.attachments) for inbound in on.echo.heard] == [10, 2]


async def test_a_document_is_what_it_is_and_not_what_it_is_called(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        file: dict[str, Any] = {"file_name": "me.jpg", "mime_type": "image/jpeg"}
        await server.user(ANNA).sends("document", PNG, **file)
        await server.replies_to(ANNA, 1)
        await server.user(ANNA).sends("document", b"MZ a program", **file)
        replies = await server.replies_to(ANNA, 2)
        assert [a.media_type for a in on.echo.heard[0].attachments] == ["image/png"]
        assert len(on.echo.heard) == 1
    assert replies[1].startswith("I can't read the file me.jpg")


async def test_a_pdf_goes_as_it_is(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.user(ANNA).sends("document", PDF, caption="Sum it up")
        await server.replies_to(ANNA, 1)
        [inbound] = on.echo.heard
    assert inbound.text == "> [a document: report.pdf]\nSum it up"
    assert inbound.attachments[0].media_type == "application/pdf"


async def test_a_word_document_goes_as_its_text(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        file: dict[str, Any] = {"file_name": "letter.docx", "mime_type": "application/octet-stream"}
        letter = docx(paragraph("Dear Anna,") + paragraph("I am well."))
        await server.user(ANNA).sends("document", letter, caption="Sum it up", **file)
        await server.replies_to(ANNA, 1)
        [attachment] = on.echo.heard[0].attachments
        assert attachment.data.decode().split("\n")[:2] == ["Dear Anna,", "I am well."]
        await server.user(ANNA).sends("document", letter[:-60], **file)
        await server.replies_to(ANNA, 2)
        await server.user(ANNA).sends("document", docx(paragraph("")), **file)
        replies = await server.replies_to(ANNA, 3)
    assert replies[1].startswith("I can't read the file letter.docx")
    assert replies[2] == "There is no text in the file letter.docx."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
async def test_the_text_of_a_document_goes_in_one_encoding(
    server: BotApiServer, tmp_path: Path, encoding: str
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.user(ANNA).sends("document", "Привет, мир".encode(encoding), **TEXT)
        await server.replies_to(ANNA, 1)
        assert on.echo.heard[0].attachments[0].data.decode() == "Привет, мир"


async def test_a_picture_that_is_answered_is_shown_again(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        group = server.group(GROUP)
        photo = await server.user(BORIS, "Boris").sends("photo", JPEG, group=group)
        text = "@mordecai_test_bot what is this?"
        await server.user(ANNA).says(text, group=group, reply_to=photo)
        await server.replies_to(GROUP, 1)
        [inbound] = on.echo.heard
    assert inbound.text == "> Boris:\n> [a photo]\nwhat is this?"
    assert [a.data for a in inbound.attachments] == [JPEG]


async def test_a_picture_is_asked_about_by_an_answer_without_a_word(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        group = server.group(GROUP)
        photo = await server.user(BORIS, "Boris").sends("photo", JPEG, group=group)
        await server.user(ANNA).says("/ask", group=group, reply_to=photo)
        await server.replies_to(GROUP, 1)
        await server.user(ANNA).sends("photo", JPEG, group=group, caption="/ask")
        await server.replies_to(GROUP, 2)
        assert [i.text for i in on.echo.heard] == ["> Boris:\n> [a photo]", "> [a photo]"]
        assert [len(i.attachments) for i in on.echo.heard] == [1, 1]


async def test_a_question_about_an_older_picture_needs_no_eyes(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path) as on:
        photo = await server.user(ANNA).sends("photo", JPEG)
        await server.replies_to(ANNA, 1)
        await server.user(ANNA).says("do you like it?", reply_to=photo)
        await server.replies_to(ANNA, 2)
        [inbound] = on.echo.heard
        assert inbound.text.endswith("> [a photo]\ndo you like it?")
        assert inbound.attachments == ()


async def test_a_caption_asks_in_a_group(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        group = server.group(GROUP)
        await server.user(ANNA).sends("photo", JPEG, group=group, caption="just us")
        await server.user(ANNA).sends("photo", JPEG, group=group, caption="/ask what is it?")
        await server.replies_to(GROUP, 1)
        [inbound] = on.echo.heard
    assert inbound.text == "> [a photo]\nwhat is it?"


async def test_an_album_in_a_group_is_asked_about_in_one_caption(
    server: BotApiServer, tmp_path: Path
) -> None:
    held = HeldClock(20)
    async with stage(server, tmp_path, options=fast(held), senses=senses()) as on:
        group, anna = server.group(GROUP), server.user(ANNA)
        caption = "@mordecai_test_bot which is best?"
        await anna.sends("photo", JPEG, group=group, album="a", caption=caption)
        await anna.sends("photo", JPEG, group=group, album="a")
        await anna.sends("photo", JPEG, group=group, album="b")
        await server.wait_for(lambda: on.inbox.open_count == 2 and not server.world.waiting)
        held.released.set()
        await server.replies_to(GROUP, 1)
        await on.channel.settle()
        [inbound] = on.echo.heard
    assert inbound.text == "> [a photo]\nwhich is best?\n> [a photo]"
    assert len(inbound.attachments) == 2


async def test_an_album_that_answers_a_picture_shows_it_once(
    server: BotApiServer, tmp_path: Path
) -> None:
    held = HeldClock(20)
    async with stage(server, tmp_path, options=fast(held), senses=senses()) as on:
        anna = server.user(ANNA)
        photo = await anna.sends("photo", JPEG)
        await server.replies_to(ANNA, 1)
        for _ in range(2):
            await anna.sends("photo", PNG, album="a", reply_to=photo)
        await server.wait_for(lambda: on.inbox.open_count == 2)
        held.released.set()
        await server.replies_to(ANNA, 2)
        await on.channel.settle()
        assert [a.data for a in on.echo.heard[-1].attachments] == [JPEG, PNG, PNG]


# -- recordings -----------------------------------------------------------------------------------


async def test_a_voice_message_is_what_its_sender_says(
    server: BotApiServer, tmp_path: Path
) -> None:
    typist = Typist("I live\nin Oslo")
    async with stage(server, tmp_path, senses=senses(typist)) as on:
        await server.user(ANNA).sends("voice", b"OggS")
        assert await server.replies_to(ANNA, 1) == ["you said: I live in Oslo"]
        assert on.echo.heard[0].attachments == ()
    assert typist.heard == [(b"OggS", "audio/ogg")]


async def test_an_audio_file_and_a_forwarded_voice_message_are_quoted(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, options=fast(), senses=senses()) as on:
        await server.user(ANNA).sends("audio", b"ID3", title="Song", mime_type="audio/mpeg")
        await server.replies_to(ANNA, 1)
        await server.user(ANNA).sends("voice", b"OggS", of=server.user(BORIS, "Boris"))
        await server.replies_to(ANNA, 2)
        texts = [inbound.text for inbound in on.echo.heard]
    assert texts == ["> [an audio file: Song] I live in Oslo", "> Boris:\n> I live in Oslo"]


async def test_spoken_and_written_keep_their_order(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        release = on.echo.hold("wait")
        await server.user(ANNA).says("wait")
        await server.wait_for(lambda: on.echo.running)
        await server.user(ANNA).says("hello")
        await server.user(ANNA).sends("voice", b"OggS")
        await server.user(ANNA).says("bye")
        await server.wait_for(lambda: on.inbox.open_count == 4)
        release.set()
        replies = await server.replies_to(ANNA, 2)
    assert replies[1] == "you said: hello\nI live in Oslo\nbye"


@pytest.mark.parametrize(("words", "sentence"), [(None, "couldn't listen"), (" ", "any words")])
async def test_what_can_not_be_made_out_is_said(
    server: BotApiServer, tmp_path: Path, words: str | None, sentence: str
) -> None:
    async with stage(server, tmp_path, senses=senses(Typist(words))) as on:
        await server.user(ANNA).sends("voice", b"OggS")
        [reply] = await server.replies_to(ANNA, 1)
        assert sentence in reply
        assert on.echo.heard == []


async def test_a_long_recording_is_not_fetched(server: BotApiServer, tmp_path: Path) -> None:
    async with stage(server, tmp_path, senses=senses()):
        await server.user(ANNA).sends("voice", b"OggS", duration=601)
        [reply] = await server.replies_to(ANNA, 1)
    assert "up to 10 minutes" in reply
    assert not server.calls_of("getFile")


async def test_what_can_not_be_read_keeps_nothing_else_of_a_burst_from_its_answer(
    server: BotApiServer, tmp_path: Path
) -> None:
    held = HeldClock(20)
    async with stage(server, tmp_path, options=fast(held), senses=senses(Typist(None))) as on:
        anna, boris = server.user(ANNA), server.user(BORIS)
        await anna.sends("story", of=boris)
        await anna.sends("photo", JPEG, of=boris)
        await anna.sends("voice", b"OggS", of=boris)
        await anna.says("Which of these?")
        await server.wait_for(lambda: on.inbox.open_count == 4)
        held.released.set()
        [reply] = await server.replies_to(ANNA, 1)
        [inbound] = on.echo.heard
    assert inbound.text.endswith("> [a recording]\nWhich of these?")
    assert [file.data for file in inbound.attachments] == [JPEG]
    assert "Which of these?\n\nI can't read this kind" in reply


@pytest.mark.parametrize(
    ("kind", "file", "recorded", "why"),
    [
        ("photo", JPEG, "> [a photo]\nmy cat Tom", ENGLISH.sees_nothing),
        ("document", PDF, "> [a document: report.pdf]\nmy cat Tom", ENGLISH.reads_no_documents),
        ("video", b"mp4", "> [a video]\nmy cat Tom", "I can't read this kind"),
        ("voice", b"OggS", "> [a recording]\nmy cat Tom", ENGLISH.hears_nothing),
    ],
)
async def test_the_caption_of_what_can_not_be_read_counts(
    server: BotApiServer, tmp_path: Path, kind: str, file: bytes, recorded: str, why: str
) -> None:
    async with stage(server, tmp_path) as on:
        await server.user(ANNA).sends(kind, file, caption="my cat Tom")
        [reply] = await server.replies_to(ANNA, 1)
        [inbound] = on.echo.heard
    assert inbound.text == recorded
    assert inbound.attachments == ()
    assert reply.startswith(f"you said: {recorded}\n\n{why}")


async def test_the_caption_of_a_file_that_turns_out_too_big_counts(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()):
        large = PDF + b" " * 4_600_000
        await server.user(ANNA).sends("document", large, caption="my cat Tom", file_size=0)
        [reply] = await server.replies_to(ANNA, 1)
    assert "my cat Tom\n\n" in reply
    assert "up to 4.5 MB" in reply


async def test_a_forwarded_caption_counts_and_a_mere_mention_does_not(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, options=fast()) as on:
        anna, boris = server.user(ANNA), server.user(BORIS, "Boris")
        await anna.sends("photo", JPEG, caption="our new boat", of=boris)
        await server.replies_to(ANNA, 1)
        group = server.group(GROUP)
        await anna.sends("photo", JPEG, caption="@mordecai_test_bot", group=group)
        assert await server.replies_to(GROUP, 1) == [ENGLISH.sees_nothing]
        assert [it.text for it in on.echo.heard] == ["> Boris:\n> [a photo]\n> our new boat"]


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [5_000_000, None])
async def test_a_file_that_is_too_big_is_declined(
    server: BotApiServer, tmp_path: Path, told: int | None
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.user(ANNA).sends("document", PDF + b" " * 4_600_000, file_size=told or 0)
        [reply] = await server.replies_to(ANNA, 1)
        assert "up to 4.5 MB" in reply
        assert on.echo.heard == []
        assert len(server.calls_of("getFile")) == (0 if told else 1)


async def test_a_file_that_telegram_lets_no_bot_have_is_too_big(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()):
        await server.user(ANNA).sends("voice", b" " * (21 * 2**20), file_size=0)
        [reply] = await server.replies_to(ANNA, 1)
    assert "up to 20 MB" in reply


async def test_a_fetch_that_fails_is_tried_again(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("getFile", status=502, times=2)
    async with stage(server, tmp_path, options=fast(), senses=senses()) as on:
        await server.user(ANNA).sends("photo", JPEG)
        await server.replies_to(ANNA, 1)
        assert on.echo.heard[0].attachments[0].data == JPEG


async def test_a_file_that_is_gone_is_said_and_no_address_is_logged(
    server: BotApiServer, tmp_path: Path, everything_logged: io.StringIO
) -> None:
    async with stage(server, tmp_path, options=fast(), senses=senses()) as on:
        await server.user(ANNA).sends("photo", file_id="gone")
        [reply] = await server.replies_to(ANNA, 1)
        assert reply.startswith("I couldn't download your file")
        await server.user(ANNA).sends("photo", JPEG)
        await server.replies_to(ANNA, 2)
        assert len(on.echo.heard) == 1
    log = everything_logged.getvalue()
    assert "download_failed" in log
    assert server.token not in log
    assert server.token.partition(":")[2] not in log


async def test_an_album_that_nobody_can_see_gets_one_sentence(
    server: BotApiServer, tmp_path: Path
) -> None:
    held = HeldClock(20)
    async with stage(server, tmp_path, options=fast(held)) as on:
        for _ in range(4):
            await server.user(ANNA).sends("photo", JPEG, album="a")
        await server.wait_for(lambda: on.inbox.open_count == 4)
        held.released.set()
        await server.replies_to(ANNA, 1)
        await on.channel.settle()
        assert [sent["text"] for sent in server.sent(ANNA)] == [ENGLISH.sees_nothing], (
            "a sentence is no error"
        )


async def test_stop_ends_a_fetch(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("getFile", delay=30)
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.user(ANNA).sends("photo", JPEG)
        await server.wait_for(lambda: server.calls_of("getFile"))
        await server.user(ANNA).says("/stop")
        assert await server.replies_to(ANNA, 1) == ["Stopped."]
        assert on.echo.heard == []


async def test_a_photo_is_answered_after_a_restart(server: BotApiServer, tmp_path: Path) -> None:
    server.fail("getFile", delay=30)
    options = ChannelOptions(stop_seconds=0.1, poll_seconds=5)
    async with stage(server, tmp_path, options=options, senses=senses()):
        await server.user(ANNA).sends("photo", JPEG, caption="What is this?")
        await server.wait_for(lambda: server.calls_of("getFile"))
    server.faults.clear()
    async with stage(server, tmp_path, senses=senses()) as on:
        await server.replies_to(ANNA, 1)
        assert on.echo.heard[0].attachments[0].data == JPEG


async def test_a_caption_that_is_changed_in_time_counts(
    server: BotApiServer, tmp_path: Path
) -> None:
    async with stage(server, tmp_path, senses=senses()) as on:
        release = on.echo.hold("wait")
        await server.user(ANNA).says("wait")
        await server.wait_for(lambda: on.echo.running)
        photo = await server.user(ANNA).sends("photo", JPEG, caption="Waht?")
        await server.user(ANNA).edits_caption(photo, "What?")
        await server.user(BORIS).says("hi")
        await server.replies_to(BORIS, 1)
        release.set()
        assert (await server.replies_to(ANNA, 2))[1] == "you said: > [a photo]\nWhat?"
        assert len(on.echo.heard[-1].attachments) == 1
