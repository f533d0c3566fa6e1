"""A desk for tests: the assistant asked directly, over a channel that keeps what it delivers."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.assistant.assistant import Assistant
from bot.assistant.context import About
from bot.assistant.events import Button, Conversing, Document, Reply
from bot.assistant.greeting import PATIENCE, Greeter, Greetings
from bot.assistant.inbound import Click, Command, Message, Origin
from bot.commands.pages.panels import UNDO_SECONDS, Panels
from bot.people.access import Access
from bot.people.accounts import Accounts
from bot.people.people import QuotaLimits
from bot.people.personal import PRIVATE_MARK, Streaming
from bot.texts import texts_in
from memory.memory import Memory, MemoryOptions, utc_now
from memory.ports import Store
from memory.records import Actor, Place, Role, Speaker, Utterance
from memory.understanding import Extractor
from tests.fakes.assistants import ABOUT, assistant_on
from tests.fakes.conversing import Echo
from tests.fakes.files import accounts_in, journal_in
from tests.fakes.temporary_store import TemporaryStore
from tests.fakes.understanding import understood

ENGLISH = texts_in("en")
ANNA, BORIS, CLARA = 1001, 1002, 1003
ANN, BOB = Actor.person(ANNA), Actor.person(BORIS)
#: A group, and whose memory it has.
GROUP = -1000500
OURS = Actor.group(GROUP)

_COMMAND = re.compile(r"/(\w+)(@bot)?(?=\s|$)\s*(.*)", re.DOTALL)


@dataclass
class Sent:
    """A message of the bot's, as it reads now."""

    id: int
    text: str
    buttons: tuple[Button, ...] = ()
    document: Document | None = None
    reaction: str = ""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def labels(self) -> list[str]:
        return [button.label for button in self.buttons]

    @property
    def data(self) -> list[str]:
        return [button.data for button in self.buttons]

    def button(self, label: str) -> str:
        """The data of the button that says this."""
        [data] = [button.data for button in self.buttons if button.label == label]
        return data


class DeskChannel:
    """The Channel of the desk: chats are lists of messages."""

    name = "telegram"
    streaming = Streaming.EDIT
    largest_document = 50_000_000
    reads_everything = True

    def __init__(self) -> None:
        self.chats: dict[Place, list[Sent]] = {}
        self.admins: set[int] = set()
        #: Private chats that nothing arrives in.
        self.closed: set[int] = set()
        self.erased: list[tuple[Place, int]] = []
        self.scrubbed = 0
        self.offered: tuple[Streaming, ...] = tuple(Streaming)
        self._numbers = iter(range(1, 1_000_000))

    def number(self) -> int:
        """The next number of a message."""
        return next(self._numbers)

    def deliver(self, place: Place, reply: Reply) -> list[Sent]:
        """Send a reply or edit a message to it; the messages that are new or read otherwise."""
        chat = self.chats.setdefault(place, [])
        for sent in chat:
            if sent.id == reply.releases:
                sent.buttons = ()
        if reply.silent or place.chat_id in self.closed:
            return []
        buttons = tuple(button for row in reply.buttons for button in row)
        if reply.replaces is not None:
            [sent] = [one for one in chat if one.id == reply.replaces]
            sent.text, sent.buttons = _shown(reply), buttons
            return [sent]
        new = (
            [Sent(self.number(), _shown(reply), buttons, reaction=reply.reaction)]
            if reply.text
            else []
        )
        new += [
            Sent(self.number(), _marked(file.caption, reply), document=file)
            for file in reply.documents
        ]
        chat += new
        return new

    async def is_admin(self, place: Place, user_id: int) -> bool:
        return user_id in self.admins

    def streaming_offered(self, actor: Actor) -> tuple[Streaming, ...]:
        return self.offered

    async def erase(self, place: Place, before: int) -> None:
        self.erased.append((place, before))

    async def scrub(self) -> None:
        self.scrubbed += 1

    async def say(self, place: Place, text: str) -> bool:
        return bool(self.deliver(place, Reply(text, private=False)))


def _shown(reply: Reply) -> str:
    text = f"{reply.text}\n\n{reply.footer}" if reply.footer else reply.text
    return _marked(text, reply)


def _marked(text: str, reply: Reply) -> str:
    return f"{PRIVATE_MARK} {text}".rstrip() if reply.private else text


