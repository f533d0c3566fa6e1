"""Who may use the bot, and how much of it."""

import structlog

from bot.assistant.events import SILENCE, Reply
from bot.assistant.inbound import Click, Command, Inbound, Message, Origin
from bot.assistant.prompt import speaker_name
from bot.people.access import Access, AccessMode
from bot.people.guestbook import Request, UnreadableOwner
from bot.people.notices import Notices
from bot.people.pairing import Guess
from bot.people.personal import PersonalSettings
from bot.people.privacy import Privacy
from bot.people.quotas import Quotas, quota_text
from bot.texts import Texts, texts_in
from memory.background.pacing import Throttle
from memory.records import Place

_log = structlog.get_logger(__name__)

#: Owners hear of at most so many requests within so many seconds: after that, /users shows them who
#: else wants in.
_MAX_REQUESTS_TOLD, _REQUEST_SECONDS = 20, 3600.0


class People:
    """Decides about strangers and limits. Refusals come back as replies, and what others are to
    hear of it as notices. Nothing is looked up of somebody who may not use the bot."""

    def __init__(
        self, access: Access, quotas: Quotas, personal: PersonalSettings, privacy: Privacy
    ) -> None:
        self.access, self.quotas = access, quotas
        self.personal, self.privacy = personal, privacy
        self.notices = Notices()
        self._requests = Throttle(_REQUEST_SECONDS, _MAX_REQUESTS_TOLD)

    async def refuse(self, said: Inbound) -> Reply | None:
        """Why this is not answered, SILENCE included; None for whoever may use the bot. The pairing
        code makes its sender the owner, which is a reply of its own."""
        admitted = await self.admits(said.origin)
        if isinstance(said, Click):
            texts = texts_in(said.origin.language)
            return None if admitted else Reply(texts.button_not_yours, private=False, note=True)
        if not admitted:
            return await self._turn_away(said)
        # Whoever the settings let in is no owner yet. Any other code of theirs is just talk.
        if not said.origin.is_private or self.access.pairing_code is None:
            return None
        guess = await self.access.pair(said.origin.user_id, _typed_text(said), said.origin.name)
        return _plain_reply(texts_in(said.origin.language).paired) if guess is Guess.RIGHT else None

    async def limit(self, said: Message) -> Reply | None:
        """Count one more message of this person; what they hear if it is beyond a limit: the
        sentence once, then SILENCE until the limit ends."""
        exceeded = await self.quotas.count_message(said.origin.user_id)
        if exceeded is None:
            return None
        if not exceeded.first:
            return SILENCE
        return Reply(quota_text(exceeded, await self.texts(said.origin)))

    async def texts(self, origin: Origin) -> Texts:
        """The bot's texts for whoever wrote. Never fails."""
        return await self.personal.texts(origin.actor, origin.language)

    async def announce_guests(self, channel: str) -> None:
        """Tell those whom the command line has let in since the last look that they are."""
        try:
            guests = await self.access.take_unwelcomed()
        except (OSError, UnreadableOwner) as failure:
            _log.warning("guests_unreadable", error=str(failure))
            return
        for guest in guests:
            self.notices.put(Place(channel, guest), lambda texts: texts.approved_you)

    async def admits(self, origin: Origin) -> bool:
        """True for whoever may use the bot. Who writes in the name of a group has no numeric id of
        their own: they are let in where everybody is."""
        if origin.is_anonymous:
            return self.access.mode is AccessMode.OPEN
        return await self.access.admits(origin.user_id)

    async def _turn_away(self, said: Message | Command) -> Reply:
        """Let in whoever has the pairing code, and tell whoever has a wrong one; tell everybody
        else no, once in a while, and how an owner can let them in."""
        origin, texts = said.origin, texts_in(said.origin.language)
        guess = Guess.NONE
        if origin.is_private:
            guess = await self.access.pair(origin.user_id, _typed_text(said), origin.name)
        if guess is Guess.RIGHT:
            return _plain_reply(texts.paired)
        _log.info("access_denied", user=origin.user_id)
        # Whatever they hear now counts as a refusal: no other one is due for a while.
        due = self.access.refusal_due(origin.user_id, private=origin.is_private)
        if guess is Guess.WRONG:
            return _plain_reply(texts.not_the_code)
        if guess is Guess.LAST:
            return _plain_reply(texts.no_more_codes)
        if due or guess is Guess.VAIN:
            return _plain_reply(await self._refusal(origin, texts))
        return SILENCE

    async def _refusal(self, origin: Origin, texts: Texts) -> str:
        """No, and what to do about it."""
        if origin.is_anonymous:
            return texts.refused_anonymous
        asked = await self.access.ask(origin.user_id, origin.name) if origin.is_private else None
        if asked:
            request, new = asked
            # Should an owner let them in, they hear it in their language.
            self.personal.note(origin)
            if new:
                self._tell_owners(origin.place.channel, request)
            return texts.refused_code.format(code=request.code)
        if self.access.pairing_code is None:
            return texts.refused.format(id=origin.user_id)
        if self.access.may_guess(origin.user_id):
            return texts.refused_unpaired
        return texts.no_more_codes

    def _tell_owners(self, channel: str, request: Request) -> None:
        """Each owner hears in the private chat with the bot that somebody wants in."""
        if not self._requests.allow():
            return
        name = speaker_name(request.name) or str(request.id)
        for owner in self.access.owners:
            self.notices.put(
                Place(channel, owner),
                lambda texts: texts.wants_in.format(name=name, id=request.id, code=request.code),
            )


def _plain_reply(text: str) -> Reply:
    """A reply to somebody of whom nothing is looked up."""
    return Reply(text, private=False)


def _typed_text(said: Message | Command) -> str:
    """What was typed, as a guess at the pairing code."""
    return f"/{said.name} {said.argument}" if isinstance(said, Command) else said.text
