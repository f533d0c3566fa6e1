"""The terminal as the assistant sees it: a channel with one private chat."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, Protocol, Self, TextIO

from rich.console import Console

from bot.people.personal import Streaming
from bot.terminal.lines import KeyboardLines, Lines, PipedLines
from bot.terminal.person import CHANNEL, Person
from bot.terminal.screen import PROMPT, LiveScreen, PlainScreen, Screen
from memory.records import Actor, Place


class Waiting(Protocol):
    """A line that an earlier process left open."""

    @property
    def update(self) -> Mapping[str, Any]: ...


class Inbox(Protocol):
    """Where lines stay until they are answered. Whatever is async raises StoreUnavailable."""

    async def next_id(self) -> int: ...
    async def store(self, updates: Sequence[Mapping[str, Any]]) -> None: ...
    def claim(self, update_id: int) -> bool: ...
    async def waiting(self) -> Sequence[Waiting]: ...
    async def done(self, update_ids: Sequence[int]) -> None: ...
    async def erase(self, chat_id: int, before: int) -> None: ...
    async def scrub(self) -> None: ...


def is_interactive(stdin: BinaryIO | TextIO, stdout: TextIO) -> bool:
    """True if a person sits at both ends. Otherwise replies are plain text for a script."""
    return stdin.isatty() and stdout.isatty()


class TerminalChannel:
    """Where lines come from and replies go to."""

    name = CHANNEL
    largest_document = sys.maxsize
    reads_everything = True
    #: In seconds: the other side is always there.
    silent_seconds = 0.0

    def __init__(
        self, user_id: int, inbox: Inbox, lines: Lines, screen: Screen, *, streams: bool = True
    ) -> None:
        """`user_id` is the numeric Telegram id of whoever types. With `streams` a person who has
        not chosen otherwise sees replies grow."""
        self.person, self.inbox = Person(user_id), inbox
        self.lines, self.screen = lines, screen
        self.interactive = isinstance(screen, LiveScreen)
        self.streaming = Streaming.EDIT if streams and self.interactive else Streaming.OFF

    @classmethod
    def on(
        cls,
        stdin: BinaryIO,
        stdout: TextIO,
        user_id: int,
        inbox: Inbox,
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
        """A script sees no reply grow, and drafts are Telegram's."""
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
