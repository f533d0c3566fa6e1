"""The handler boundary: where errors of handling an update end, whatever they are."""

import secrets

import structlog
from telegram.error import TelegramError

from bot.people.personal import PersonalSettings
from bot.telegram.delivery.cooldown import Cooldown
from bot.telegram.delivery.sender import Sender
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.said import Said
from bot.telegram.lanes import Item
from bot.telegram.replying import Replying
from memory.errors import StoreUnavailable
from memory.records import Place

_log = structlog.get_logger(__name__)


class Boundary:
    """Carries out the items of the lanes. Never raises: an error becomes a line in the log and one
    polite sentence, both with the same id. Then the item's updates are done."""

    def __init__(
        self,
        replying: Replying,
        sender: Sender,
        inbox: Inbox,
        personal: PersonalSettings,
        cooldown: Cooldown,
    ) -> None:
        self._replying, self._sender, self._inbox = replying, sender, inbox
        self._personal, self._cooldown = personal, cooldown
        #: How many updates went wrong since the start.
        self.errors = 0

    async def carry_out(self, place: Place, item: Item) -> None:
        """Do what the item says. Cancelled, it leaves the updates open for the next start."""
        try:
            if isinstance(item, Said):
                await self._replying.answer(item)
            else:
                await item.run()
        except Exception as error:  # noqa: BLE001 - the handler boundary: one update, not the bot
            await self.report(place, error)
        await self.close(item.update_ids)

    async def close(self, update_ids: tuple[int, ...]) -> None:
        """These updates are done."""
        try:
            await self._inbox.done(update_ids)
        except StoreUnavailable as failure:
            _log.exception("inbox_unavailable", error=str(failure))

    async def report(self, place: Place | None, error: Exception) -> None:
        """Log an error, and tell the place about it unless it was told just now."""
        self.errors += 1
        error_id = secrets.token_hex(3)
        chat = place.chat_id if place else None
        _log.error("update_failed", error_id=error_id, chat=chat, exc_info=error)
        if place is None or not self._cooldown.claim(place):
            return
        try:
            texts = await self._personal.texts_at(place)
            await self._sender.send(place, texts.failed.format(id=error_id))
        except TelegramError as failure:
            _log.warning("error_not_told", error_id=error_id, error=type(failure).__name__)
