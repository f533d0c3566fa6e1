"""The bot's own voice: the sentences of the catalogue, said to the people they are for."""

from collections.abc import Awaitable, Callable

from telegram import InlineKeyboardMarkup

from bot.telegram.personal import PersonalSettings
from bot.telegram.privacy import PRIVATE_MARK
from bot.telegram.reading import Heard, Origin
from bot.telegram.sender import Sender
from bot.telegram.texts import Sentence, Texts
from memory.records import Actor, Place


class Voice:
    """Answers messages with sentences of the bot's own: in the language of whoever wrote, in a
    group as an answer to their message, in a private conversation with its mark."""

    def __init__(
        self,
        sender: Sender,
        personal: PersonalSettings,
        is_private: Callable[[Actor, Place], Awaitable[bool]],
    ) -> None:
        """`is_private` says, and never fails to, whether a conversation bears the mark."""
        self._sender, self._personal, self._is_private = sender, personal, is_private

    async def texts(self, origin: Origin) -> Texts:
        """The bot's texts for whoever wrote. Never fails."""
        return await self._personal.texts(origin.actor, origin.language)

    async def say(
        self, heard: Heard, text: str, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Answer a message of somebody who may use the bot."""
        private = await self._is_private(heard.origin.actor, heard.origin.place)
        if private and not text.startswith(PRIVATE_MARK):
            text = f"{PRIVATE_MARK} {text}"
        await self.answer(heard, text, keyboard)

    async def say_sentence(self, heard: Heard, sentence: Sentence) -> None:
        """Answer a message of somebody who may use the bot with one sentence of the catalogue."""
        await self.say(heard, sentence(await self.texts(heard.origin)))

    async def answer(
        self, heard: Heard, text: str, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Answer any message: nothing is looked up of who wrote it."""
        answering = None if heard.origin.is_private else heard.message_id
        await self._sender.send(heard.origin.place, text, answering=answering, keyboard=keyboard)


def paragraphs(*parts: str) -> str:
    """These parts one below the other, without the empty ones."""
    return "\n\n".join(part for part in parts if part)
