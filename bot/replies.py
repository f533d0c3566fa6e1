"""What goes into one turn of conversation and what comes out of it. No Telegram object and no
model vendor's type passes through here."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory.records import Actor, Place


@dataclass(frozen=True, slots=True)
class Inbound:
    """A user's message (or merged burst), ready to be answered. `id` names it for good: the same
    message delivered twice has the same id."""

    id: str
    actor: Actor
    place: Place
    text: str
    at: datetime
    speaker: str | None = None
    language: str | None = None


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
    """There is no reply; `text` is one polite sentence for the user. Nothing was recorded."""

    text: str


ReplyEvent = TextDelta | ToolCalled | Finished | Failed


class Conversing(Protocol):
    """What a channel needs of the conversation."""

    def reply(self, inbound: Inbound) -> AsyncIterator[ReplyEvent]:
        """Answer one inbound. The last event is Finished or Failed; the turn is recorded before
        Finished is yielded. Closing the iterator early ends the model's work; nothing is
        recorded then."""
        ...
