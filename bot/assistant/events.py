"""What goes into one turn of conversation and what comes out of it. No Telegram object and no
model vendor's type passes through here."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from memory.records import Actor, Place


class FileKind(StrEnum):
    """What a file is, as far as it matters who can read it. SPEECH is written down before anybody
    reads it; OTHER nobody reads."""

    PICTURE = "images"
    PDF = "pdf"
    TEXT = "text"
    SPEECH = "speech"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message, for the model to look at in this one turn. The data of a
    TEXT is UTF-8. It is nobody's own words."""

    kind: FileKind
    media_type: str
    data: bytes = field(repr=False)
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Inbound:
    """A user's message (or merged burst), ready to be answered. `id` names it for good: the same
    message delivered twice has the same id. The text tells of attachments in quoted lines, and is
    all that is recorded. `user_id` is whose message it is: people may have one name."""

    id: str
    actor: Actor
    place: Place
    text: str
    at: datetime
    speaker: str | None = None
    language: str | None = None
    user_id: int | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A further piece of the reply as the model writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model called a tool; what was written before it was a preamble, not the answer."""

    name: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The whole reply; the turn is recorded. `session_ended` says that it was the session's last.
    Tokens are those of all requests of the turn."""

    text: str
    session_ended: bool = False
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no reply; `text` is one polite sentence for the user, in English, and `kind` says
    what it is about, for who can say it in other languages. Where something was wrong that the
    operator may mend, the log has the `error_id`. Nothing was recorded."""

    text: str
    kind: str = ""
    error_id: str = field(default="", compare=False)


ReplyEvent = TextDelta | ToolCalled | Finished | Failed


class Conversing(Protocol):
    """What a channel needs of the conversation."""

    def reply(self, inbound: Inbound) -> AsyncIterator[ReplyEvent]:
        """Answer one inbound. The last event is Finished or Failed; the turn is recorded before
        Finished is yielded. Closing the iterator early ends the model's work; nothing is
        recorded then."""
        ...


class NotTranscribed(Exception):
    """A recording could not be written down; the text says why and what to do, to the operator."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is said in a recording; no words if there are none. The recording was this long, and
    writing it down cost so many US dollars; None if nobody knows."""

    text: str
    length: timedelta = timedelta(0)
    cost: Decimal | None = None


class Transcriber(Protocol):
    """Writes down what is said in a recording."""

    async def transcribe(self, recording: bytes, media_type: str, length: timedelta) -> Transcript:
        """Write it down. It is said to be of this length; no length is an unknown one. Raises
        NotTranscribed."""
        ...
