"""Replies: what the assistant says, as messages of Telegram."""

from dataclasses import replace
from functools import partial

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.assistant.assistant import Assistant
from bot.assistant.events import ButtonRows, Document, Reply
from bot.assistant.inbound import Click, Command, GroupJoin, Inbound, Message, Origin
from bot.people.personal import PRIVATE_MARK
from bot.telegram.delivery.progress import Delivery, Progress
from bot.telegram.delivery.sender import Sender
from bot.telegram.delivery.shown import NOTHING_SHOWN, Shown
from bot.telegram.formatting.rendering import add_footer, off_the_loop, render, render_plain
from bot.telegram.intake.inbox import Inbox
from bot.telegram.leftovers import Leftovers
from bot.telegram.waiting import Waiting, can_keep
from bot.texts import Sentence
from memory.background.work import log_outage
from memory.records import Place

_log = structlog.get_logger(__name__)

#: What the file of a long answer is called.
_ANSWER_FILE = "answer.md"


class Replies:
    """Delivers replies, and notes at the assistant what arrived. The inbox keeps a reply until
    then, so that after a kill it is delivered, not made again."""

    def __init__(
        self, assistant: Assistant, sender: Sender, inbox: Inbox, leftovers: Leftovers
    ) -> None:
        self._assistant, self.sender, self._inbox = assistant, sender, inbox
        self.leftovers = leftovers

    async def deliver(
        self,
        said: Inbound,
        reply: Reply,
        shown: Shown = NOTHING_SHOWN,
        progress: Progress | None = None,
    ) -> bool:
        """Send a reply, in a group as an answer to its message, in place of what a preview has
        `shown` of it. `progress` is how far another process came with it. False if the person can't
        be reached. Raises TelegramError if Telegram rejects it."""
        origin = said.origin
        delivery = None
        if reply.note and isinstance(said, Click):
            await self.sender.release(said.query_id, reply.text)
        elif reply.replaces is not None and reply.buttons and not reply.text:
            await self.sender.set_buttons(origin.place, reply.replaces, _keyboard(reply.buttons))
        elif not reply.silent:
            delivery = await self._begin(said, reply, shown, progress)
        if reply.releases is not None:
            await self.sender.set_buttons(origin.place, reply.releases)
        if delivery is None and reply.reaction:
            await self.sender.react(origin.place, said.message_id, reply.reaction)
        if delivery is None:
            return True
        if reply.replaces is not None and not shown.messages:
            shown = replace(shown, messages=(reply.replaces,))
        message_id = await self.send(
            origin.place, reply, _shown_question(said, reply), shown, delivery
        )
        if shown.maybe:
            await delivery.settle()
            # A preview that seemed lost may have arrived late.
            await self.take_back(origin.place, Shown(maybe=shown.maybe))
        await self._assistant.note_delivery(said, reply, message_id)
        if reply.reaction and not isinstance(said, Click):
            await delivery.settle()
            await self.sender.react(origin.place, said.message_id, reply.reaction)
        return message_id is not None

    async def deliver_left(self, said: Inbound, left: Waiting) -> None:
        """Deliver the reply that another process left in the inbox, from where it came. A person
        who was removed meanwhile gets no answer."""
        if (reply := left.reply) is None:
            return
        begun = await self.find_preview(said)
        if reply.markdown and not await self._assistant.people.admits(said.origin):
            await self.take_back(said.origin.place, begun)
        else:
            await self.deliver(said, reply, begun, left.progress)

    async def find_preview(self, said: Inbound) -> Shown:
        """The preview that another process began for this reply. A preview above newer messages is
        deleted: nobody would look for the reply there."""
        place, begun = said.origin.place, NOTHING_SHOWN
        for receipt in said.receipts:
            if not (left := self._inbox.left(receipt)):
                continue
            shown = await self.leftovers.find(place, left.preview)
            if shown != left.preview:
                with log_outage(_log, "inbox_unavailable"):
                    await self._inbox.note_preview(receipt, shown)
            if shown.messages and shown.messages[0] > said.message_id and not begun.messages:
                begun = Shown(shown.messages)
            else:
                await self.take_back(place, Shown(shown.messages))
        return begun

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

    async def release(self, click: Click) -> Inbound | None:
        """Release a pressed button. Returns what is to be answered; None, and a note at the button,
        if the click is refused."""
        admitted = await self._assistant.admit(click)
        refusal = admitted if isinstance(admitted, Reply) else None
        await self.sender.release(click.query_id, refusal.text or None if refusal else None)
        if isinstance(admitted, Message) or (refusal and refusal.releases is not None):
            await self.sender.set_buttons(click.origin.place, click.message_id)
        return None if isinstance(admitted, Reply) else admitted

    async def take_back(self, place: Place, shown: Shown) -> None:
        """Delete the preview of a reply that does not come, if there is one."""
        for message_id in (await self.leftovers.find(place, shown)).messages:
            await self.sender.delete(place, message_id)

    async def send(
        self,
        place: Place,
        reply: Reply,
        answering: int | None = None,
        shown: Shown = NOTHING_SHOWN,
        delivery: Delivery | None = None,
    ) -> int | None:
        mark = PRIVATE_MARK if reply.private else ""
        work = render if reply.markdown else render_plain
        rendered = await off_the_loop(work, reply.text, mark)
        messages = add_footer(rendered.messages, reply.footer)
        documents = [
            replace(document, caption=f"{mark} {document.caption}".strip())
            for document in reply.documents
        ]
        if rendered.document:
            texts = self._assistant.people.personal.texts_at_hand(place)
            caption = f"{mark} {texts.answer_file}".strip()
            documents.append(Document(_ANSWER_FILE, rendered.document, caption))
        return await self.sender.send(
            place,
            messages,
            documents,
            answering=answering,
            instead_of=shown.messages,
            keyboard=_keyboard(reply.buttons),
            delivery=delivery,
        )

    # -- what the inbox keeps ---------------------------------------------------------------------

    async def _begin(
        self, said: Inbound, reply: Reply, shown: Shown, progress: Progress | None
    ) -> Delivery:
        """The delivery of a reply, which the inbox keeps from now on."""
        receipts = said.receipts
        note = partial(self._note, receipts[0])
        # A model's answer twice looks as if the bot repeated itself.
        again = partial(self._again, said.origin) if reply.markdown else None
        if not can_keep(reply) and (left := self._inbox.left(receipts[0])):
            progress = left.progress
        if progress or not can_keep(reply):
            return Delivery(progress, note, again)
        progress = Progress(unsure=bool(shown.maybe))
        # An edit can be repeated; what is sent may arrive before that can be noted.
        noted = Progress(unsure=progress.unsure or bool(again and not shown.messages))
        with log_outage(_log, "inbox_unavailable"):
            await self._inbox.keep_reply(receipts, reply, noted)
        return Delivery(progress, note, again, noted=noted)

    async def _note(self, receipt: int, progress: Progress) -> None:
        with log_outage(_log, "inbox_unavailable"):
            await self._inbox.note_progress(receipt, progress)

    async def _again(self, origin: Origin) -> str:
        return (await self._assistant.people.texts(origin)).sent_again


def _shown_question(said: Inbound, reply: Reply) -> int | None:
    """The message that the reply shows as the one it answers."""
    if isinstance(said, Click):
        # A press that asks again, of which an earlier process left the reply.
        return (said.question or said).message_id if reply.points else None
    if isinstance(said, Message) and said.shown_question is not None:
        return said.shown_question
    return said.message_id if reply.points or not said.origin.is_private else None


def _keyboard(buttons: ButtonRows) -> InlineKeyboardMarkup | None:
    rows = [
        [InlineKeyboardButton(button.label, callback_data=button.data) for button in row]
        for row in buttons
    ]
    return InlineKeyboardMarkup(rows) if rows else None
