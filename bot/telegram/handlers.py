"""Handlers: each update to its lane. Nothing here waits for the network."""

import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import structlog
from telegram import Message, Update, User
from telegram.ext import (
    Application,
    CallbackContext,
    CallbackQueryHandler,
    ChatMemberHandler,
    MessageHandler,
    TypeHandler,
    filters,
)

from bot.commands.questions import Answer, Awaited
from bot.commands.table import Commands
from bot.people.personal import PersonalSettings
from bot.people.quotas import Exceeded, Quotas, too_much_text
from bot.telegram.boundary import Boundary
from bot.telegram.doorkeeper import Doorkeeper
from bot.telegram.formatting.text import is_blank
from bot.telegram.intake.groups import membership_of
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.migration import Migrations, migration_of
from bot.telegram.intake.reading import (
    Click,
    Command,
    Heard,
    click_of,
    hear,
)
from bot.telegram.intake.said import Said
from bot.telegram.lanes import Errand, Lanes
from bot.telegram.replying import Replying
from bot.telegram.voice import Voice
from bot.texts import Sentence, texts_in
from memory.errors import StoreUnavailable
from memory.records import Place

_log = structlog.get_logger(__name__)

App = Application[Any, Any, Any, Any, Any, Any]
Context = CallbackContext[Any, Any, Any, Any]

