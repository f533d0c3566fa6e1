"""Media: the files of a message are fetched, looked at and written down when it is answered."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog
from telegram import Bot
from telegram.error import BadRequest, RetryAfter, TelegramError

from bot.assistant.events import (
    Attachment,
    FileKind,
    Inbound,
    NotTranscribed,
    Transcriber,
    Transcript,
)
from bot.people.usage import Accounts, Usage
from bot.telegram.delivery.clock import Clock
from bot.telegram.delivery.failures import seconds_of
from bot.telegram.formatting.text import clean
from bot.telegram.intake.enclosures import LARGEST, LONGEST_RECORDING, Enclosed
from bot.telegram.intake.said import Said
from bot.texts import Sentence, Texts
from memory.errors import StoreUnavailable
from memory.memory import Memory

_log = structlog.get_logger(__name__)

#: How often a file is asked for, with pauses in between, and how long one try may take, in seconds.
_TRIES, _PAUSE, _LONGEST_TRY = 3, 1.0, 120.0

#: How pictures begin, whatever their sender calls them.
_BEGINNINGS = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
)


@dataclass(frozen=True, slots=True)
class Senses:
    """What the bot takes in besides messages: files of the kinds that its model `reads`, and
    recordings if there is a transcriber."""

    reads: frozenset[FileKind] = frozenset()
    transcriber: Transcriber | None = None

    def take(self, kind: FileKind) -> bool:
        """Whether there is something to be done with files of this kind."""
        return kind in self.reads or (kind is FileKind.SPEECH and self.transcriber is not None)


@dataclass(frozen=True, slots=True)
class Declined:
    """A message that can't be answered for what it holds; the sentence says why."""

    sentence: Sentence


class _Refused(Exception):
    """A file that can't be taken; the sentence says why."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__()
        self.sentence = sentence


class Media:
    """Makes of what was said, with files still at Telegram, what the conversation answers."""

    def __init__(
        self, bot: Bot, senses: Senses, memory: Memory, accounts: Accounts, clock: Clock
    ) -> None:
        """The memory tells to which session the account is to put what recordings cost."""
        self._bot, self._senses, self._clock = bot, senses, clock
        self._memory, self._accounts = memory, accounts

    async def received(self, said: Said) -> Inbound | Declined:
        """What was said, with its pictures and documents, and with recordings written down. A file
        that can't be taken declines all of it, unless a turn can do without it."""
        inbound = said.inbound
        try:
            self._check(said)
            for file in said.files:
                inbound = await self._with(file, inbound)
        except _Refused as refusal:
            return Declined(refusal.sentence)
        return inbound

    def _check(self, said: Said) -> None:
        """Raise _Refused for what Telegram's own description already rules out."""
        for file in said.files:
            if not file.is_context:
                _check_kind(file, self._senses)
                _check_size(file.kind, file.size)
                if file.length > LONGEST_RECORDING:
                    raise _Refused(_too_long)

    async def _with(self, file: Enclosed, inbound: Inbound) -> Inbound:
        if not file.is_context:
            return await self._taken(file, inbound)
        if not self._senses.take(file.kind):
            return inbound
        try:
            return await self._taken(file, inbound)
        except _Refused:
            return inbound

    async def _taken(self, file: Enclosed, inbound: Inbound) -> Inbound:
        data = await self._fetched(file)
        if file.kind is FileKind.SPEECH:
            words = await self._written_down(file, data, inbound)
            return replace(inbound, text=inbound.text.replace(file.mark, words))
        attachment = _attachment(file, data)
        return replace(inbound, attachments=(*inbound.attachments, attachment))

    async def _written_down(self, file: Enclosed, data: bytes, inbound: Inbound) -> str:
        """What is said in a recording, on one line. Raises _Refused."""
        if self._senses.transcriber is None:
            raise _Refused(lambda texts: texts.hears_nothing)
        try:
            transcript = await self._senses.transcriber.transcribe(
                data, file.media_type, file.length
            )
        except NotTranscribed:
            raise _Refused(lambda texts: texts.unheard_recording) from None
        await self._count(transcript, inbound)
        words = " ".join(clean(transcript.text).split())
        if not words:
            raise _Refused(lambda texts: texts.wordless_recording)
        return words

    async def _count(self, transcript: Transcript, inbound: Inbound) -> None:
        """Add what was written down to the account, whether there were words in it or not."""
        try:
            session = (await self._memory.talk.session_now(inbound.actor, inbound.place)).id
        except StoreUnavailable:
            session = ""
        usage = Usage.of_recording(transcript.length, transcript.cost)
        self._accounts.note_recording(inbound.actor, session, usage, inbound.user_id)

    async def _fetched(self, file: Enclosed) -> bytes:
        """The file's bytes. Raises _Refused. No error's text is logged: it may hold the address,
        and that the token."""
        for number in range(1, _TRIES + 1):
            pause = _PAUSE * number
            try:
                async with asyncio.timeout(_LONGEST_TRY):
                    return await self._fetch(file)
            except RetryAfter as limit:
                pause, error = seconds_of(limit), "RetryAfter"
            except BadRequest as refusal:
                if "too big" in refusal.message.lower():
                    raise _Refused(_too_big(file.kind)) from None
                error = "BadRequest"
            except (TelegramError, TimeoutError) as failure:
                error = type(failure.__cause__ or failure).__name__
            _log.warning("download_failed", kind=file.kind.value, error=error, attempt=number)
            if number < _TRIES:
                await self._clock.sleep(pause)
        raise _Refused(lambda texts: texts.lost_file)

    async def _fetch(self, file: Enclosed) -> bytes:
        remote = await self._bot.get_file(file.file_id)
        _check_size(file.kind, remote.file_size or 0)
        data = bytes(await remote.download_as_bytearray())
        _check_size(file.kind, len(data))
        return data


