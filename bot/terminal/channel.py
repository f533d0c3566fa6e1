"""The terminal as the assistant sees it: a channel with one private chat."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Protocol, Self, TextIO

from rich.console import Console

from bot.people.personal import Streaming
from bot.terminal.lines import KeyboardLines, Lines, PipedLines
from bot.terminal.person import CHANNEL, TerminalUser
from bot.terminal.screen import PROMPT, LiveScreen, PlainScreen
from memory.records import Actor, Place


class OpenLine(Protocol):
    """A line that an earlier process left unanswered."""

    @property
    def update(self) -> Mapping[str, Any]: ...


class LineInbox(Protocol):
    """Keeps lines until they are answered. Its async methods raise StoreUnavailable."""

    async def next_id(self) -> int: ...
    async def store(self, updates: Sequence[Mapping[str, Any]]) -> None: ...
    def claim(self, update_id: int) -> bool: ...
    async def find_open(self) -> Sequence[OpenLine]: ...
    async def done(self, update_ids: Sequence[int]) -> None: ...
    async def erase(self, chat_id: int, before: int) -> None: ...
    async def scrub(self) -> None: ...


def is_interactive(stdin: BinaryIO | TextIO, stdout: TextIO) -> bool:
    """True if both streams are a terminal. Otherwise replies are plain text for a script."""
    return stdin.isatty() and stdout.isatty()


class TerminalChannel:
    """The source of lines and the destination of replies."""

    name = CHANNEL
    largest_document = sys.maxsize
    reads_everything = True
    #: The other side is always there.
    silent_seconds = 0.0
    handling = True

    def __init__(
        self,
        user_id: int,
        inbox: LineInbox,
        lines: Lines,
        screen: PlainScreen | LiveScreen,
        *,
        streams: bool = True,
    ) -> None:
        """`user_id` is the person's numeric Telegram id. With `streams`, replies grow visibly
        unless the person chose otherwise."""
        self.person, self.inbox = TerminalUser(user_id), inbox
        self.lines, self.screen = lines, screen
        self.interactive = isinstance(screen, LiveScreen)
        self.streaming = Streaming.EDIT if streams and self.interactive else Streaming.OFF

    @classmethod
    def on(
        cls,
        stdin: BinaryIO,
        stdout: TextIO,
        user_id: int,
        inbox: LineInbox,
        about: str,
        *,
        streams: bool = True,
    ) -> Self:
        """The channel on two streams. `stdin` yields bytes; `about` greets a person."""
        if not is_interactive(stdin, stdout):
            return cls(user_id, inbox, PipedLines(stdin), PlainScreen(stdout))
        screen = LiveScreen(Console(file=stdout), about)
        return cls(user_id, inbox, KeyboardLines(PROMPT), screen, streams=streams)

    async def is_admin(self, place: Place, user_id: int) -> bool:
        return place == self.person.place

    def streaming_offered(self, actor: Actor) -> tuple[Streaming, ...]:
        """Scripts get no growing replies, and only Telegram has drafts."""
        return () if self.streaming is Streaming.OFF else (Streaming.EDIT, Streaming.OFF)

    async def erase(self, place: Place, before: int) -> None:
        self.lines.forget()
        await self.inbox.erase(place.chat_id, before)

    async def scrub(self) -> None:
        await self.inbox.scrub()

    async def say(self, place: Place, text: str) -> bool:
        if place == self.person.place:
            self.screen.show(text)
        return place == self.person.place
