"""The one private chat of the terminal, as a Bot API server keeps it: updates that wait to be
fetched, messages the bot has sent, and buttons that can be pressed."""

import asyncio
import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bot.telegram.formatting.marked import Marked, utf16_length

#: The bot's own id: the largest one Telegram could give, so that it is nobody else's.
BOT_ID = 2**52 - 1
BOT = {
    "id": BOT_ID,
    "is_bot": True,
    "first_name": "Mordecai",
    "username": "mordecai_bot",
    "can_join_groups": False,
    "can_read_all_group_messages": False,
    "supports_inline_queries": False,
}

_COMMAND = re.compile(r"(?<![\w/])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?")
_MOST_ENTITIES = 100  # Telegram marks no more in one message
_BATCH = 100  # Bot API: getUpdates returns at most 100 updates
_REMEMBERED = 500  # sent messages that can still be edited; older ones are out of sight anyway


@dataclass(frozen=True, slots=True)
class Button:
    """An inline button: one that is pressed (`data`) or one that leads somewhere (`url`)."""

    label: str
    data: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Bubble:
    """What is to be shown of a message: its text, and its buttons with their numbers."""

    content: Marked
    buttons: tuple[str, ...] = ()


@dataclass(slots=True)
class Sent:
    """A message of the bot's. `shown` is what the person has seen of it."""

    id: int
    date: int
    content: Marked
    buttons: tuple[Button, ...] = ()
    shown: tuple[Marked, tuple[Button, ...]] | None = None

    @property
    def news(self) -> bool:
        """Whether there is something the person has not seen. Buttons that went away are not."""
        if self.shown is None:
            return True
        text, buttons = self.shown
        return self.content != text or (self.buttons != buttons and bool(self.buttons))


