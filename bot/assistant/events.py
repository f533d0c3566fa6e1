"""Events of a turn: pieces of the answer as it grows, and the reply."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.assistant.inbound import Message
from memory.records import Place
from tools.context import TurnEffects


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer as the model writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model called a tool; the text before the call was a preamble, not the answer."""

    name: str


@dataclass(frozen=True, slots=True)
class Button:
    """A button; a click on it carries its `data` (at most 64 bytes)."""

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
    """Lets the person's very next message answer a reply by typing, by what that stands for: the
    data of a button for a `yes`, for a `no`, for one of the `numbers` from 1 on and for other
    `words`, or the name of the `command` that takes these as its argument. What stands for nothing
    is no answer."""

    yes: str = ""
    no: str = ""
    numbers: tuple[str, ...] = ()
    words: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to say.

    `markdown` marks the model's own answer, whose turn is recorded: the channel keeps it until it
    is delivered. Any other text is plain, one of the bot's own sentences. `interrupted` is the kind
    of interruption if the model's answer ends early. `replaces` is the id of the bot's message to
    edit instead of sending a new one. `private` adds the 🔒 mark; None lets the
    assistant decide. A `note` is shown at the pressed button, not in the chat. A `failure` is the
    kind of error that prevented an answer; `error_id` identifies it in the operator's log.

    `effects` are what the model's tools did; the assistant makes a `footer`, plain text under the
    answer, buttons or a `reaction` to the person's message of them. `releases` is the id of the
    bot's message whose buttons have done their work. `points`: show which message this answers,
    even to a person alone. Buttons without a text are put under the message that it `replaces`."""

    text: str
    buttons: ButtonRows = ()
    documents: tuple[Document, ...] = ()
    replaces: int | None = None
    markdown: bool = False
    interrupted: str = ""
    private: bool | None = None
    note: bool = False
    question: Question | None = None
    failure: str = ""
    error_id: str = field(default="", compare=False)
    effects: TurnEffects | None = field(default=None, compare=False, repr=False)
    footer: str = ""
    reaction: str = ""
    releases: int | None = None
    points: bool = False

    @property
    def silent(self) -> bool:
        """True if there is nothing to deliver."""
        return not (self.text or self.documents or (self.buttons and self.replaces))

    def with_footer(self, text: str, buttons: ButtonRows = ()) -> "Reply":
        """The reply with another paragraph in its footer."""
        footer = paragraphs(self.footer, text)
        return replace(self, footer=footer, buttons=(*self.buttons, *buttons))


def paragraphs(*parts: str) -> str:
    """Join the non-empty parts with blank lines."""
    return "\n\n".join(part for part in parts if part)


#: A silent refusal.
SILENCE = Reply("", private=False)

Event = TextDelta | ToolCalled | Reply


@dataclass(frozen=True, slots=True)
class Notice:
    """An unsolicited reply: a session was saved, somebody requests access, a guest was approved."""

    place: Place
    reply: Reply


class Conversing(Protocol):
    """What the assistant needs of the conversation."""

    def reply(self, message: Message) -> AsyncGenerator[Event, None]:
        """Answer one message. The last event is the Reply; unless it is a failure, the turn is
        recorded before it is yielded. Closing the iterator early stops the model and records
        nothing."""
        ...
