"""Pure: what a message's file is, and what goes together in one turn."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import Chat, Document, Message, PhotoSize

from bot.assistant.files import (
    LARGEST,
    MOST_BYTES,
    MOST_FILES,
    MOST_PDFS,
    EnclosedFile,
    FileKind,
    go_together,
)
from bot.assistant.inbound import Message as Inbound
from bot.telegram.intake.enclosures import describe, enclosed_in
from bot.telegram.intake.updates import inbound_of
from memory.records import own_words
from tests.fakes.botapi.people import _MEDIA, _PHOTO


def holding(document: Document) -> Message:
    return Message(1, datetime.now(UTC), Chat(1, "private"), document=document)


@pytest.mark.parametrize(
    ("name", "media_type", "kind"),
    [
        ("photo.png", "image/png", FileKind.PICTURE),
        ("report.pdf", "application/pdf", FileKind.PDF),
        ("report.PDF", None, FileKind.PDF),
        ("notes.md", "text/markdown", FileKind.TEXT),
        ("data.csv", "text/comma-separated-values", FileKind.TEXT),
        ("main.rs", "application/octet-stream", FileKind.TEXT),
        ("data.json", "application/json", FileKind.TEXT),
        ("talk.ogg", "audio/ogg", FileKind.SPEECH),
        ("logo.svg", "image/svg+xml", FileKind.OTHER),
        ("letter.rtf", "text/rtf", FileKind.TEXT),
        ("letter.docx", None, FileKind.TEXT),
        ("Makefile", "application/octet-stream", FileKind.TEXT),
        ("app.exe", "application/octet-stream", FileKind.OTHER),
        ("old.doc", "application/msword", FileKind.OTHER),
        ("all.zip", "application/zip", FileKind.OTHER),
    ],
)
def test_a_document_is_of_the_kind_that_its_type_or_ending_says(
    name: str | None, media_type: str | None, kind: FileKind
) -> None:
    enclosed = enclosed_in(holding(Document("f", "u", name, media_type)))
    assert enclosed
    assert enclosed.kind is kind


def test_a_photo_is_taken_in_the_largest_size_that_may_be_shown() -> None:
    sizes = [
        PhotoSize("small", "s", 90, 90, 1_000),
        PhotoSize("large", "l", 1280, 1280, 300_000),
        PhotoSize("huge", "h", 9000, 9000, LARGEST[FileKind.PICTURE] + 1),
    ]
    enclosed = enclosed_in(Message(1, datetime.now(UTC), Chat(1, "private"), photo=sizes))
    assert enclosed
    assert enclosed.file_id == "large"


def test_a_photo_with_one_size_that_is_too_large_is_declined_and_not_dropped() -> None:
    sizes = [PhotoSize("huge", "h", 4000, 3000, LARGEST[FileKind.PICTURE] + 1)]
    enclosed = enclosed_in(Message(1, datetime.now(UTC), Chat(1, "private"), photo=sizes))
    assert enclosed
    assert enclosed.size > LARGEST[FileKind.PICTURE]


def test_a_long_name_keeps_its_ending_and_stays_on_one_line() -> None:
    told = describe(holding(Document("f", "u", "a\nb" + "c" * 300 + ".pdf")))
    assert told
    assert told.startswith("[a document: a bccc")
    assert told.endswith("….pdf]")
    assert len(told) < 130


_files = st.builds(
    EnclosedFile,
    st.sampled_from(FileKind),
    st.text(max_size=3),
    st.just(""),
    st.integers(0, 5_000_000),
)


@given(st.lists(_files, max_size=14))
def test_what_goes_together_is_within_all_limits(files: list[EnclosedFile]) -> None:
    pdfs = [file for file in files if file.kind is FileKind.PDF]
    size = sum(file.size for file in files if file.kind is not FileKind.SPEECH)
    within = len(files) <= MOST_FILES and len(pdfs) <= MOST_PDFS and size <= MOST_BYTES
    assert go_together(files) is within


@pytest.mark.parametrize("kind", ["photo", *(kind for kind in _MEDIA if kind != "voice")])
@given(st.text("ab c>[]\n", max_size=30))
def test_what_a_message_shows_is_nobodys_own_word(kind: str, caption: str) -> None:
    media = [_PHOTO] if kind == "photo" else _MEDIA[kind]
    user = {"id": 1, "is_bot": False, "first_name": "Anna"}
    message = Message.de_json(
        {
            "message_id": 1,
            "date": 1_790_000_000,
            "chat": {"id": 1, "type": "private"},
            "from": user,
            "caption": caption,
            kind: media,
        },
        None,
    )
    assert message.from_user
    heard = inbound_of(1, message, message.from_user)
    assert isinstance(heard, Inbound)
    assert heard.text.startswith("> [")
    assert own_words(heard.text).split() == own_words(caption.strip()).split()
