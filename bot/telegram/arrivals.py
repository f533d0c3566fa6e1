"""Arrivals: turn each update into an inbound and put it into its place's lane, without waiting for
the network."""

import time
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

import structlog
import telegram
from telegram import Bot, CallbackQuery, ChatMemberUpdated, Update
from telegram.error import TelegramError

from bot.assistant.assistant import Assistant
from bot.assistant.events import Notice, Reply
from bot.assistant.inbound import Click, Command, GroupJoin, Inbound, Message, Origin
from bot.commands.table import overtakes
from bot.telegram.delivery.menu import publish_owners_menu
from bot.telegram.delivery.replies import Replies
from bot.telegram.delivery.shown import NOTHING_SHOWN
from bot.telegram.intake.groups import Migrations, membership_of
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.updates import CHANNEL, click_of, inbound_of
from bot.telegram.lanes import Item, Lanes, LaneTask
from bot.telegram.leftovers import STOP
from bot.telegram.options import ChannelOptions
from bot.telegram.responder import Responder
from bot.texts import texts_in
from memory.background.caches import BoundedDict
from memory.background.work import log_outage
from memory.records import Actor, Place

_log = structlog.get_logger(__name__)

#: How long after sending a message an edit still counts.
_EDITABLE = timedelta(minutes=1)
#: The reaction to a question in a group that has to wait.
_SEEN = "👀"
#: More messages than a bot receives in that time.
_MOST_SEEN = 3_000


