"""Files that come with a message: what they are, and how much of them one turn takes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol


class FileKind(StrEnum):
    """What a file is, as far as it matters who can read it. SPEECH is transcribed before anybody
    reads it; nobody reads OTHER."""

    PICTURE = "images"
    PDF = "pdf"
    TEXT = "text"
    SPEECH = "speech"
    OTHER = "other"


#: The largest file of each kind, in bytes. Pictures and PDFs: what Bedrock's Converse takes, the
#: strictest of the vendors. Recordings: what the Bot API lets bots fetch.
LARGEST = {
    FileKind.PICTURE: 3_750_000,
    FileKind.PDF: 4_500_000,
    FileKind.TEXT: 1_000_000,
    FileKind.SPEECH: 20_000_000,
    FileKind.OTHER: 0,
}
#: The longest recording that is transcribed.
LONGEST_RECORDING = timedelta(minutes=10)
#: What one turn takes together: files, PDFs among them (Converse again), and bytes that go to the
#: model.
MOST_FILES, MOST_PDFS, MOST_BYTES = 10, 5, 15_000_000


@dataclass(frozen=True, slots=True)
class EnclosedFile:
    """A file of a message that the channel has not fetched yet. `size` is in bytes, as far as the
    channel tells. `mark` stands in the message's text where the words of a recording will come.
    A file that `is_context` belongs to the message that is answered: a turn can do without it."""

    kind: FileKind
    file_id: str
    media_type: str
    size: int = 0
    name: str | None = None
    length: timedelta = timedelta(0)
    mark: str = ""
    is_context: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message, for the model to look at in this one turn. The data of a
    TEXT is UTF-8. It is nobody's own words."""

    kind: FileKind
    media_type: str
    data: bytes = field(repr=False)
    name: str | None = None


def go_together(files: Iterable[EnclosedFile]) -> bool:
    """True if these files are not too much for one turn."""
    kinds = [(file.kind, file.size) for file in files]
    shown = sum(size for kind, size in kinds if kind is not FileKind.SPEECH)
    pdfs = sum(kind is FileKind.PDF for kind, _ in kinds)
    return len(kinds) <= MOST_FILES and pdfs <= MOST_PDFS and shown <= MOST_BYTES


class NotTranscribed(Exception):
    """A recording could not be transcribed; the text tells the operator why and what to do."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is said in a recording; no words if there are none. `length` is how long it was, `cost`
    what transcribing it cost in US dollars, None if nobody knows."""

    text: str
    length: timedelta = timedelta(0)
    cost: Decimal | None = None


class Transcriber(Protocol):
    """Turns recordings into text."""

    async def transcribe(self, recording: bytes, media_type: str, length: timedelta) -> Transcript:
        """What is said in a recording of this length; zero means unknown. Raises NotTranscribed."""
        ...