@dataclass
class Desk:
    """What a test acts on: people who write and press, and the memory behind."""

    assistant: Assistant
    channel: DeskChannel
    memory: Memory
    accounts: Accounts
    echo: Echo

    def __post_init__(self) -> None:
        #: The language of a person's client, by id.
        self.languages: dict[int, str] = {}

    def chat(self, user: int = ANNA, group: int | None = None, topic: int | None = None) -> Place:
        return Place("telegram", user if group is None else group, topic)

    def sent(self, user: int = ANNA, group: int | None = None) -> list[Sent]:
        """The bot's messages in a chat, as they read now."""
        return self.channel.chats.get(self.chat(user, group), [])

    async def says(
        self,
        text: str,
        user: int = ANNA,
        *,
        group: int | None = None,
        topic: int | None = None,
        answers: Sent | None = None,
    ) -> list[Sent]:
        """Write something; the messages that it makes the bot send or edit. In a group it is for
        the bot, and `/name@bot` names it."""
        origin = self.origin(user, self.chat(user, group, topic))
        now, id_ = datetime.now(UTC), self.channel.number()
        if match := _COMMAND.match(text):
            name, me, argument = match.groups()
            return await self._respond(
                Command(name.lower(), argument.strip(), origin, now, id_, id_, bool(me))
            )
        words = text.strip()
        return await self._respond(
            Message(
                f"{origin.place.chat_id}:{id_}",
                origin,
                now,
                words,
                id_,
                id_,
                words=words,
                answers=answers.id if answers else None,
            )
        )

    async def ask(
        self, text: str, user: int = ANNA, *, group: int | None = None, topic: int | None = None
    ) -> str:
        """Write something; what the bot's first message for it says."""
        return (await self.says(text, user, group=group, topic=topic))[0].text

    async def press(self, *labels: str, user: int = ANNA, group: int | None = None) -> Sent:
        """Press buttons under the last message, one after the other; the message as it is then."""
        for label in labels:
            last = self.sent(user, group)[-1]
            note = await self.click(last, last.button(label), user, group=group)
            assert note is None, note
        return self.sent(user, group)[-1]

    async def click(
        self, under: Sent, data: str, user: int = ANNA, *, group: int | None = None
    ) -> str | None:
        """Press a button with this data under a message; the note that the presser gets."""
        origin = self.origin(user, self.chat(user, group))
        click = Click(data, origin, under.at, under.id, self.channel.number())
        admitted = await self.assistant.admit(click)
        if isinstance(admitted, Reply):
            assert admitted.note
            return admitted.text
        await self._respond(click)
        return None

    async def remember(self, *texts: str, actor: Actor = ANN) -> None:
        for text in texts:
            await self.memory.known.remember(actor, text)

    async def facts(self, actor: Actor = ANN) -> list[str]:
        """What is known of somebody."""
        return [record.text for record in await self.memory.known.records(actor)]

    async def tell(self, text: str, user: int = ANNA, place: Place | None = None) -> None:
        """Have a turn on record, as the conversation leaves it."""
        now = datetime.now(UTC)
        turn = (Utterance(Role.USER, text, now), Utterance(Role.ASSISTANT, "I see.", now))
        await self.memory.talk.record(Actor.person(user), place or self.chat(user), turn)

    async def settle(self) -> None:
        """Return when what goes on by itself is done, and what there is to say of it is said."""
        await self.memory.settle()
        await self.assistant.people.notices.join()

    async def listen(self) -> None:
        """Deliver what the assistant says unasked, for ever."""
        async for notice in self.assistant.people.take_notices(self.channel.name):
            self.channel.deliver(notice.place, notice.reply)

    def origin(self, user: int, place: Place) -> Origin:
        actor = Actor.group(place.chat_id) if place.chat_id < 0 else Actor.person(user)
        speaker = Speaker(user, f"User {user}") if actor.is_group else None
        return Origin(place, actor, user, self.languages.get(user), speaker, f"User {user}")

    async def _respond(self, said: Message | Command | Click) -> list[Sent]:
        changed: list[Sent] = []
        async for event in self.assistant.respond(said):
            if isinstance(event, Reply):
                sent = self.channel.deliver(said.origin.place, event)
                await self.assistant.note_delivery(said, event, sent[0].id if sent else None)
                changed += sent
        return changed


@asynccontextmanager
async def open_desk(
    *,
    access: Access | None = None,
    about: About = ABOUT,
    conversation: Conversing | None = None,
    extractor: Extractor | None = None,
    greeter: Greeter | None = None,
    patience: float = PATIENCE,
    quotas: QuotaLimits | None = None,
    now: Callable[[], datetime] = utc_now,
    monotonic: Callable[[], float] = time.monotonic,
    undo_seconds: float = UNDO_SECONDS,
    store: Store | None = None,
    journal_file: Path | str = ":memory:",
    channel: DeskChannel | None = None,
) -> AsyncIterator[Desk]:
    """The assistant on a memory of its own, in RAM. Another desk with the same store, file and
    channel is a restart; without the file, no conversation outlives it. A greeting has `patience`
    seconds; `now` and `monotonic` are the clocks of buttons and of their Undo."""
    echo, channel = Echo(), channel or DeskChannel()
    # A slow machine must not turn into a memory without answers.
    options = MemoryOptions(memory_enabled=about.memory_enabled, memory_recall_timeout_seconds=30)
    with ThreadPoolExecutor(2) as pool:
        async with (
            journal_in(journal_file, pool) as journal,
            accounts_in(":memory:", pool) as accounts,
            Memory(store or TemporaryStore(), journal, understood(extractor), options) as memory,
        ):
            assistant = assistant_on(
                channel,
                conversation or echo,
                memory,
                accounts,
                Panels(journal.panels, now, monotonic, undo_seconds),
                access=access,
                greetings=Greetings(memory, greeter, patience),
                about=about,
                quotas=quotas,
            )
            desk = Desk(assistant, channel, memory, accounts, echo)
            listening = asyncio.create_task(desk.listen())
            try:
                yield desk
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)
