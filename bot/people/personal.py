"""What somebody has set for themselves, as far as it is known in time: the language in which the
bot speaks to them, and how they see a reply grow."""

import asyncio
from enum import StrEnum

from bot.assistant.inbound import Origin
from bot.texts import Texts, texts_in
from memory.background.caches import BoundedDict
from memory.errors import StoreUnavailable
from memory.memory import Memory
from memory.records import Actor, Choices, Place


class Streaming(StrEnum):
    """How a reply is shown while it is written."""

    EDIT = "edit"
    DRAFT = "draft"
    OFF = "off"


#: A sentence of the bot's waits so many seconds for the language it is to be in, and no longer.
PATIENCE = 0.5
_MOST_HEARD = 10_000


class PersonalSettings:
    """Looks up what people have chosen; where nothing is chosen, or nothing known of it in time,
    goes by what their Telegram says."""

    def __init__(self, memory: Memory, patience: float = PATIENCE) -> None:
        """`patience` in seconds."""
        self._memory, self._patience = memory, patience
        #: The language of whoever wrote last, as their Telegram tells it.
        self._heard = BoundedDict[Actor, str](_MOST_HEARD)

    def note(self, origin: Origin) -> None:
        """Somebody who may use the bot has written: what is said to them later, of the bot's own
        accord, is said in their language."""
        if origin.language:
            self._heard[origin.actor] = origin.language

    async def texts(self, actor: Actor, telegram: str | None = None) -> Texts:
        """The bot's texts for somebody whose Telegram is in this language, or was when they wrote
        last. Never fails."""
        chosen = await self.choices(actor)
        return texts_in(chosen.language, telegram or self._heard.get(actor))

    async def texts_at(self, place: Place) -> Texts:
        """The bot's texts for a chat. Never fails."""
        # A private chat has the id of the person in it, a group's is negative.
        chat = place.chat_id
        return await self.texts(Actor.person(chat) if chat > 0 else Actor.group(chat))

    async def streaming(self, actor: Actor) -> Streaming | None:
        """How somebody wants to see a reply while it is written; None if nothing is chosen."""
        wanted = (await self.choices(actor)).streaming
        return Streaming(wanted) if wanted in tuple(Streaming) else None

    async def choices(self, actor: Actor) -> Choices:
        """All that somebody has chosen. Waits only where nothing was read since the start."""
        known = self._memory.choices.of(actor)
        if known is None:
            try:
                async with asyncio.timeout(self._patience):
                    await self._memory.choices.read(actor)
            except (StoreUnavailable, TimeoutError):
                # Whoever needs the profile itself complains. Reading goes on for the next sentence.
                return Choices()
            known = self._memory.choices.of(actor)
        return known or Choices()
