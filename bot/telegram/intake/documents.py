"""Documents: the text in a file that is more than plain text, or in an encoding of its own. Pure.

Files come from anybody, so nothing in one is believed: neither the sizes that it names nor what it
would expand to."""

import io
import re
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

from bot.errors import Unreadable, parse_untrusted

#: Maximum characters taken from one document; far more than a model is shown.
_MOST_TEXT = 1_000_000
#: Maximum bytes unpacked from one document, and how many times larger than packed a big part may
#: be. Real documents grow tenfold, bombs a thousandfold.
_MOST_UNPACKED, _MOST_GROWTH, _BIG = 20_000_000, 200, 1_000_000
#: Parsers go over an unfinished piece of markup again for each chunk, so chunks are few.
_CHUNK = 1_000_000

_SLIDE = re.compile(r"ppt/slides/slide(\d{1,5})\.xml")
#: What the markup says, by names without namespaces, which Office and OpenDocument have in common.
_OFFICE_TEXT, _OPEN_TEXT = frozenset({"t"}), frozenset({"p", "h"})
_PARAGRAPHS, _CELLS, _ROWS = {"p", "h"}, {"tc", "table-cell"}, {"tr", "table-row"}
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "line-break": "\n", "s": " ", "numPr": "- "}
#: Second versions, comments, what was deleted, and where tabs stop.
_SKIPPED = {"Fallback", "annotation", "tracked-changes", "note-citation", "tabs"}

#: Encodings that a document may declare.
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w-]{2,20})""", re.IGNORECASE)
_KNOWN_ENCODING = re.compile(r"utf|iso|latin|windows|cp\d|koi8|shift|sjis|euc|gb|big5|mac|tis")

_RTF = re.compile(
    r"\\(?P<word>[a-z]{1,32})(?P<number>-?\d{1,9})? ?|\\'(?P<byte>[0-9a-f]{2})|\\(?P<sign>.)"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_RTF_SIGNS = {"par": "\n", "line": "\n", "row": "\n", "tab": "\t", "cell": "\t", "~": " "}
_RTF_SKIPPED = frozenset(
    "fonttbl colortbl stylesheet info pict object header footer themedata".split()
)


class Empty(Unreadable):
    """The file has no text."""


def text_in(data: bytes) -> str:
    """The text of a document, whatever it is called: Word, PowerPoint, OpenDocument, RTF, or plain
    text in any common encoding. Raises Unreadable, Empty. Takes long: call it in a thread."""
    text = parse_untrusted(_read, data)
    if not text.strip():
        raise Empty
    return text[:_MOST_TEXT]


def _read(data: bytes) -> str:
    if data.startswith(b"PK\x03\x04"):
        return "".join(_unpack(data))
    if data.startswith(b"{\\rtf"):
        return "".join(_rtf_text(data.decode("latin-1")))
    return _decode(data)


# -- Word, PowerPoint, OpenDocument ---------------------------------------------------------------


def _unpack(data: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        slides = {int(it[1]): it[0] for it in map(_SLIDE.fullmatch, names) if it}
        if "word/document.xml" in names:
            parts, within = ["word/document.xml"], _OFFICE_TEXT
        elif slides:
            parts, within = [slides[number] for number in sorted(slides)], _OFFICE_TEXT
        elif "content.xml" in names:
            parts, within = ["content.xml"], _OPEN_TEXT
        else:
            raise Unreadable
        left = _MOST_UNPACKED
        markup = _Markup(within)
        for part in parts:
            info = archive.getinfo(part)
            if info.file_size > max(_BIG, _MOST_GROWTH * info.compress_size):
                raise Unreadable
            with archive.open(info) as opened:
                markup.begin()
                while left > 0 and not markup.is_full and (chunk := opened.read(_CHUNK)):
                    left -= len(chunk)
                    markup.feed(chunk)
            yield from markup.take()


class _Markup:
    """Collects the text of a document's markup, whose text stands `within` these elements."""

    def __init__(self, within: frozenset[str]) -> None:
        self._within = within
        self._found: list[str] = []
        self._length = 0

    def begin(self) -> None:
        """Begin another part."""
        self._inside = self._skipped = self._cells = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        # Without a document type there are no entities, which could expand without end.
        self._parser.StartDoctypeDeclHandler = self._refuse

    def feed(self, chunk: bytes) -> None:
        self._parser.Parse(chunk, False)

    @property
    def is_full(self) -> bool:
        """True if no more text is wanted."""
        return self._length >= _MOST_TEXT

    def take(self) -> list[str]:
        """The text so far."""
        found, self._found = self._found, []
        return [*found, "\n"]

    def _start(self, element: str, _attributes: object) -> None:
        name = element.rpartition(" ")[2]
        self._skipped += name in _SKIPPED
        self._cells += name in _CELLS
        self._inside += name in self._within
        self._add(_SIGNS.get(name, ""))

    def _end(self, element: str) -> None:
        name = element.rpartition(" ")[2]
        self._skipped -= name in _SKIPPED
        self._cells -= name in _CELLS
        self._inside -= name in self._within
        if name in _PARAGRAPHS:
            self._add(" " if self._cells else "\n")
        elif name in _CELLS:
            self._add("\t")
        elif name in _ROWS:
            self._add("\n")

    def _text(self, text: str) -> None:
        if self._inside:
            self._add(text)

    def _add(self, text: str) -> None:
        if text and not self._skipped:
            self._found.append(text)
            self._length += len(text)

    def _refuse(self, *_declaration: object) -> None:
        raise Unreadable