class Chat:
    """Everything between the person at the terminal and the bot."""

    def __init__(self, user_id: int, first_update_id: int = 1) -> None:
        self.user_id = user_id
        self.typing = False
        self.changed = asyncio.Event()
        self._next_update_id = first_update_id
        # Message ids grow from run to run without being kept anywhere: they start at the clock.
        self._next_message_id = int(time.time() * 1000)
        self._updates: deque[dict[str, Any]] = deque()
        self._arrived = asyncio.Event()
        self._all_taken = asyncio.Event()
        self._all_taken.set()
        self._sent: dict[int, Sent] = {}
        self._choices: dict[int, tuple[int, str]] = {}
        self._last_choice = 0
        self._open_queries: set[str] = set()

    # -- from the person to the bot ---------------------------------------------------------------

    def mistaken(self, text: str) -> int:
        """How many choices are open, if this looks like the number of one and is none; else 0."""
        looks_so = re.fullmatch("0|[1-9][0-9]?", text) is not None
        return len(self._choices) if looks_so and int(text) not in self._choices else 0

    def enter(self, text: str) -> None:
        """Take a line: the number of an open choice presses its button, anything else is a message.
        Either way the choices are closed, so that a later number is a message again."""
        number = int(text) if re.fullmatch("[1-9][0-9]{0,3}", text) else 0
        choice = self._choices.get(number)
        self._choices, self._last_choice = {}, 0
        if choice:
            self._press(*choice)
        else:
            self.receive(text)

    def receive(self, text: str) -> None:
        """Make an update of a message of the person's."""
        message: dict[str, Any] = {**self._frame(self._person), "text": text}
        if entities := _command_entities(text):
            message["entities"] = entities
        self._offer({"message": message})

    def _press(self, message_id: int, data: str) -> None:
        query_id = str(self._next_update_id)
        self._open_queries.add(query_id)
        query = {
            "id": query_id,
            "from": self._person,
            "message": self.message(self._sent[message_id]),
            "chat_instance": str(self.user_id),
            "data": data,
        }
        self._offer({"callback_query": query})

    def _offer(self, update: dict[str, Any]) -> None:
        self._updates.append({"update_id": self._next_update_id, **update})
        self._next_update_id += 1
        self._all_taken.clear()
        self._arrived.set()

    async def updates(self, offset: int, seconds: float) -> list[dict[str, Any]]:
        """The updates from `offset` on; earlier ones are acknowledged by it and gone. Waits for one
        at most this long."""
        while self._updates and self._updates[0]["update_id"] < offset:
            self._updates.popleft()
        if not self._updates:
            self._all_taken.set()
            self._arrived.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._arrived.wait()
            except TimeoutError:
                return []
        return list(self._updates)[:_BATCH]

    @property
    def drained(self) -> bool:
        """Whether the bot has taken every update."""
        return self._all_taken.is_set()

    async def all_taken(self) -> None:
        """Return once the bot has fetched and acknowledged every update."""
        await self._all_taken.wait()

    # -- from the bot to the person ---------------------------------------------------------------

    def send(self, content: Marked, buttons: Sequence[Button] = ()) -> Sent:
        """A new message of the bot's."""
        sent = Sent(self._new_id(), int(time.time()), content, tuple(buttons))
        self._sent[sent.id] = sent
        self.typing = False
        self.changed.set()
        return sent

    def find(self, message_id: int) -> Sent | None:
        """The bot's message with this id, if it is still known."""
        return self._sent.get(message_id)

    def edit(self, sent: Sent, content: Marked, buttons: Sequence[Button]) -> None:
        """Replace the text and the buttons of a message."""
        sent.content, sent.buttons = content, tuple(buttons)
        self._close_choices(sent.id)
        self.changed.set()

    def delete(self, sent: Sent) -> None:
        """Take a message back. What the person has seen stays on the screen."""
        del self._sent[sent.id]
        self._close_choices(sent.id)
        self.changed.set()

    def close_query(self, query_id: str) -> bool:
        """Whether this press of a button was still waiting for its answer."""
        waiting = query_id in self._open_queries
        self._open_queries.discard(query_id)
        return waiting

    def message(self, sent: Sent) -> dict[str, Any]:
        """A message of the bot's as the Bot API shows it."""
        shown = {**self._frame(BOT, sent), "text": sent.content.text}
        if sent.content.spans:
            shown["entities"] = sent.content.entities
        return shown

    # -- what the screen asks ---------------------------------------------------------------------

    def preview(self) -> list[Bubble]:
        """What is new and may still change."""
        return [
            Bubble(sent.content, tuple(button.label for button in sent.buttons))
            for sent in self._sent.values()
            if sent.news
        ]

    def take(self) -> list[Bubble]:
        """What is new, from now on seen. Buttons get the numbers that `enter` understands."""
        self.changed.clear()
        self.typing = False
        news = [sent for sent in self._sent.values() if sent.news]
        bubbles = [Bubble(sent.content, tuple(self._numbered(sent))) for sent in news]
        for sent in news:
            sent.shown = (sent.content, sent.buttons)
        for old in list(self._sent)[:-_REMEMBERED]:
            del self._sent[old]
            self._close_choices(old)
        return bubbles

    def _numbered(self, sent: Sent) -> list[str]:
        lines = []
        for button in sent.buttons:
            if button.data is None:
                lines.append(f"{button.label}: {button.url or ''}")
            else:
                self._last_choice += 1
                self._choices[self._last_choice] = (sent.id, button.data)
                lines.append(f"[{self._last_choice}] {button.label}")
        return lines

    def _close_choices(self, message_id: int) -> None:
        # The numbers of the others stay: the person has seen them.
        self._choices = {n: c for n, c in self._choices.items() if c[0] != message_id}

    # -- the frame of every message ---------------------------------------------------------------

    @property
    def _person(self) -> dict[str, Any]:
        return {"id": self.user_id, "is_bot": False, "first_name": "friend"}

    def _frame(self, author: Mapping[str, Any], sent: Sent | None = None) -> dict[str, Any]:
        return {
            "message_id": sent.id if sent else self._new_id(),
            "date": sent.date if sent else int(time.time()),
            "chat": {"id": self.user_id, "type": "private", "first_name": "friend"},
            "from": dict(author),
        }

    def _new_id(self) -> int:
        self._next_message_id += 1
        return self._next_message_id


def _command_entities(text: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "bot_command",
            "offset": utf16_length(text[: match.start()]),
            "length": utf16_length(match.group()),
        }
        for match in islice(_COMMAND.finditer(text), _MOST_ENTITIES)
    ]