#: One apology for a backlog, however many messages it has. In seconds.
_APOLOGY_SECONDS = 600.0
#: For how long after it was sent a change of a message still counts.
_EDITABLE = timedelta(minutes=1)
#: More messages than anybody sends a bot in that time.
_MOST_SEEN = 10_000


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
        inbox: Inbox,
        lanes: Lanes,
        boundary: Boundary,
        voice: Voice,
        personal: PersonalSettings,
        replying: Replying,
        commands: Commands,
        quotas: Quotas,
        doorkeeper: Doorkeeper,
        migrations: Migrations,
        awaited: Awaited,
    ) -> None:
        self._channel, self._limits, self._inbox = channel, limits, inbox
        self._lanes, self._boundary = lanes, boundary
        self._voice, self._personal = voice, personal
        self._replying, self._commands = replying, commands
        self._quotas, self._doorkeeper = quotas, doorkeeper
        self._migrations, self._awaited = migrations, awaited
        #: Replies that an earlier process made and did not deliver, by update.
        self.kept_replies: dict[int, str] = {}
        # The last messages that were for the bot, by chat.
        self._seen: deque[tuple[int, int]] = deque(maxlen=_MOST_SEEN)
        self._apologised: dict[Place, float] = {}
        # The last albums that were for the bot.
        self._albums: deque[str | None] = deque(maxlen=100)
        # In whole seconds, as Telegram dates messages.
        self._began = datetime.now(UTC).replace(microsecond=0)

    def register(self, application: App) -> None:
        """Have the application call these handlers."""
        application.add_handler(CallbackQueryHandler(self._on_click))
        application.add_handler(MessageHandler(filters.UpdateType.MESSAGE, self._on_message))
        application.add_handler(MessageHandler(filters.UpdateType.EDITED_MESSAGE, self._on_edit))
        application.add_handler(ChatMemberHandler(self._on_membership))
        application.add_handler(TypeHandler(Update, self._on_other))
        application.add_error_handler(self._on_error)

    # -- what the application calls ---------------------------------------------------------------

    async def _on_message(self, update: Update, context: Context) -> None:
        if not self._inbox.claim(update.update_id) or update.message is None:
            return
        if moved := migration_of(update.message):
            self._migrations.follow(*moved, (update.update_id,))
            return
        album = update.message.media_group_id
        heard = hear(update.update_id, update.message, _me(context), self._channel, self._albums)
        if heard and album:
            self._albums.append(album)
        if heard:
            self._seen.append((heard.origin.place.chat_id, heard.message_id))
        if heard is None:
            await self._boundary.close((update.update_id,))
        elif not await self._doorkeeper.admits(heard.origin):
            await self._doorkeeper.turn_away(heard)
        elif not await self._doorkeeper.takes_code(heard):
            self._personal.note(heard.origin)
            await self._take(heard)

    async def _take(self, heard: Heard) -> None:
        """Something from somebody who may use the bot."""
        answer = self._awaited.take(heard)
        if heard.update_id in self.kept_replies:
            self._deliver_kept(heard)
        elif self._is_stale(heard):
            await self._apologise(heard)
        elif heard.command:
            await self._take_command(heard, heard.command)
        elif answer and not _begins_anew(heard):
            await self._take_answer(heard, answer)
        else:
            await self._take_text(heard)

    async def _take_answer(self, heard: Heard, answer: Answer) -> None:
        """What somebody has been asked for, and is no talk."""
        if isinstance(answer, Command):
            await self._take_command(heard, answer)
        else:
            work = partial(self._commands.run_answer, heard, answer)
            self._put(heard, Errand("answer", work, (heard.update_id,)))

    async def _on_edit(self, update: Update, context: Context) -> None:
        """What is changed within a minute and not answered yet is answered as it reads now, also
        if only now it is for the bot."""
        if not self._inbox.claim(update.update_id) or update.edited_message is None:
            return
        message = update.edited_message
        heard = hear(update.update_id, message, _me(context), self._channel)
        # A live location moves by itself: nobody has changed what they said.
        is_talk = heard and heard.command is None and heard.text and message.location is None
        if not heard or not is_talk or not await self._doorkeeper.admits(heard.origin):
            await self._boundary.close((update.update_id,))
        elif self._is_new_by_change(heard) and _is_in_time(message):
            self._seen.append((heard.origin.place.chat_id, heard.message_id))
            self._personal.note(heard.origin)
            await self._take(heard)
        else:
            if _is_in_time(message):
                await self._amend(heard)
            await self._boundary.close((update.update_id,))

    async def _amend(self, heard: Heard) -> None:
        """Have what is not answered yet answered as it reads now, after a restart too. To begin a
        reply again costs what a message does, and counts as one."""
        amended = self._lanes.amend(heard)
        if not amended and self._replying.would_amend(heard):
            if too_much := await self._too_much(heard):
                await self._say_too_much(heard, too_much)
                return
            amended = self._replying.amend(heard)
        if amended:
            try:
                await self._inbox.amend(heard.update_id)
            except StoreUnavailable as failure:
                _log.warning("inbox_unavailable", error=str(failure))

    def _is_new_by_change(self, heard: Heard) -> bool:
        """Whether what somebody has changed was not for the bot before. Of messages from before the
        start that is only known where an earlier process has left the change open; in a private
        chat, where everything is for the bot from the first, it had just not come to it."""
        if (heard.origin.place.chat_id, heard.message_id) in self._seen:
            return False
        was_found_so = not heard.origin.is_private and self._inbox.was_left(heard.update_id)
        return heard.at >= self._began or was_found_so

    async def _on_click(self, update: Update, context: Context) -> None:
        query = update.callback_query
        if not self._inbox.claim(update.update_id) or query is None:
            return
        click = click_of(update.update_id, query, self._channel)
        if click is None:
            await self._boundary.close((update.update_id,))
            return
        self._awaited.note(click.origin, click.update_id)
        place, ids = click.origin.place, (update.update_id,)
        if not await self._doorkeeper.admits(click.origin):
            # Of somebody who may not use the bot, nothing is looked up.
            text = texts_in(click.origin.language).button_not_yours
            answer = partial(self._voice.note, click, text)
            self._lanes.put(place, Errand("answer_click", answer, ids), aside=True)
            return
        refusal = self._commands.refusal_of(click)
        answer = partial(self._answer_click, click, refusal)
        self._lanes.put(place, Errand("answer_click", answer, ids if refusal else ()), aside=True)
        if not refusal:
            work = partial(self._commands.run_click, click)
            self._lanes.put(place, Errand("click", work, ids))

    async def _answer_click(self, click: Click, refusal: Sentence | None) -> None:
        note = None
        if refusal := refusal or await self._commands.forbids(click):
            note = refusal(await self._voice.texts(click.origin))
        await self._voice.note(click, note)

    async def _on_membership(self, update: Update, context: Context) -> None:
        if not self._inbox.claim(update.update_id) or update.my_chat_member is None:
            return
        change = membership_of(update.my_chat_member, self._channel)
        ids: tuple[int, ...] = (update.update_id,)
        if change and change.is_group and change.came:
            await self._doorkeeper.come_to_group(change, update.update_id)
            return
        if change and not change.came:
            # Whoever blocked the bot gets no answer: nothing is to be written for them.
            for place in self._lanes.places_in(change.place):
                dropped = self._lanes.drop_said(place)
                self._replying.stop(place)
                ids = (*ids, *(id_ for said in dropped for id_ in said.update_ids))
        await self._boundary.close(ids)

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
        self._lanes.put(place or Place(self._channel, 0), errand, aside=True)

    # -- what came too late -----------------------------------------------------------------------

    def _is_stale(self, heard: Heard) -> bool:
        """Whether it waited too long while the bot was down. What is dated since the start did not,
        even where this host's clock leaps ahead later."""
        return heard.at < self._began and datetime.now(UTC) - heard.at > self._limits.stale

    async def _apologise(self, heard: Heard) -> None:
        now = time.monotonic()
        place = heard.origin.place
        self._tidy(place, (heard.update_id,))
        last = self._apologised.get(place)
        if last is not None and now - last < _APOLOGY_SECONDS:
            await self._boundary.close((heard.update_id,))
            return
        self._apologised = {
            p: at for p, at in self._apologised.items() if now - at < _APOLOGY_SECONDS
        } | {place: now}
        self._reply(heard, lambda texts: texts.stale)

    def _tidy(self, place: Place, update_ids: tuple[int, ...]) -> None:
        """Take away what an earlier process had begun to answer these updates with: nobody will
        complete it."""
        for update_id in update_ids:
            tidy = partial(self._replying.tidy, place, update_id)
            self._lanes.put(place, Errand("tidy", tidy), aside=True)

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
        """End the reply under way; what waits behind it has its turn. Without one, what waits for
        its turn is what is meant."""
        place, say = heard.origin.place, partial(self._voice.say_sentence, heard)
        if self._replying.stop(place):
            # Below what there is of the reply.
            stopped = partial(say, lambda texts: texts.stopped)
            self._lanes.put_next(place, Errand("stop", stopped, (heard.update_id,)))
            return
        dropped = self._lanes.drop_said(place)
        ids = (heard.update_id, *(id_ for said in dropped for id_ in said.update_ids))
        self._tidy(place, ids)
        taken = partial(say, lambda texts: texts.stopped if dropped else texts.nothing_to_stop)
        self._lanes.put(place, Errand("stop", taken, ids), aside=True)

    async def _take_text(self, heard: Heard) -> None:
        longest = self._limits.longest_text
        if heard.text is None:
            self._reply(heard, lambda texts: texts.only_text)
        elif is_blank(heard.text):
            self._reply(heard, lambda texts: texts.empty)
        elif (length := len(heard.text)) > longest:
            self._reply(heard, lambda texts: texts.too_long.format(length, longest=longest))
        elif _begins_anew(heard):
            work = partial(self._commands.run, heard, Command("new", ""))
            self._put(heard, Errand("new", work, (heard.update_id,)))
        elif too_much := await self._too_much(heard):
            await self._say_too_much(heard, too_much)
        else:
            self._lanes.put(heard.origin.place, Said.of(heard))

    async def _too_much(self, heard: Heard) -> Exceeded | None:
        """The limit that this message is beyond."""
        return await self._quotas.exceeded(heard.origin.user_id)

    async def _say_too_much(self, heard: Heard, too_much: Exceeded) -> None:
        """Say it once, with when it ends; what is written until then is left unanswered."""
        self._tidy(heard.origin.place, (heard.update_id,))
        if too_much.first:
            self._reply(heard, partial(too_much_text, too_much))
        else:
            await self._boundary.close((heard.update_id,))

    def _deliver_kept(self, heard: Heard) -> None:
        reply = self.kept_replies.pop(heard.update_id)
        work = partial(self._replying.deliver, Said.of(heard), reply)
        self._put(heard, Errand("kept_reply", work, (heard.update_id,)))

    def _reply(self, heard: Heard, sentence: Sentence) -> None:
        """Say one of the bot's own sentences, in its turn."""
        say = partial(self._voice.say_sentence, heard, sentence)
        self._put(heard, Errand("sentence", say, (heard.update_id,)))

    def _put(self, heard: Heard, errand: Errand) -> None:
        self._lanes.put(heard.origin.place, errand)


def _me(context: Context) -> User:
    me: User = context.bot.bot
    return me


def _is_in_time(edited: Message) -> bool:
    """Whether a message was changed while that counts: by Telegram's own clock, which runs on while
    the bot is away."""
    changed_at = edited.edit_date or datetime.now(UTC)
    return changed_at - edited.date <= _EDITABLE


def _begins_anew(heard: Heard) -> bool:
    """Whether somebody has written /new without its slash."""
    return heard.text is not None and heard.text.lower() == "new"
