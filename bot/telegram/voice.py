"""The bot's own voice: the sentences of the catalogue, said to the people they are for."""

from collections.abc import Awaitable, Callable

from telegram import InlineKeyboardMarkup

from bot.people.personal import PersonalSettings
from bot.people.privacy import PRIVATE_MARK
from bot.telegram.delivery.sender import Sender
from bot.telegram.intake.reading import Click, Heard, Origin
from bot.texts import Sentence, Texts
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
    ) -> int | None:
        """Answer a message of somebody who may use the bot. The id of the answer; None if it is not
        known to have arrived."""
        return await self.answer(heard, await self._marked(heard.origin, text), keyboard)

    async def post(
        self,
        origin: Origin,
        text: str,
        keyboard: InlineKeyboardMarkup | None = None,
        answering: int | None = None,
    ) -> int | None:
        """Say something where somebody wrote or clicked who may use the bot; like `say`."""
        text = await self._marked(origin, text)
        return await self._sender.post(origin.place, text, answering=answering, keyboard=keyboard)

    async def replace(
        self, click: Click, text: str, keyboard: InlineKeyboardMarkup | None = None
    ) -> int | None:
        """Let the message that was clicked read otherwise. The id of the message that does; None if
        it is not known to."""
        text = await self._marked(click.origin, text)
        return await self._sender.replace_text(click.origin.place, click.message_id, text, keyboard)

    async def note(self, click: Click, text: str | None) -> None:
        """Let the button that was pressed go, with a note if there is one to make."""
        await self._sender.answer_click(click.query_id, text)

    async def send_file(self, origin: Origin, name: str, content: bytes, caption: str) -> bool:
        """Send a file. Whether it arrived."""
        caption = await self._marked(origin, caption)
        return await self._sender.send_file(origin.place, name, content, caption)

    async def say_sentence(self, heard: Heard, sentence: Sentence) -> None:
        """Answer a message of somebody who may use the bot with one sentence of the catalogue."""
        await self.say(heard, sentence(await self.texts(heard.origin)))

    async def answer(
        self, heard: Heard, text: str, keyboard: InlineKeyboardMarkup | None = None
    ) -> int | None:
        """Answer any message, like `say`, with nothing looked up of who wrote it."""
        return await self._sender.post(
            heard.origin.place, text, answering=heard.answering, keyboard=keyboard
        )

    async def _marked(self, origin: Origin, text: str) -> str:
        if text.startswith(PRIVATE_MARK) or not await self._is_private(origin.actor, origin.place):
            return text
        return f"{PRIVATE_MARK} {text}".rstrip()


def paragraphs(*parts: str) -> str:
    """These parts one below the other, without the empty ones."""
    return "\n\n".join(part for part in parts if part)