def _check_kind(file: Enclosed, senses: Senses) -> None:
    if not senses.take(file.kind):
        raise _Refused(_SENTENCES[file.kind])


def _check_size(kind: FileKind, size: int) -> None:
    if size > LARGEST[kind]:
        raise _Refused(_too_big(kind))


_SENTENCES: dict[FileKind, Sentence] = {
    FileKind.PICTURE: lambda texts: texts.sees_nothing,
    FileKind.PDF: lambda texts: texts.reads_no_documents,
    FileKind.TEXT: lambda texts: texts.reads_no_documents,
    FileKind.SPEECH: lambda texts: texts.hears_nothing,
    FileKind.OTHER: lambda texts: texts.unknown_file,
}


def _too_big(kind: FileKind) -> Sentence:
    return lambda texts: texts.too_big_file.format(largest=f"{LARGEST[kind] / 1_000_000:g}")


def _too_long(texts: Texts) -> str:
    return texts.too_long_recording.format(LONGEST_RECORDING // timedelta(minutes=1))


def _attachment(file: Enclosed, data: bytes) -> Attachment:
    """The file as the model takes it. Raises _Refused if it is not what its sender calls it."""
    if file.kind is FileKind.TEXT:
        text = _text(data)
        media_type = "text/plain"
        data = (text or "").encode()
    else:
        text, media_type = None, _media_type(data)
    right = {
        FileKind.TEXT: text is not None,
        FileKind.PICTURE: media_type.startswith("image/"),
        FileKind.PDF: media_type == "application/pdf",
    }
    if not right.get(file.kind):
        raise _Refused(lambda texts: texts.unreadable_file.format(name=file.name or "?"))
    return Attachment(file.kind, media_type, data, file.name)


def _media_type(data: bytes) -> str:
    """What the data is by its beginning; empty if no model takes it."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if b"%PDF-" in data[:1024]:
        return "application/pdf"
    return next((type_ for begins, type_ in _BEGINNINGS if data.startswith(begins)), "")


def _text(data: bytes) -> str | None:
    """The text of a document; None if it is none, or in an encoding that nobody names."""
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or not text.strip() else text