# -- RTF ------------------------------------------------------------------------------------------


def _rtf_text(source: str) -> Iterator[str]:
    page = re.search(r"\\ansicpg(\d{3,5})", source[:2000])
    encoding, bytes_ = f"cp{page[1]}" if page else "cp1252", bytearray()
    # What older programs show instead of the character before.
    instead = 0
    for token in _rtf_tokens(source):
        if token["byte"]:
            bytes_ += b"" if instead else bytes.fromhex(token["byte"])
            instead = 0
            continue
        yield bytes_.decode(encoding, "replace")
        bytes_.clear()
        if token["word"] == "u" and token["number"]:
            yield chr(int(token["number"]) % 0x10000)
            instead = 1
            continue
        text = token["text"] or (token["sign"] if token["sign"] in tuple("\\{}") else "")
        yield (text or _RTF_SIGNS.get(token["word"] or token["sign"] or "", ""))[instead:]
        instead = 0
    yield bytes_.decode(encoding, "replace")


def _rtf_tokens(source: str) -> Iterator[re.Match[str]]:
    """The tokens of RTF that are outside of groups without text. Groups in braces nest."""
    skips = [False]
    for token in _RTF.finditer(source):
        if token["brace"] == "{":
            skips.append(skips[-1])
        elif token["brace"]:
            skips.pop()
            # What follows the last group is no text.
            skips = skips or [True]
        elif token["sign"] == "*" or token["word"] in _RTF_SKIPPED:
            skips[-1] = True
        elif not skips[-1]:
            yield token


# -- plain text -----------------------------------------------------------------------------------


def _decode(data: bytes) -> str:
    """Plain text in its encoding. Raises Unreadable if it is none, UnicodeDecodeError."""
    text = data.decode(_encoding_of(data)).removeprefix("\ufeff")
    odd = sum(text.count(chr(code)) for code in range(32) if chr(code) not in "\t\n\r\f\x1b")
    if "\0" in text or odd * 100 > len(text):
        raise Unreadable
    return text


def _encoding_of(data: bytes) -> str:
    """The encoding by its mark, its validity, its own declaration or, last, its look."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if _is_in("utf-8", data):
        # Text in UTF-16 that is all ASCII is valid here too.
        half = len(data) // 2
        for encoding, zeros in (("utf-16-le", data[1::2]), ("utf-16-be", data[::2])):
            if zeros.count(0) * 2 > half:
                return encoding
        return "utf-8"
    declared = _DECLARED.search(data[:2000])
    name = declared[1].decode("ascii").lower() if declared else ""
    if _KNOWN_ENCODING.match(name) and _is_in(name, data):
        return name
    return _likely_encoding(data)


def _likely_encoding(data: bytes) -> str:
    """The encoding by which bytes stand beside each other: accents stand alone among ASCII letters,
    Cyrillic fills words with the upper quarter of the bytes, the rest is in pairs."""
    high = re.findall(rb"[\x80-\xff]+", data)
    count = sum(map(len, high))
    if sum(len(run) for run in high if len(run) < 3) * 2 > count:
        return "cp1252" if _is_in("cp1252", data) else "latin-1"
    bytes_ = b"".join(high)
    if sum(byte >= 0xC0 for byte in bytes_) * 20 > count * 17:
        # KOI8 has its small letters where the other has its capitals.
        small = sum(byte >= 0xE0 for byte in bytes_)
        return "cp1251" if small * 2 > count else "koi8_r"
    for encoding, usual, least in (
        ("cp932", "[\u3040-\u30ff]", 20),
        ("euc_jp", "[\u3040-\u30ff]", 20),
        ("euc_kr", "[\uac00-\ud7a3]", 80),
        ("gb2312", "[\u4e00-\u9fff]", 50),
        ("big5", "[\u4e00-\u9fff]", 50),
        ("gb18030", "[\u4e00-\u9fff]", 50),
    ):
        if _is_in(encoding, data):
            text = data.decode(encoding)
            if len(re.findall(usual, text)) * 100 > least * sum(char > "\x7f" for char in text):
                return encoding
    raise Unreadable


def _is_in(encoding: str, data: bytes) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True
