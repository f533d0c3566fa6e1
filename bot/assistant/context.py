"""What commands work with: one value instead of a dozen constructor arguments."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.assistant.greeting import Greetings
from bot.commands.pages.panels import Panels
from bot.people.people import People
from bot.people.personal import Streaming
from bot.people.usage import Accounts
from bot.texts import Texts
from memory.memory import Memory
from memory.records import Actor, Place


class Channel(Protocol):
    """What the assistant may ask of the channel that an inbound came through."""

    #: What places of this channel name: "telegram", "terminal".
    name: str
    #: The largest document that can be sent, in bytes.
    largest_document: int

    @property
    def streaming(self) -> Streaming:
        """How answers are shown to whoever has chosen nothing."""
        ...

    @property
    def reads_everything(self) -> bool:
        """True if the bot gets every message of its groups, not only those addressed to it."""
        ...

    async def is_admin(self, place: Place, user_id: int) -> bool:
        """True if this person manages the group; False if that can't be found out."""
        ...

    def streaming_offered(self, actor: Actor) -> tuple[Streaming, ...]:
        """The ways of showing a growing answer that this actor can choose between; none where the
        operator wants no previews."""
        ...

    async def erase(self, place: Place, before: int) -> None:
        """Drop what the inbox still has of this place from before the receipt `before`. Raises
        StoreUnavailable."""
        ...

    async def scrub(self) -> None:
        """Take what answered inbounds said off the disk for good. Raises StoreUnavailable."""
        ...

    async def say(self, place: Place, text: str) -> bool:
        """Say something there now; True if it arrived."""
        ...


@dataclass(frozen=True, slots=True)
class About:
    """Facts about this bot that its texts tell. `models` write its answers, the first one if it
    can; none means rules only."""

    agent_name: str = "Mordecai"
    models: tuple[str, ...] = ()
    memory_enabled: bool = True


@dataclass(slots=True)
class Health:
    """How this process does, for /stats: since when it runs, and how often something went wrong."""

    since: datetime
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """What a command works with; `texts` are those of whoever gave it."""

    memory: Memory
    people: People
    usage: Accounts
    channel: Channel
    greetings: Greetings
    about: About
    texts: Texts
    panels: Panels
    health: Health
