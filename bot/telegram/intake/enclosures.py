"""Enclosures: what a message holds besides text, in words and as a file to fetch."""

from datetime import timedelta
from pathlib import PurePath

from telegram import Audio, Document, Location, Message, Voice

from bot.assistant.files import LARGEST, EnclosedFile, FileKind
from bot.telegram.formatting.marked import clean

#: Maximum characters quoted of the message replied to.
LONGEST_QUOTE = 500
#: Maximum characters of a file's name or a recording's title.
_LONGEST_NAME = 100

#: Types of text that do not begin with "text/".
_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in (
        "json xml yaml x-yaml toml sql javascript x-javascript x-sh x-python x-ndjson jsonl csv"
    ).split()
)
_TEXT_ENDINGS = frozenset(
    ".txt .md .markdown .rst .csv .tsv .json .jsonl .xml .yaml .yml .toml .ini .cfg .log .tex "
    ".srt .html .htm .css .js .ts .py .java .kt .c .h .cpp .cs .go .rs .rb .php .sh .sql".split()
)


def enclosed_in(message: Message) -> EnclosedFile | None:
    """The file in the message; None if there is none, and for stickers."""
    sizes = [it for it in message.photo if (it.file_size or 0) <= LARGEST[FileKind.PICTURE]]
    if sizes:
        photo = max(sizes, key=lambda it: it.width * it.height)
        size = photo.file_size or 0
        return EnclosedFile(FileKind.PICTURE, photo.file_id, "image/jpeg", size, "photo")
    if message.animation:
        return EnclosedFile(FileKind.OTHER, message.animation.file_id, "video/mp4")
    if moving := message.video or message.video_note:
        return EnclosedFile(FileKind.OTHER, moving.file_id, "video/mp4")
    if recording := message.voice or message.audio:
        return _recording(recording)
    return _document(message.document) if message.document else None


def describe(message: Message) -> str | None:
    """The message's content besides text in a few words; None if there is none."""
    if sticker := message.sticker:
        return f"[a sticker{f': {sticker.emoji}' if sticker.emoji else ''}]"
    if venue := message.venue:
        return f"[a place: {venue.title}, {venue.address} ({_degrees(venue.location)})]"
    if location := message.location:
        return f"[a location: {_degrees(location)}]"
    if contact := message.contact:
        name = " ".join(filter(None, (contact.first_name, contact.last_name)))
        return f"[a contact: {name}, {contact.phone_number}]"
    if poll := message.poll:
        options = "; ".join(option.text for option in poll.options)
        return f"[a poll: {poll.question} ({options})]"
    if dice := message.dice:
        return f"[{dice.emoji} came up {dice.value}]"
    return _describe_file(message)


def _describe_file(message: Message) -> str | None:
    if message.photo:
        return "[a photo]"
    if message.animation:
        return "[an animation]"
    if message.video:
        return "[a video]"
    if message.video_note:
        return "[a video message]"
    if message.voice:
        return "[a voice message]"
    if audio := message.audio:
        return f"[an audio file{_with_name(audio.title or audio.file_name)}]"
    if document := message.document:
        return f"[a document{_with_name(document.file_name)}]"
    return None


def _with_name(name: str | None) -> str:
    return f": {named}" if (named := _name(name)) else ""


def _name(name: str | None) -> str | None:
    """A name on one line, cut but with its extension."""
    whole = " ".join(clean(name or "").split())
    if len(whole) <= _LONGEST_NAME:
        return whole or None
    ending = PurePath(whole).suffix[-10:]
    return f"{whole[: _LONGEST_NAME - len(ending) - 1]}…{ending}"


def _recording(recording: Voice | Audio) -> EnclosedFile:
    length = recording.duration
    return EnclosedFile(
        FileKind.SPEECH,
        recording.file_id,
        recording.mime_type or "audio/ogg",
        recording.file_size or 0,
        length=length if isinstance(length, timedelta) else timedelta(seconds=length),
        mark=_mark(recording.file_unique_id),
    )


def _document(document: Document) -> EnclosedFile:
    media_type = (document.mime_type or "").lower()
    kind = _kind(media_type, PurePath(document.file_name or "").suffix.lower())
    return EnclosedFile(
        kind,
        document.file_id,
        media_type,
        document.file_size or 0,
        _name(document.file_name),
        mark=_mark(document.file_unique_id) if kind is FileKind.SPEECH else "",
    )


def _kind(media_type: str, ending: str) -> FileKind:
    if media_type.startswith("image/") and media_type != "image/svg+xml":
        return FileKind.PICTURE
    if media_type == "application/pdf" or ending == ".pdf":
        return FileKind.PDF
    if media_type.startswith("audio/"):
        return FileKind.SPEECH
    is_text = media_type.startswith("text/") and media_type != "text/rtf"
    if is_text or media_type in _TEXT_TYPES or ending in _TEXT_ENDINGS:
        return FileKind.TEXT
    return FileKind.OTHER


def _mark(unique_id: str) -> str:
    return f"[a recording: {unique_id}]"


def answered_text(message: Message) -> str | None:
    """The text replied to: the part that the sender selected, or its beginning."""
    picked = message.quote.text if message.quote else None
    answered = message.reply_to_message
    if picked is None and answered is None and message.external_reply is None:
        return None
    if picked is None and answered and not answered.forum_topic_created:
        picked = answered.text or answered.caption or describe(answered)
    text = clean(picked or "").strip()
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rstrip() + " […]"


def _degrees(location: Location) -> str:
    return f"{location.latitude:.5f}, {location.longitude:.5f}"
