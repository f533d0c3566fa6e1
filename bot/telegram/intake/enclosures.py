"""Enclosures: what a message holds besides text, in words and as a file to fetch."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import PurePath
from typing import Any

from telegram import (
    Audio,
    ChecklistTask,
    Contact,
    Document,
    ExternalReplyInfo,
    Location,
    Message,
    MessageEntity,
    Voice,
)

from bot.assistant.files import LARGEST, EnclosedFile, FileKind
from bot.telegram.formatting.marked import clean

#: Maximum characters quoted of the message replied to.
LONGEST_QUOTE = 500
#: Maximum characters of a file's name or a recording's title.
_LONGEST_NAME = 100

#: Types of text that do not begin with "text/", and of documents that text can be taken out of.
_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in (
        "json xml yaml x-yaml toml sql javascript x-javascript x-sh x-python x-ndjson jsonl csv "
        "xhtml+xml x-tex x-subrip rtf x-rtf vnd.oasis.opendocument.text "
        "vnd.oasis.opendocument.spreadsheet vnd.oasis.opendocument.presentation "
        "vnd.openxmlformats-officedocument.wordprocessingml.document "
        "vnd.openxmlformats-officedocument.presentationml.presentation"
    ).split()
)
_TEXT_ENDINGS = frozenset(
    ".docx .docm .dotx .pptx .odt .ods .odp .rtf "
    ".txt .text .md .markdown .rst .adoc .org .csv .tsv .json .jsonl .ndjson .xml .yaml .yml .toml "
    ".ini .cfg .conf .env .properties .log .tex .bib .srt .vtt .po .ics .vcf .eml .html .htm "
    ".xhtml .css .scss .js .mjs .jsx .ts .tsx .vue .py .ipynb .java .kt .kts .scala .swift .dart "
    ".c .h .cc .cpp .hpp .cs .go .rs .rb .php .pl .lua .r .m .jl .hs .clj .ex .erl .sh .bash .zsh "
    ".bat .ps1 .sql .proto .graphql .gradle .cmake .tf .diff .patch".split()
)


#: What a message may be besides text, in the order in which it counts: an animation is a document,
#: too, and a venue a location. Each is put into words.
_IN_WORDS: dict[str, Callable[[Any], str]] = {
    "sticker": lambda it: f"a sticker{_after(': ', it.emoji)}",
    "venue": lambda it: f"a place: {it.title}, {it.address} ({_degrees(it.location)})",
    "location": lambda it: f"a location: {_degrees(it)}",
    "contact": lambda it: f"a contact: {_full_name(it)}, {it.phone_number}",
    "poll": lambda it: f"a poll: {it.question} ({'; '.join(o.text for o in it.options)})",
    "dice": lambda it: f"{it.emoji} came up {it.value}",
    "checklist": lambda it: f"a checklist: {it.title} ({'; '.join(map(_task, it.tasks))})",
    "gift": lambda it: f"a gift{_after(' ', it.gift.sticker.emoji)}{_after(': ', it.text)}",
    "unique_gift": lambda it: f"a gift: {it.gift.base_name} #{it.gift.number}",
    "game": lambda it: f"a game: {it.title}{_after(', ', it.description)}",
    "invoice": lambda it: f"an invoice: {it.title}{_after(', ', it.description)}",
    "web_app_data": lambda it: f"data from an app: {it.button_text}: {it.data}",
    "live_photo": lambda _: "a photo",
    "photo": lambda _: "a photo",
    "animation": lambda _: "an animation",
    "video": lambda _: "a video",
    "video_note": lambda _: "a video message",
    "voice": lambda _: "a voice message",
    "audio": lambda it: f"an audio file{_after(': ', _name(it.title or it.file_name))}",
    "document": lambda it: f"a document{_after(': ', _name(it.file_name))}",
    "story": lambda _: "a story",
    "paid_media": lambda _: "paid media",
    "giveaway": lambda _: "a giveaway",
    "giveaway_winners": lambda _: "a giveaway",
    "passport_data": lambda _: "passport data",
    "users_shared": lambda _: "shared contacts",
    "chat_shared": lambda _: "a shared chat",
    "successful_payment": lambda _: "a payment",
}
#: Kinds that bots get nothing of to read.
_SEALED = (
    "story paid_media giveaway giveaway_winners passport_data users_shared chat_shared "
    "successful_payment"
).split()
#: Telegram counts offsets in UTF-16 code units.
_UNITS, _UNIT = "utf-16-le", 2
_UNKNOWN = "[a message of a kind that can't be shown]"

#: Service messages, by their fields: they tell of an event, and nobody addresses them to the bot.
SERVICE = (
    "boost_added channel_chat_created chat_background_set chat_owner_changed chat_owner_left "
    "checklist_tasks_added checklist_tasks_done community_chat_added community_chat_removed "
    "connected_website delete_chat_photo direct_message_price_changed forum_topic_closed "
    "forum_topic_created forum_topic_edited forum_topic_reopened general_forum_topic_hidden "
    "general_forum_topic_unhidden gift_upgrade_sent giveaway_completed giveaway_created "
    "group_chat_created left_chat_member managed_bot_created message_auto_delete_timer_changed "
    "migrate_from_chat_id migrate_to_chat_id new_chat_members new_chat_photo new_chat_title "
    "paid_message_price_changed pinned_message poll_option_added poll_option_deleted "
    "proximity_alert_triggered refunded_payment suggested_post_approval_failed "
    "suggested_post_approved suggested_post_declined suggested_post_paid suggested_post_refunded "
    "supergroup_chat_created video_chat_ended video_chat_participants_invited "
    "video_chat_scheduled video_chat_started write_access_allowed"
).split()


def is_service(message: Message) -> bool:
    """True for a service message, such as that somebody joined or pinned something."""
    # Some are newer than the library.
    return any(getattr(message, it, None) or it in message.api_kwargs for it in SERVICE)


def words_of(message: Message) -> str | None:
    """The text of the message or its caption, with the addresses of its links; None if it has
    neither."""
    if message.text is not None:
        return with_addresses(message.text, message.entities)
    if message.caption is not None:
        return with_addresses(message.caption, message.caption_entities)
    return _rich_text(message) or None


def with_addresses(text: str, entities: Iterable[MessageEntity]) -> str:
    """The text with the address of each link that shows other words: "here (https://…)"."""
    raw = text.encode(_UNITS, "surrogatepass")
    links = [it for it in entities if it.type == MessageEntity.TEXT_LINK and it.url]
    # From the last to the first, so that the places of the others stay right.
    for link in sorted(links, key=lambda it: it.offset + it.length, reverse=True):
        start, end = _UNIT * link.offset, _UNIT * (link.offset + link.length)
        shown = raw[start:end].decode(_UNITS, "replace")
        if _bare(shown) != _bare(link.url or ""):
            raw = raw[:end] + f" ({link.url})".encode(_UNITS, "surrogatepass") + raw[end:]
    return raw.decode(_UNITS, "surrogatepass")


def _bare(address: str) -> str:
    return address.strip().removeprefix("https://").removeprefix("http://").rstrip("/").lower()


def _rich_text(message: Message) -> str:
    """The words of a rich message (Bot API 10.1), which the library doesn't know: a line for each
    block."""
    return "\n".join(filter(None, _rich_lines(message.api_kwargs.get("rich_message"))))


def _rich_lines(block: object) -> Iterator[str]:
    if isinstance(block, list):
        for each in block:
            yield from _rich_lines(each)
    elif isinstance(block, dict):
        yield "".join(_rich_words(block))
        for name in ("blocks", "items", "cells"):
            yield from _rich_lines(block.get(name))


def _rich_words(part: object) -> Iterator[str]:
    """The words of one block without the blocks in it; rich text is a string, a list or an object
    with text."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, list):
        for each in part:
            yield from _rich_words(each)
    elif isinstance(part, dict):
        for name in ("label", "summary", "text", "caption", "expression", "markdown", "html"):
            yield from _rich_words(part.get(name))
        if url := part.get("url"):
            yield f" ({url})"


