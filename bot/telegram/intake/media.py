"""Media: fetches the files of a message in its turn."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog
from telegram import Bot
from telegram.error import BadRequest, RetryAfter, TelegramError

from bot.assistant.assistant import Assistant
from bot.assistant.files import (
    LARGEST,
    LONGEST_RECORDING,
    Attachment,
    EnclosedFile,
    FileKind,
    NotTranscribed,
    Transcriber,
)
from bot.assistant.inbound import Message
from bot.clock import Clock
from bot.errors import Unreadable
from bot.telegram.delivery.outcomes import name_of, seconds_of
from bot.telegram.formatting.marked import clean
from bot.telegram.intake.documents import Empty, text_in
from bot.texts import Sentence, Texts
from memory.background.threads import compute
from memory.safety.escaping import quote

_log = structlog.get_logger(__name__)

#: Attempts to fetch a file, the pause between them, and the timeout of one, in seconds.
_TRIES, _PAUSE, _LONGEST_TRY = 3, 1.0, 120.0

#: Stands for the words of a recording that can't be transcribed.
_RECORDING = "[a recording]"

#: The first bytes of pictures, which count more than what the sender calls them.
_BEGINNINGS = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class Senses:
    """The files that the bot accepts: the kinds that its model `reads`, and recordings if there is
    a transcriber."""

    reads: frozenset[FileKind] = frozenset()
    transcriber: Transcriber | None = None

    def take(self, kind: FileKind) -> bool:
        """True if the bot accepts files of this kind."""
        return kind in self.reads or (kind is FileKind.SPEECH and self.transcriber is not None)

    def describe(self, texts: Texts) -> str:
        """What to tell a person who sent something else."""
        readable = [texts.file_kinds[kind] for kind in FileKind if self.take(kind)]
        return texts.unknown_file.format(kinds=", ".join((texts.file_kinds["words"], *readable)))


class Declined(Exception):
    """A file makes a message unanswerable; the sentence says why."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__()
        self.sentence = sentence


@contextmanager
def _note_refusal(file: EnclosedFile, refused: dict[EnclosedFile, Declined]) -> Iterator[None]:
    try:
        yield
    except Declined as declined:
        refused[file] = declined


def _expect_more(said: Message, refused: Mapping[EnclosedFile, Declined]) -> None:
    """Raise Declined unless one of the messages has no refused file, or one with words."""
    mute = {file for file in refused if not file.has_words}
    if all(any(file in mute for file in single.files) for single in said.singles):
        raise next(iter(refused.values()))


def _without_mark(text: str, mark: str) -> str:
    """The text with a description of a recording in place of its words. A line of its own would
    count as the sender's words."""
    lines = (quote(_RECORDING) if line == mark else line for line in text.split("\n"))
    return "\n".join(lines).replace(mark, _RECORDING)


