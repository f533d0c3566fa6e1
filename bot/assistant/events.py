"""What comes of an inbound: pieces of an answer as it grows, and replies."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Protocol

from bot.assistant.inbound import Click, Command, Message
from memory.records import Place


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A further piece of the answer as the model writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model called a tool; what was written before it was a preamble, not the answer."""

    name: str


@dataclass(frozen=True, slots=True)
class Button:
    """A button: what it says, and the data that a press of it brings back (at most 64 bytes)."""

    label: str
    data: str


ButtonRows = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A file to send."""

    name: str
    content: bytes = field(repr=False)
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A reply that the very next message of the same person may answer by typing.

    `reads` is given that message and the id under which the channel sent the question; it returns
    the command or click that the answer stands for, or None if it is no answer."""

    reads: Callable[[Message, int], "Command | Click | None"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What is to be said.

    `markdown` marks the model's own answer, whose turn is on record: the channel keeps it until it
    is delivered. Any other text is plain, one of the bot's own sentences. `replaces` is the bot's
    message that reads so from now on, instead of a new message. `private` puts the 🔒 mark before
    it; None leaves that to the assistant. A `note` is shown at the pressed button, not in the
    chat. A reply with a `failure` (its kind) says why there is no answer; `error_id` is what the
    operator's log calls it."""

    text: str
    buttons: ButtonRows = ()
    documents: tuple[Document, ...] = ()
    replaces: int | None = None
    markdown: bool = False
    private: bool | None = None
    note: bool = False
    question: Question | None = None
    failure: str = ""
    error_id: str = field(default="", compare=False)

    @property
    def silent(self) -> bool:
        """True if there is nothing to deliver."""
        return not (self.text or self.documents)


#: A refusal that says nothing.
SILENCE = Reply("", private=False)

Event = TextDelta | ToolCalled | Reply


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be said in a place where nobody has just asked: a session was saved, somebody
    wants in, a guest was approved."""

    place: Place
    reply: Reply


class Conversing(Protocol):
    """What the assistant needs of the conversation."""

    def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """Answer one message. The last event is a Reply; the turn is recorded before it is yielded
        unless it is a failure. Closing the iterator early ends the model's work; nothing is
        recorded then."""
        ...
