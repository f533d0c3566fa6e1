"""Everything a command needs, in one value instead of a dozen constructor arguments."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from bot.assistant.greeting import Greetings
from bot.assistant.inbound import Origin
from bot.commands.pages.panels import Panels
from bot.people.accounts import Accounts
from bot.people.people import People
from bot.people.personal import Streaming
from bot.texts import Texts
from memory.memory import Memory
from memory.records import Actor, Place


class Channel(Protocol):
    """What the assistant may ask of the channel of an inbound."""

    #: The channel in its places: "telegram", "terminal".
    name: str
    #: The largest document that can be sent, in bytes.
    largest_document: int

    @property
    def streaming(self) -> Streaming:
        """The default streaming mode."""
        ...

    @property
    def reads_everything(self) -> bool:
        """True if the bot receives every message of its groups, not only those addressed to it."""
        ...

    async def is_admin(self, place: Place, user_id: int) -> bool:
        """True if this person is an admin of the group; False if the channel can't tell."""
        ...

    def streaming_offered(self, actor: Actor) -> tuple[Streaming, ...]:
        """The streaming modes this actor can choose from; none if the operator disabled
        previews."""
        ...

    async def erase(self, place: Place, before: int) -> None:
        """Delete what the inbox holds of this place from before the receipt `before`. Raises
        StoreUnavailable."""
        ...

    async def scrub(self) -> None:
        """Erase the content of answered inbounds from disk. Raises StoreUnavailable."""
        ...

    async def say(self, place: Place, text: str) -> bool:
        """Send a text there now; True if it arrived."""
        ...


#: A line under the answer, a reaction to the message, or nothing.
Notices = Literal["line", "reaction", "off"]


@dataclass(frozen=True, slots=True)
class About:
    """Facts about this bot for its texts. `models` are tried in this order; none means rules
    only. `notices`: how an answer shows that the model noted or changed something."""

    agent_name: str = "Mordecai"
    models: tuple[str, ...] = ()
    memory_enabled: bool = True
    notices: Notices = "line"


@dataclass(slots=True)
class Health:
    """The health of this process, for /stats: its start and its number of errors."""

    since: datetime
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a command needs; `texts` are in the sender's language."""

    memory: Memory
    people: People
    usage: Accounts
    channel: Channel
    greetings: Greetings
    about: About
    texts: Texts
    panels: Panels
    health: Health

    async def may_manage(self, origin: Origin) -> bool:
        """True if this person may see and change everything here: in a group those are its admins,
        who alone can write in its name."""
        if origin.is_private or origin.is_anonymous:
            return True
        return await self.channel.is_admin(origin.place, origin.user_id)