class Arrivals:
    """Decides what an update means, and puts it into the lane of its place."""

    def __init__(
        self,
        assistant: Assistant,
        inbox: Inbox,
        lanes: Lanes,
        responder: Responder,
        replies: Replies,
        options: ChannelOptions,
    ) -> None:
        self._assistant, self._inbox, self._stale = assistant, inbox, options.stale
        self._longest = options.longest_text
        self._lanes, self._responder, self._replies = lanes, responder, replies
        self._migrations = Migrations(assistant.move, lanes, options.clock, inbox.leases)
        self._access = assistant.people.access
        # The owners who have their menu.
        self._owners: set[int] = set()
        # The last messages meant for the bot, by chat, and the last albums.
        self._seen = BoundedDict[tuple[int, int], None](_MOST_SEEN)
        self._albums = BoundedDict[str | None, None](100)
        self._wall, self._began_at = options.wall, time.monotonic()
        #: True once the backlog has arrived: nothing is late any more, whatever the clock says.
        self.live = False

    async def take(self, update: Update) -> None:
        """Put an update into its lane. Never raises."""
        receipt = update.update_id
        if not self._inbox.claim(receipt):
            return
        try:
            if message := update.effective_message:
                self._replies.leftovers.note(message.chat.id, message.message_id)
            if update.message:
                await self._on_message(receipt, update.message)
            elif update.edited_message:
                await self._on_edit(receipt, update.edited_message)
            elif update.callback_query:
                await self._on_click(receipt, update.callback_query)
            elif update.my_chat_member:
                await self._on_membership(receipt, update.my_chat_member)
            else:
                await self._responder.close((receipt,))
        except Exception as error:  # noqa: BLE001 - the boundary: one update, not the bot
            chat = update.effective_chat
            place = Place(CHANNEL, chat.id) if chat else None
            asked = update.message.message_id if update.message else None
            report = partial(self._responder.report, place, error, asked)
            job = LaneTask("report", report, (receipt,))
            self._lanes.put(place or Place(CHANNEL, 0), job, aside=True)

    def announce(self, notice: Notice) -> None:
        """Queue a notice after what is under way in its place."""
        announce = partial(self._replies.send, notice.place, notice.reply)
        self._lanes.put(notice.place, LaneTask("notice", announce))

    @property
    def _began(self) -> datetime:
        """The start, in whole seconds, as Telegram dates messages."""
        age = timedelta(seconds=time.monotonic() - self._began_at)
        return (self._wall() - age).replace(microsecond=0)

    # -- messages and commands --------------------------------------------------------------------

    async def _on_message(self, receipt: int, message: telegram.Message) -> None:
        old_chat = message.migrate_from_chat_id or message.chat.id
        new_chat = message.migrate_to_chat_id or message.chat.id
        if old_chat != new_chat:
            self._migrations.follow(old_chat, new_chat, (receipt,))
            return
        bot = message.get_bot()
        said = inbound_of(receipt, message, bot.bot, self._albums)
        if said is None:
            await self._responder.close((receipt,))
            return
        if album := message.media_group_id:
            self._albums[album] = None
        await self._take(said, bot)

    async def _take(self, said: Message | Command, bot: Bot) -> None:
        """Put an inbound, or its refusal, into its lane."""
        place = said.origin.place
        self._seen[place.chat_id, said.message_id] = None
        meant: Item | Reply
        if kept := self._kept_reply(said):
            # Neither limits nor staleness apply.
            meant = kept
        else:
            late = not self.live and said.at < self._began
            late = late and self._wall() - said.at > self._stale
            meant = await self._assistant.admit(said, late=late)
            self._show_owners_menu(said.origin, bot)
        if isinstance(meant, Reply):
            self._tidy(place, said.receipts)
            self._reply(said, meant)
        elif isinstance(meant, Command) and meant.name == "stop":
            self._stop(meant)
        else:
            if isinstance(meant, Message) and self._waits_behind_another(meant):
                seen = partial(_show_seen, bot, meant)
                self._lanes.put(place, LaneTask("seen", seen), aside=True)
            self._queue(place, meant)

    def _reply(self, said: Inbound, reply: Reply) -> None:
        deliver = partial(self._replies.deliver, said, reply)
        self._lanes.put(said.origin.place, LaneTask("reply", deliver, said.receipts))

    def _show_owners_menu(self, origin: Origin, bot: Bot) -> None:
        """When an owner first writes in private, see to their menu: now there is a chat for it."""
        owner = origin.user_id
        if not origin.is_private or owner in self._owners or not self._access.owns(owner):
            return
        self._owners.add(owner)
        publish = partial(publish_owners_menu, bot, self._inbox.notes, owner)
        self._lanes.put(origin.place, LaneTask("menu", publish), aside=True)

    def _queue(self, place: Place, item: Item) -> None:
        """Put an item into its lane. What only reads passes the messages before it, but no other
        command or click: what a person did in this order shows in this order."""
        under_way, waiting = self._lanes.ahead(place)
        ahead = (under_way, *waiting)
        blocked = any(
            each.blocks if isinstance(each, LaneTask) else isinstance(each, Command | Click)
            for each in ahead
        )
        passes = not (blocked or isinstance(item, LaneTask)) and overtakes(item)
        is_talk = any(isinstance(each, Message) for each in ahead)
        self._lanes.put(place, item, aside=passes and is_talk)

    def _waits_behind_another(self, said: Message) -> bool:
        """True for a question in a group that is answered after another one. In a private chat
        people know what the bot is doing."""
        under_way, waiting = self._lanes.ahead(said.origin.place)
        last = waiting[-1] if waiting else None
        if said.origin.is_private or (
            isinstance(last, Message) and last.join(said, self._longest) is not None
        ):
            return False
        return any(isinstance(each, Message) for each in (under_way, *waiting))

    def _kept_reply(self, said: Inbound) -> LaneTask | None:
        """The delivery of the reply that an earlier process wrote, if it did."""
        left = self._inbox.left(said.receipt)
        if left is None or left.reply is None:
            return None
        deliver = partial(self._replies.deliver_left, said, left)
        return LaneTask("kept_reply", deliver, said.receipts)

    def _stop(self, command: Command) -> None:
        """Stop the current reply; what waits behind it gets its turn. Without a current reply, drop
        the messages that wait."""
        place = command.origin.place
        task = self._responder.under_way(place)
        if task and task.stop():
            say = partial(self._replies.say, command, lambda texts: texts.stopped)
            # Below the stopped reply.
            self._lanes.put_next(place, LaneTask("stop", say, command.receipts))
            return
        dropped = self._lanes.drop_messages(place)
        self._tidy(place, dropped)
        say = partial(
            self._replies.say,
            command,
            lambda texts: texts.stopped if dropped else texts.nothing_to_stop,
        )
        self._lanes.put(place, LaneTask("stop", say, (*command.receipts, *dropped)), aside=True)

    def _tidy(self, place: Place, receipts: tuple[int, ...]) -> None:
        """Delete the unfinished replies of an earlier process, because nothing will complete
        them."""
        for left in map(self._inbox.left, receipts):
            if left and left.preview != NOTHING_SHOWN:
                tidy = partial(self._replies.take_back, place, left.preview)
                self._lanes.put(place, LaneTask("tidy", tidy), aside=True)

    # -- changes ----------------------------------------------------------------------------------

    async def _on_edit(self, receipt: int, message: telegram.Message) -> None:
        """Apply an edit made within a minute if the message is not answered yet, or if the edit
        addresses the bot for the first time. Offer to answer any other again."""
        bot = message.get_bot()
        said = inbound_of(receipt, message, bot.bot)
        # By Telegram's clock, which keeps running while the bot is down.
        in_time = (message.edit_date or self._wall()) - message.date <= _EDITABLE
        # A live location changes by itself, not by an edit.
        moves = message.location is not None
        is_talk = isinstance(said, Message) and said.text and not moves
        admitted = is_talk and said and await self._assistant.people.admits(said.origin)
        if not (isinstance(said, Message) and admitted):
            await self._responder.close((receipt,))
        elif not self._is_new_by_change(said):
            if not (in_time and await self._amend(said)):
                offer = partial(self._offer_again, said)
                self._lanes.put(said.origin.place, LaneTask("edited", offer, said.receipts))
        elif in_time:
            await self._take(said, bot)
        else:
            await self._responder.close((receipt,))

    def _is_new_by_change(self, said: Message) -> bool:
        """True if the edited message was not meant for the bot before. For messages from before the
        start, this is only known if an earlier process left the edit open. In a private chat, where
        every message is for the bot, such an edit was just not handled yet."""
        if (said.origin.place.chat_id, said.message_id) in self._seen:
            return False
        was_left = self._inbox.left(said.receipt) is not None
        return said.at >= self._began or (was_left and not said.origin.is_private)

    async def _offer_again(self, changed: Message) -> None:
        await self._replies.deliver(changed, await self._assistant.resuming.offer(changed))

    async def _amend(self, changed: Message) -> bool:
        """Apply an edit to a message that waits or is being answered, in the inbox too. Restarting
        a reply counts as a message. False if neither is so."""
        amended = self._lanes.amend(changed)
        task = self._responder.under_way(changed.origin.place)
        if task and task.answers(changed):
            await self._responder.close(changed.receipts)
            return True
        if not amended and task and task.amendment(changed):
            if refusal := await self._assistant.limit(changed):
                self._reply(changed, refusal)
                return True
            amended = task.amend(changed)
        if amended:
            with log_outage(_log, "inbox_unavailable"):
                await self._inbox.amend(changed.receipt)
            await self._responder.close(changed.receipts)
        return amended

    # -- buttons and chats ------------------------------------------------------------------------

    async def _on_click(self, receipt: int, query: CallbackQuery) -> None:
        click = click_of(receipt, query)
        if click is None:
            refuse = LaneTask("refuse", partial(self._refuse, query), (receipt,))
            self._lanes.put(Place(CHANNEL, query.from_user.id), refuse, aside=True)
            return
        if click.data == STOP:
            stop = partial(self._press_stop, click)
            self._lanes.put(click.origin.place, LaneTask("stop", stop, click.receipts), aside=True)
            return
        if kept := self._kept_reply(click):
            self._lanes.put(click.origin.place, kept)
            return
        await self._assistant.questions.note(click)
        # Beside the lane, so that the button is released while a reply is under way.
        press = LaneTask("press", partial(self._press, click))
        self._lanes.put(click.origin.place, press, aside=True)

    async def _refuse(self, query: CallbackQuery) -> None:
        """Release a button where nothing can be shown."""
        user, people = query.from_user, self._assistant.people
        texts = texts_in(user.language_code)
        if await self._access.admits(user.id):
            texts = await people.personal.texts(Actor.person(user.id), user.language_code)
        await self._replies.sender.release(query.id, texts.buttons_stale)

    async def _press(self, click: Click) -> None:
        try:
            admitted = await self._replies.release(click)
        except Exception:
            await self._responder.close(click.receipts)
            raise
        if admitted:
            self._queue(click.origin.place, admitted)
        else:
            await self._responder.close(click.receipts)

    async def _press_stop(self, click: Click) -> None:
        """Stop the reply under way, if the click is by its asker."""
        texts = await self._assistant.people.texts(click.origin)
        task, note = self._responder.under_way(click.origin.place), texts.nothing_to_stop
        if task and task.said.origin.user_id != click.origin.user_id:
            note = texts.stop_not_yours
        elif task and task.stop():
            note = texts.stopped
        await self._replies.sender.release(click.query_id, note)
        await self._responder.close(click.receipts)

    async def _on_membership(self, receipt: int, changed: ChatMemberUpdated) -> None:
        change = membership_of(changed)
        receipts: tuple[int, ...] = (receipt,)
        if change and change.is_group and change.came:
            joined = GroupJoin(change.place, change.user_id, change.language)
            job = LaneTask("joined", partial(self._replies.join, joined), receipts)
            self._lanes.put(change.place, job)
            return
        if change and not change.came:
            # Don't write replies for a person who blocked the bot.
            for place in self._lanes.places_in(change.place):
                receipts += self._lanes.drop_messages(place)
                if task := self._responder.under_way(place):
                    task.abandon()
        await self._responder.close(receipts)


async def _show_seen(bot: Bot, said: Message) -> None:
    """React to a message that has to wait. Where that is not allowed, it waits without."""
    with suppress(TelegramError):
        await bot.set_message_reaction(said.origin.place.chat_id, said.message_id, _SEEN)
