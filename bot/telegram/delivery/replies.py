"""Replies: what the assistant says, as messages of Telegram."""

from collections.abc import Sequence
from dataclasses import replace

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.assistant.assistant import Assistant
from bot.assistant.events import Document, Reply
from bot.assistant.inbound import Click, Command, GroupJoin, Inbound
from bot.people.personal import PRIVATE_MARK
from bot.telegram.delivery.sender import Sender
from bot.telegram.delivery.shown import NOTHING_SHOWN, Shown
from bot.telegram.formatting.rendering import CURSOR, add_footer, off_the_loop, render, render_plain
from bot.texts import Sentence
from memory.records import Place

#: What the file of a long answer is called.
_ANSWER_FILE = "answer.md"


class Replies:
    """Delivers replies, and notes at the assistant what arrived."""

    def __init__(self, assistant: Assistant, sender: Sender) -> None:
        self._assistant, self.sender = assistant, sender

    async def deliver(self, said: Inbound, reply: Reply, shown: Shown = NOTHING_SHOWN) -> bool:
        """Send a reply, in a group as an answer to its message, in place of what a preview has
        `shown` of it. True if it arrived, as far as can be known. Raises TelegramError if Telegram
        rejects it."""
        origin = said.origin
        if reply.releases is not None:
            await self.sender.remove_buttons(origin.place, reply.releases)
        if reply.silent:
            return True
        if reply.note and isinstance(said, Click):
            await self.sender.release(said.query_id, reply.text)
            return True
        answers = not origin.is_private and not isinstance(said, Click)
        if reply.replaces is not None and not shown.messages:
            shown = Shown((reply.replaces,), shown.lost)
        message_id = await self.send(
            origin.place, reply, said.message_id if answers else None, shown
        )
        self._assistant.note_delivery(said, reply, message_id)
        if reply.reaction and not isinstance(said, Click):
            await self.sender.react(origin.place, said.message_id, reply.reaction)
        return message_id is not None

    async def sentence(self, said: Inbound, sentence: Sentence) -> Reply:
        """One of the bot's own sentences as a reply."""
        texts = await self._assistant.people.texts(said.origin)
        return Reply(sentence(texts), private=await self._assistant.is_private(said.origin))

    async def say(self, said: Command, sentence: Sentence) -> None:
        await self.deliver(said, await self.sentence(said, sentence))

    async def join(self, joined: GroupJoin) -> None:
        """Introduce the bot in a new group, or leave it."""
        hello, stays = await self._assistant.join(joined)
        await self.send(joined.place, hello)
        if not stays:
            await self.sender.leave(joined.place)

    async def release(self, click: Click) -> bool:
        """Release a pressed button; False, and a note at the button, if the click is refused."""
        admitted = await self._assistant.admit(click)
        refusal = admitted.text or None if isinstance(admitted, Reply) else None
        await self.sender.release(click.query_id, refusal)
        return not isinstance(admitted, Reply)

    async def take_back(self, place: Place, messages: Sequence[int]) -> None:
        """Delete the preview of a reply that does not come, if there is one."""
        for message_id in messages:
            await self.sender.delete(place, message_id)

    async def send(
        self,
        place: Place,
        reply: Reply,
        answering: int | None = None,
        shown: Shown = NOTHING_SHOWN,
    ) -> int | None:
        mark = PRIVATE_MARK if reply.private else ""
        work = render if reply.markdown else render_plain
        rendered = await off_the_loop(work, reply.text, mark)
        messages = rendered.messages
        if [f"{message.text}{CURSOR}" for message in messages] == [shown.lost] and (
            reply.footer or not reply.buttons
        ):
            # As with every send whose outcome is unknown: better nothing than the same twice.
            messages = ()
        messages = add_footer(messages, reply.footer)
        documents = [
            replace(document, caption=f"{mark} {document.caption}".strip())
            for document in reply.documents
        ]
        if rendered.document:
            documents.append(Document(_ANSWER_FILE, rendered.document))
        rows = [
            [InlineKeyboardButton(button.label, callback_data=button.data) for button in row]
            for row in reply.buttons
        ]
        return await self.sender.send(
            place,
            messages,
            documents,
            answering=answering,
            instead_of=shown.messages,
            keyboard=InlineKeyboardMarkup(rows) if rows else None,
        )