class Media:
    """Fetches the files of a message, and transcribes recordings."""

    def __init__(self, bot: Bot, senses: Senses, assistant: Assistant, clock: Clock) -> None:
        self._bot, self._senses, self._clock = bot, senses, clock
        self._assistant = assistant

    async def load(self, said: Message) -> tuple[Message, Sentence | None]:
        """The message with its files attached and its recordings transcribed. If some of the files
        are such as the bot can't accept, their words and the other messages of the burst count, and
        the sentence says why. Raises Declined if there is nothing else."""
        refused: dict[EnclosedFile, Declined] = {}
        for file in said.files:
            if not file.is_context:
                with _note_refusal(file, refused):
                    self._check(file)
        # Nothing is fetched for nothing.
        _expect_more(said, refused)
        for file in said.files:
            if file.is_context and self._senses.take(file.kind):
                with suppress(Declined):
                    said = await self._add(file, said)
            elif not file.is_context and file not in refused:
                with _note_refusal(file, refused):
                    said = await self._add(file, said)
        _expect_more(said, refused)
        for file in refused:
            if file.mark:
                said = replace(said, text=_without_mark(said.text, file.mark))
        return said, next((it.sentence for it in refused.values()), None)

    def _check(self, file: EnclosedFile) -> None:
        """Raise Declined if Telegram's description of the file already rules it out."""
        if file.kind is FileKind.OTHER:
            raise Declined(self._senses.describe)
        if not self._senses.take(file.kind):
            raise Declined(_SENTENCES[file.kind])
        _check_size(file.kind, file.size)
        if file.length > LONGEST_RECORDING:
            raise Declined(_too_long)

    async def _add(self, file: EnclosedFile, said: Message) -> Message:
        data = await self._fetch(file)
        if file.kind is FileKind.SPEECH:
            words = await self._transcribe(file, data, said)
            return replace(said, text=said.text.replace(file.mark, words))
        # Unpacking and decoding a document takes long.
        made = await compute(_attachment, file, data)
        return replace(said, attachments=(*said.attachments, made))

    async def _transcribe(self, file: EnclosedFile, data: bytes, said: Message) -> str:
        """The words of a recording, on one line. Raises Declined."""
        if self._senses.transcriber is None:
            raise Declined(_SENTENCES[FileKind.SPEECH])
        try:
            transcript = await self._senses.transcriber.transcribe(
                data, file.media_type, file.length
            )
        except NotTranscribed:
            raise Declined(lambda texts: texts.unheard_recording) from None
        await self._assistant.count_recording(said, transcript)
        words = " ".join(clean(transcript.text).split())
        if not words:
            raise Declined(lambda texts: texts.wordless_recording)
        return words

    async def _fetch(self, file: EnclosedFile) -> bytes:
        """The file's bytes. Raises Declined. Error texts are not logged: they may contain the URL,
        which has the token in it."""
        for number in range(1, _TRIES + 1):
            pause = _PAUSE * number
            try:
                async with asyncio.timeout(_LONGEST_TRY):
                    return await self._download(file)
            except RetryAfter as limit:
                pause, error = seconds_of(limit), "RetryAfter"
            except BadRequest as refusal:
                if "too big" in refusal.message.lower():
                    raise Declined(_too_big(file.kind)) from None
                error = "BadRequest"
            except (TelegramError, TimeoutError) as failure:
                error = name_of(failure)
            _log.warning("download_failed", kind=file.kind.value, error=error, attempt=number)
            if number < _TRIES:
                await self._clock.sleep(pause)
        raise Declined(lambda texts: texts.lost_file)

    async def _download(self, file: EnclosedFile) -> bytes:
        remote = await self._bot.get_file(file.file_id)
        _check_size(file.kind, remote.file_size or 0)
        data = bytes(await remote.download_as_bytearray())
        _check_size(file.kind, len(data))
        return data


def _check_size(kind: FileKind, size: int) -> None:
    if size > LARGEST[kind]:
        raise Declined(_too_big(kind))


_SENTENCES: dict[FileKind, Sentence] = {
    FileKind.PICTURE: lambda texts: texts.sees_nothing,
    FileKind.PDF: lambda texts: texts.reads_no_documents,
    FileKind.TEXT: lambda texts: texts.reads_no_documents,
    FileKind.SPEECH: lambda texts: texts.hears_nothing,
}


def _too_big(kind: FileKind) -> Sentence:
    return lambda texts: texts.too_big_file.format(largest=f"{LARGEST[kind] / 1_000_000:g}")


def _too_long(texts: Texts) -> str:
    return texts.too_long_recording.format(LONGEST_RECORDING // timedelta(minutes=1))


def _attachment(file: EnclosedFile, data: bytes) -> Attachment:
    """The file for the model. Raises Declined if it is not what its sender calls it."""
    name = file.name or "?"
    unreadable = Declined(lambda texts: texts.unreadable_file.format(name=name))
    if file.kind is FileKind.TEXT:
        try:
            text = text_in(data)
        except Empty:
            raise Declined(lambda texts: texts.empty_file.format(name=name)) from None
        except Unreadable:
            raise unreadable from None
        return Attachment(file.kind, "text/plain", text.encode("utf-8", "replace"), file.name)
    media_type = _media_type(data)
    right = {
        FileKind.PICTURE: media_type.startswith("image/"),
        FileKind.PDF: media_type == "application/pdf",
    }
    if not right.get(file.kind):
        raise unreadable
    return Attachment(file.kind, media_type, data, file.name)


def _media_type(data: bytes) -> str:
    """The media type by the first bytes; empty if no model accepts it."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if b"%PDF-" in data[:1024]:
        return "application/pdf"
    return next((type_ for begins, type_ in _BEGINNINGS if data.startswith(begins)), "")
