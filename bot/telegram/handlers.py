"""Handlers: each update to its lane. Nothing here waits for the network."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import structlog
from telegram import CallbackQuery, Message, Update, User
from telegram.ext import (
    Application,
    CallbackContext,
    CallbackQueryHandler,
    MessageHandler,
    TypeHandler,
    filters,
)

from bot.replies import Inbound
from bot.telegram.access import Access
from bot.telegram.boundary import Boundary
from bot.telegram.commands import Click, Commands
from bot.telegram.inbox import Inbox
from bot.telegram.lanes import Errand, Lanes, Said
from bot.telegram.reading import Command, Heard, hear, origin_of
from bot.telegram.rendering import is_blank
from bot.telegram.replying import Replying
from bot.telegram.sender import Sender
from bot.telegram.texts import Texts, texts_in
from memory.records import Place

_log = structlog.get_logger(__name__)

App = Application[Any, Any, Any, Any, Any, Any]
Context = CallbackContext[Any, Any, Any, Any]

#: One apology for a backlog, however many messages it has. In seconds.
_APOLOGY_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What is answered: texts up to so many characters, and messages from before the start that are
    not older than this."""

    longest_text: int
    stale: timedelta


class Handlers:
    """Decides what an update means and puts it into the lane of its place."""

    def __init__(
        self,
        channel: str,
        limits: Limits,
        access: Access,
        inbox: Inbox,
        sender: Sender,
        replying: Replying,
        commands: Commands,
    ) -> None:
        self._channel, self._limits, self._access = channel, limits, access
        self._inbox, self._sender = inbox, sender
        self._replying, self._commands = replying, commands
        self._boundary = Boundary(replying, sender, inbox)
        self.lanes = Lanes(self._boundary.carry_out, longest_burst=limits.longest_text)
        #: Replies that an earlier process made and did not deliver, by update.
        self.kept_replies: dict[int, str] = {}
        self._apologised: dict[Place, float] = {}
        # In whole seconds, as Telegram dates messages.
        self._began = datetime.now(UTC).replace(microsecond=0)

    def register(self, application: App) -> None:
        """Have the application call these handlers."""
        application.add_handler(CallbackQueryHandler(self._on_click))
        application.add_handler(MessageHandler(filters.UpdateType.MESSAGE, self._on_message))
        application.add_handler(TypeHandler(Update, self._on_other))
        application.add_error_handler(self._on_error)

    # -- what the application calls ---------------------------------------------------------------

    async def _on_message(self, update: Update, context: Context) -> None:
        if not self._inbox.claim(update.update_id) or update.message is None:
            return
        heard = hear(update.update_id, update.message, _me(context), self._channel)
        if heard is None:
            await self._boundary.close((update.update_id,))
        elif not self._access.admits(heard.origin.user_id):
            await self._turn_away(heard)
        elif heard.update_id in self.kept_replies:
            self._deliver_kept(heard)
        elif self._is_stale(heard):
            await self._apologise(heard)
        elif heard.command:
            await self._take_command(heard, heard.command)
        else:
            self._take_text(heard)

    async def _on_click(self, update: Update, context: Context) -> None:
        query = update.callback_query
        if not self._inbox.claim(update.update_id) or query is None:
            return
        click = _click(update.update_id, query, self._channel)
        if click is None:
            await self._boundary.close((update.update_id,))
            return
        place, ids = click.origin.place, (update.update_id,)
        refusal = self._commands.refusal_of(click)
        if not self._access.admits(click.origin.user_id):
            refusal = texts_in(click.origin.language).button_not_yours
        answer = partial(self._sender.answer_click, query.id, refusal)
        self.lanes.put(place, Errand("answer_click", answer, ids if refusal else ()), aside=True)
        if not refusal:
            work = partial(self._commands.run_click, click)
            self.lanes.put(place, Errand("click", work, ids))

    async def _on_other(self, update: Update, context: Context) -> None:
        if self._inbox.claim(update.update_id):
            await self._boundary.close((update.update_id,))

    async def _on_error(self, update: object, context: Context) -> None:
        if not isinstance(update, Update) or context.error is None:
            return
        chat = update.effective_chat
        place = Place(self._channel, chat.id) if chat else None
        report = partial(self._boundary.report, place, context.error)
        errand = Errand("report", report, (update.update_id,))
        self.lanes.put(place or Place(self._channel, 0), errand, aside=True)

    # -- whom and what not to answer --------------------------------------------------------------

    async def _turn_away(self, heard: Heard) -> None:
        """Let in whoever has the pairing code; tell everybody else no, once in a while."""
        user_id, texts = heard.origin.user_id, _texts(heard)
        if heard.origin.is_private and await self._access.pair(user_id, heard.text or ""):
            self._reply(heard, texts.paired)
            return
        _log.info("not_admitted", user=user_id)
        if self._access.refusal_due(user_id):
            template = texts.refused_unpaired if self._access.pairing_code else texts.refused
            self._reply(heard, template.format(id=user_id))
        else:
            await self._boundary.close((heard.update_id,))

    def _is_stale(self, heard: Heard) -> bool:
        """Whether it waited too long while the bot was down. What is dated since the start did not,
        even where this host's clock leaps ahead later."""
        return heard.at < self._began and datetime.now(UTC) - heard.at > self._limits.stale

    async def _apologise(self, heard: Heard) -> None:
        now = time.monotonic()
        place = heard.origin.place
        last = self._apologised.get(place)
        if last is not None and now - last < _APOLOGY_SECONDS:
            await self._boundary.close((heard.update_id,))
            return
        self._apologised = {
            p: at for p, at in self._apologised.items() if now - at < _APOLOGY_SECONDS
        } | {place: now}
        self._reply(heard, _texts(heard).stale)

    # -- what to answer ---------------------------------------------------------------------------

    async def _take_command(self, heard: Heard, command: Command) -> None:
        if command.name == "stop":
            self._stop(heard)
        elif heard.origin.is_private or command.addressed or self._commands.knows(command):
            work = partial(self._commands.run, heard, command)
            self._put(heard, Errand(command.name, work, (heard.update_id,)))
        else:
            # An unknown command in a group is probably another bot's.
            await self._boundary.close((heard.update_id,))

    def _stop(self, heard: Heard) -> None:
        place = heard.origin.place
        dropped = self.lanes.drop_said(place)
        stopped = self._replying.stop(place) or bool(dropped)
        ids = (heard.update_id, *(id_ for said in dropped for id_ in said.update_ids))
        texts = _texts(heard)
        text = texts.stopped if stopped else texts.nothing_to_stop
        answering = None if heard.origin.is_private else heard.message_id
        say = partial(self._sender.send, place, text, answering=answering)
        self.lanes.put(place, Errand("stop", say, ids), aside=True)

    def _take_text(self, heard: Heard) -> None:
        texts = _texts(heard)
        longest = self._limits.longest_text
        if heard.text is None:
            self._reply(heard, texts.only_text)
        elif is_blank(heard.text):
            self._reply(heard, texts.empty)
        elif len(heard.text) > longest:
            self._reply(heard, texts.too_long.format(length=len(heard.text), longest=longest))
        elif heard.text.lower() == "new":
            work = partial(self._commands.run, heard, Command("new", ""))
            self._put(heard, Errand("new", work, (heard.update_id,)))
        else:
            self.lanes.put(heard.origin.place, _said(heard, heard.text))

    def _deliver_kept(self, heard: Heard) -> None:
        reply = self.kept_replies.pop(heard.update_id)
        work = partial(self._replying.deliver, _said(heard, heard.text or ""), reply)
        self._put(heard, Errand("kept_reply", work, (heard.update_id,)))

    def _reply(self, heard: Heard, text: str) -> None:
        """Say one of the bot's own sentences, in its turn."""
        answering = None if heard.origin.is_private else heard.message_id
        work = partial(self._sender.send, heard.origin.place, text, answering=answering)
        self._put(heard, Errand("sentence", work, (heard.update_id,)))

    def _put(self, heard: Heard, errand: Errand) -> None:
        self.lanes.put(heard.origin.place, errand)


def _me(context: Context) -> User:
    me: User = context.bot.bot
    return me


def _texts(heard: Heard) -> Texts:
    return texts_in(heard.origin.language)


def _said(heard: Heard, text: str) -> Said:
    origin = heard.origin
    inbound = Inbound(
        id=f"{origin.place.channel}:{origin.place.chat_id}:{heard.message_id}",
        actor=origin.actor,
        place=origin.place,
        text=text,
        at=heard.at,
        speaker=origin.speaker,
        language=origin.language,
    )
    return Said(inbound, (heard.update_id,), (heard.message_id,))


def _click(update_id: int, query: CallbackQuery, channel: str) -> Click | None:
    if not isinstance(query.message, Message) or query.data is None:
        return None
    origin = origin_of(query.message, query.from_user, channel)
    if origin is None:
        return None
    message = query.message
    return Click(update_id, query.id, origin, message.message_id, message.date, query.data)
