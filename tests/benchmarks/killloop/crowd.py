"""People who write to the bot, alone and in groups, and keep account of what they wrote."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.benchmarks.killloop.words import (
    NAMELESS,
    QUESTIONS,
    REMEMBERED,
    RESTORED,
    answered_marks,
    is_answer,
    mark,
    names,
    outcome,
    statement,
)
from tests.fakes.botapi import BotApiServer, Group, Json

FIRST_PERSON, FIRST_GROUP = 1001, -1_000_500
#: Mean seconds between two acts of one person.
_PAUSE = 5.0
#: How long somebody waits for an answer before going on, in seconds.
_WAIT = 10.0
#: How often somebody waits for the answer to a message, and undoes a deletion.
_WAITS, _UNDOES = 0.7, 0.2


@dataclass
class Said:
    """A message of somebody's. `name` is its own; of /remember that of the fact, of commands whose
    reply names nothing the command itself."""

    chat: int
    name: str
    message_id: int


@dataclass
class Fact:
    """Something that somebody told. `asked_gone` when they have asked to delete it."""

    actor: str
    name: str
    how: str
    asked_gone: bool = False

    @property
    def chat(self) -> int:
        """Where it was told."""
        return int(self.actor[1:]) * (-1 if self.actor.startswith("g") else 1)


@dataclass
class Crowd:
    """Everybody, and what they have told. `on_deleting` hears of each request to delete.
    `hurry` shortens the pauses between what they write."""

    server: BotApiServer
    seed: int
    on_deleting: Callable[[], None]
    hurry: float = 1.0
    said: list[Said] = field(default_factory=list)
    facts: dict[str, Fact] = field(default_factory=dict)
    everybody: list["Someone"] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    _marks: Counter[int] = field(default_factory=Counter)

    def gather(self, people: int, groups: int) -> None:
        """So many people in private, and groups of three of them."""
        for number in range(people):
            self.everybody.append(Someone(self, FIRST_PERSON + number))
        for number in range(groups):
            group = self.server.group(FIRST_GROUP - number)
            for member in range(FIRST_PERSON, FIRST_PERSON + 3):
                group.make_admin(member)
                self.everybody.append(Someone(self, member, group))

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Let them write while the block runs, and end what they were about to do."""
        tasks = [asyncio.create_task(one.live()) for one in self.everybody]
        try:
            yield
        finally:
            self.over.set()
            await asyncio.gather(*tasks)

    def new_mark(self, chat: int) -> str:
        """The name of the next message in a chat."""
        self._marks[chat] += 1
        return mark(chat, self._marks[chat])

    def texts(self, chat: int) -> list[str]:
        """The bot's messages in a chat as they stand."""
        return [str(message.get("text", "")) for message in self.server.sent(chat)]


class Someone:
    """One person in one chat."""

    def __init__(self, crowd: Crowd, user: int, group: Group | None = None) -> None:
        self._crowd, self._group = crowd, group
        self._person = crowd.server.user(user)
        self.chat = group.id if group else user
        self.actor = f"g{-group.id}" if group else f"u{user}"
        self._dice = random.Random(f"{crowd.seed}/{user}/{self.chat}")

    async def live(self) -> None:
        """Write now and then until it is over."""
        while not self._crowd.over.is_set():
            await self._rest(self._dice.expovariate(self._crowd.hurry / _PAUSE))
            acts = {
                self._talk: 40,
                self._burst: 8,
                self._tell: 20,
                self._remember: 0 if self._group else 10,
                self._forget: 0 if self._group else 9,
                self._nameless: 0 if self._group else 13,
            }
            [act] = self._dice.choices(tuple(acts), tuple(acts.values()))
            await act()

    async def says(self, before: str = "") -> str:
        """Write a message with a name, and wait for nothing; the name."""
        named = self._crowd.new_mark(self.chat)
        await self._send(f"{before}{named} says hello", named)
        return named

    async def takes_leave(self) -> None:
        """End the conversation and say one thing more."""
        await self._command("/new")
        await self.says()

    async def _talk(self, before: str = "") -> None:
        """Write a message, and as a rule wait for its answer."""
        named = await self.says(before)
        if self._dice.random() < _WAITS:
            await self._sees(lambda _, text: named in answered_marks(text))

    async def _burst(self) -> None:
        for _ in range(self._dice.randint(2, 4)):
            await self.says()
            await asyncio.sleep(self._dice.uniform(0, 0.3))

    async def _tell(self) -> None:
        fact, name = statement(self._dice)
        self._crowd.facts[name] = Fact(self.actor, name, "told")
        await self._talk(f"{fact}. ")

    async def _remember(self) -> None:
        fact, name = statement(self._dice)
        self._crowd.facts[name] = Fact(self.actor, name, "/remember")
        await self._send(f"/remember {fact}", name)

    async def _nameless(self) -> None:
        await self._command(self._dice.choices(tuple(NAMELESS), (6, 2, 2))[0])

    async def _command(self, command: str) -> None:
        """Send a command whose reply names nothing, and wait for the reply."""
        asked = await self._send(command, command)
        await self._sees(lambda sent, text: sent["message_id"] > asked and is_answer(command, text))

    async def _send(self, text: str, name: str) -> int:
        """Write something and keep account of it; its id. In a group it is said to the bot."""
        me = f"@{self._crowd.server.world.bot['username']} "
        to = me if self._group and not text.startswith("/") else ""
        message = await self._person.says(f"{to}{text}", group=self._group)
        self._crowd.said.append(Said(self.chat, name, message["message_id"]))
        return int(message["message_id"])

    async def _forget(self) -> None:
        """Delete a memory whose id was told, or one by its name, with a button; undo a few."""
        shown = [REMEMBERED.match(text) for text in self._crowd.texts(self.chat)]
        ids = {found.group(1): found.group(2) for found in shown if found}
        mine = [one for one in self._crowd.facts.values() if one.actor == self.actor]
        left = [one for one in mine if not one.asked_gone]
        if not left:
            return
        fact = self._dice.choice(left)
        fact.asked_gone = True
        self._crowd.on_deleting()
        asked = await self._person.says(f"/forget {ids.get(fact.name, fact.name)}")

        def tells(sent: Json, text: str) -> bool:
            return bool(sent["message_id"] > asked["message_id"] and fact.name in text)

        if fact.name not in ids:
            message = await self._sees(
                lambda sent, text: tells(sent, text) and text.startswith(QUESTIONS)
            )
            if message is None:
                return
            # A whole message goes, which may tell of more.
            for name in names(str(message["text"])):
                if name in self._crowd.facts:
                    self._crowd.facts[name].asked_gone = True
            self._crowd.on_deleting()
            await self._person.clicks(message, _buttons(message)[0])
        gone = await self._sees(lambda _, text: outcome(fact.name, text))
        if gone and self._dice.random() < _UNDOES and _buttons(gone):
            await self._person.clicks(gone, _buttons(gone)[0])
            await self._sees(lambda _, text: outcome(fact.name, text) == RESTORED)

    async def _sees(self, wanted: Callable[[Json, str], object]) -> Json | None:
        """The first message of the bot's that is wanted, once it stands there; None if it takes
        too long."""
        deadline = time.monotonic() + _WAIT
        while time.monotonic() < deadline:
            for message in self._crowd.server.sent(self.chat):
                if wanted(message, str(message.get("text", ""))):
                    return message
            await asyncio.sleep(0.2)
        return None

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._crowd.over.wait()
        except TimeoutError:
            return


def _buttons(message: Json) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", ())
    return [button["callback_data"] for row in rows for button in row]
