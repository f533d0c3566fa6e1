"""Deleting everything about somebody: the question, its two answers, and what comes of them."""

from datetime import UTC, datetime
from functools import partial

import structlog
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.commands.pages.browser import Browser
from bot.commands.questions import Awaited, yes_or_no
from bot.people.privacy import Privacy
from bot.people.usage import Accounts
from bot.telegram.intake.inbox import Inbox
from bot.telegram.intake.reading import Click, Heard
from bot.telegram.voice import Voice
from bot.texts import Sentence, Texts
from memory.errors import StoreUnavailable
from memory.memory import Memory

_log = structlog.get_logger(__name__)

#: How long the buttons of the question stay good. In seconds.
_QUESTION_SECONDS = 600.0
_ACTION = "forget_all"


class ForgetAll:
    """Asks once whether everything about an actor shall be deleted, and does it."""

    def __init__(
        self,
        memory: Memory,
        voice: Voice,
        inbox: Inbox,
        accounts: Accounts,
        browser: Browser,
        privacy: Privacy,
        awaited: Awaited,
    ) -> None:
        self._memory, self._voice, self._inbox = memory, voice, inbox
        self._accounts, self._browser, self._privacy = accounts, browser, privacy
        self._awaited = awaited

    async def ask(self, heard: Heard, texts: Texts) -> None:
        """Ask, with a button for either answer; "yes" and "no" in words are as good."""
        origin = heard.origin
        question = texts.forget_all_ask if origin.is_private else texts.forget_all_ask_group
        # The asker's id, be that the group's: whoever else clicks is refused. A click can be made
        # up, so that in a group its admins are asked for once more when it comes.
        data = f"{_ACTION}:{origin.user_id}"
        buttons = (
            InlineKeyboardButton(texts.forget_all_yes, callback_data=f"{data}:yes"),
            InlineKeyboardButton(texts.forget_all_no, callback_data=f"{data}:no"),
        )
        keyboard = InlineKeyboardMarkup([[button] for button in buttons])
        message_id = await self._voice.say(heard, question, keyboard)
        self._awaited.expect(heard, message_id, partial(_pressed, data))

    def refusal_of(self, click: Click) -> Sentence | None:
        """Why a click is not carried out, as a note for the clicker; None if it is."""
        action, _, rest = click.data.partition(":")
        owner, _, answer = rest.partition(":")
        if action != _ACTION or answer not in ("yes", "no"):
            return _stale
        if owner not in (str(click.origin.user_id), str(click.origin.place.chat_id)):
            return lambda texts: texts.button_not_yours
        age = (datetime.now(UTC) - click.asked_at).total_seconds()
        return _stale if age > _QUESTION_SECONDS else None

    async def press(self, click: Click, texts: Texts) -> None:
        """Carry out a click that is not refused; the question becomes its outcome."""
        outcome = texts.forget_all_kept
        if click.data.endswith(":yes"):
            outcome = await self._erased(click, texts)
        await self._voice.replace(click, outcome)

    async def _erased(self, click: Click, texts: Texts) -> str:
        """Delete everything; what is said about it."""
        actor, place = click.origin.actor, click.origin.place
        try:
            private = await self._privacy.is_on(actor, place)
            await self._memory.forget_all(actor)
            self._browser.forget(actor)
            if private:
                await self._privacy.begin(actor, place)
            await self._inbox.erase(place.chat_id, before=click.update_id)
            await self._accounts.erase(actor)
        except StoreUnavailable as failure:
            _log.warning("memory_unavailable", command=_ACTION, error=str(failure))
            return texts.memory_unavailable
        _log.info("forgot_all", actor=actor.id)
        return texts.forget_all_done


def _pressed(data: str, answer: Heard, question: int) -> Click | None:
    """The button that an answer in words is as good as."""
    agreed = yes_or_no(answer.words)
    if agreed is None:
        return None
    return answer.pressing(question, f"{data}:{'yes' if agreed else 'no'}")


def _stale(texts: Texts) -> str:
    return texts.button_stale