def enclosed_in(message: Message) -> EnclosedFile | None:
    """The file in the message, or what stands for one that nobody can read; None if it is all
    words."""
    if sizes := message.photo or (message.live_photo.photo if message.live_photo else ()):
        # The largest that is allowed, or the smallest there is.
        fitting = [it for it in sizes if (it.file_size or 0) <= LARGEST[FileKind.PICTURE]]
        by_area = sorted(fitting or sizes, key=lambda it: it.width * it.height)
        photo = by_area[-1 if fitting else 0]
        size = photo.file_size or 0
        return EnclosedFile(FileKind.PICTURE, photo.file_id, "image/jpeg", size, "photo")
    if moving := message.animation or message.video or message.video_note or message.live_photo:
        return EnclosedFile(FileKind.OTHER, moving.file_id, "video/mp4")
    if recording := message.voice or message.audio:
        return _recording(recording)
    if message.document:
        return _document(message.document)
    sealed = any(getattr(message, name) for name in _SEALED)
    return EnclosedFile(FileKind.OTHER, "", "") if sealed or _is_unknown(message) else None


def describe(message: Message | ExternalReplyInfo) -> str | None:
    """The message's content besides text in a few words; None if there is none."""
    for name, in_words in _IN_WORDS.items():
        if content := getattr(message, name, None):
            return f"[{in_words(content)}]"
    return _UNKNOWN if isinstance(message, Message) and _is_unknown(message) else None


def _is_unknown(message: Message) -> bool:
    """True if the message has no text, and nothing else that is known."""
    known = any(getattr(message, name) for name in _IN_WORDS)
    return not known and message.text is None and not _rich_text(message)


def _full_name(contact: Contact) -> str:
    return " ".join(filter(None, (contact.first_name, contact.last_name))) or "somebody"


def _task(task: ChecklistTask) -> str:
    return f"{'☑' if task.completion_date else '☐'} {task.text}"


def _after(mark: str, words: str | None) -> str:
    return f"{mark}{words}" if words else ""


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
    if media_type.startswith("text/") or media_type in _TEXT_TYPES or ending in _TEXT_ENDINGS:
        return FileKind.TEXT
    if not ending and media_type in ("", "application/octet-stream"):
        # "Makefile", "LICENSE": what it is shows when it is read.
        return FileKind.TEXT
    return FileKind.OTHER


def _mark(unique_id: str) -> str:
    return f"[a recording: {unique_id}]"


def answered_text(message: Message) -> str:
    """What is replied to: the part that the sender selected, or its beginning."""
    part, answered, elsewhere = message.quote, message.reply_to_message, message.external_reply
    words: str | None = None
    if part:
        words = with_addresses(part.text, part.entities or ())
    elif answered and not is_service(answered):
        words = words_of(answered) or describe(answered)
    elif elsewhere:
        words = describe(elsewhere)
    elif message.reply_to_story:
        words = "[a story]"
    text = clean(words or "").strip()
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rstrip() + " […]"


def _degrees(location: Location) -> str:
    return f"{location.latitude:.5f}, {location.longitude:.5f}"
