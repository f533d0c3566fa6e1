"""Who is at the door: people who may not use the bot, and groups that it is added to."""

import time
from collections import deque
from functools import partial

import structlog
from telegram import Bot

from bot.assistant.prompt import speaker_name
from bot.commands.introduction import About, hello_to_group
from bot.people.access import Access, AccessMode
from bot.people.guestbook import Request, UnreadableOwner
from bot.people.pairing import Guess
from bot.people.personal import PersonalSettings
from bot.telegram.boundary import Boundary
from bot.telegram.delivery.clock import Clock
from bot.telegram.delivery.menu import publish_owner_menu
from bot.telegram.delivery.sender import Sender
from bot.telegram.intake.groups import Groups, Membership
from bot.telegram.intake.reading import Heard, Origin
from bot.telegram.lanes import Errand, Lanes
from bot.telegram.voice import Voice
from bot.texts import texts_in
from memory.records import Place

_log = structlog.get_logger(__name__)

#: How often the guest book is looked at for whom the command line has let in, in seconds.
_LOOK_SECONDS = 5.0
#: At most so many notices that somebody wants in within so many seconds: after that, owners see
#: with /users who else does.
_MOST_NOTICES, _NOTICES_SECONDS = 20, 3600.0


class Doorkeeper:
    """Turns away who may not use the bot, tells owners who wants in, and leaves groups of
    strangers. Of somebody who may not use the bot nothing is looked up."""

    def __init__(
        self,
        access: Access,
        lanes: Lanes,
        boundary: Boundary,
        sender: Sender,
        voice: Voice,
        personal: PersonalSettings,
        groups: Groups,
        bot: Bot,
        clock: Clock,
        *,
        channel: str,
        about: About,
        leaves_strangers: bool,
    ) -> None:
        """`leaves_strangers`: the bot leaves groups that somebody added it to who may not use
        it."""
        self._bot, self._clock, self._channel = bot, clock, channel
        self._noticed: deque[float] = deque(maxlen=_MOST_NOTICES)
        self._access, self._lanes, self._boundary = access, lanes, boundary
        self._sender, self._voice, self._personal = sender, voice, personal
        self._groups, self._about = groups, about
        self._leaves_strangers = leaves_strangers

    async def admits(self, origin: Origin) -> bool:
        """Whether what somebody has written is answered. Of who writes in the name of a group
        nobody knows the numeric id: they are let in where everybody is."""
        if origin.is_anonymous:
            return self._access.mode is AccessMode.OPEN
        return await self._access.admits(origin.user_id)

    async def takes_code(self, heard: Heard) -> bool:
        """Whether somebody who may use the bot has sent the pairing code, and owns it now: whom the
        settings let in is no owner yet. Another code of theirs is what it says."""
        origin = heard.origin
        if not origin.is_private or self._access.pairing_code is None:
            return False
        guess = await self._access.pair(origin.user_id, heard.text or "", origin.name)
        if guess is Guess.RIGHT:
            self._hand_over(heard)
        return guess is Guess.RIGHT

    async def turn_away(self, heard: Heard) -> None:
        """Let in whoever has the pairing code, and say so to whoever has a wrong one; tell
        everybody else no, once in a while, and how an owner can let them in."""
        user_id, texts = heard.origin.user_id, texts_in(heard.origin.language)
        private, name = heard.origin.is_private, heard.origin.name
        guess = await self._access.pair(user_id, heard.text or "", name) if private else Guess.NONE
        if guess is Guess.RIGHT:
            self._hand_over(heard)
            return
        _log.info("not_admitted", user=user_id)
        # Whatever they hear now, they have been told for a while.
        due = self._access.refusal_due(user_id, private=private)
        if guess is Guess.WRONG:
            self._answer(heard, texts.not_the_code)
        elif guess is Guess.LAST:
            self._answer(heard, texts.no_more_codes)
        elif due or guess is Guess.VAIN:
            await self._refuse(heard)
        else:
            await self._boundary.close((heard.update_id,))

    def _hand_over(self, heard: Heard) -> None:
        """Say to the new owner that they are, and show them what owners can do."""
        self._answer(heard, texts_in(heard.origin.language).paired)
        menu = partial(publish_owner_menu, self._bot, heard.origin.user_id)
        self._lanes.put(heard.origin.place, Errand("menu", menu), aside=True)

    async def _refuse(self, heard: Heard) -> None:
        """Say no, and what to do about it."""
        user_id, texts = heard.origin.user_id, texts_in(heard.origin.language)
        private = heard.origin.is_private
        if heard.origin.is_anonymous:
            self._answer(heard, texts.refused_anonymous)
            return
        asked = await self._access.ask(user_id, heard.origin.name) if private else None
        if asked:
            request, new = asked
            # Should an owner let them in, they hear it in their language.
            self._personal.note(heard.origin)
            self._answer(heard, texts.refused_code.format(code=request.code))
            if new:
                self._tell_owners(request)
        elif self._access.pairing_code is None:
            self._answer(heard, texts.refused.format(id=user_id))
        elif self._access.may_guess(user_id):
            self._answer(heard, texts.refused_unpaired)
        else:
            self._answer(heard, texts.no_more_codes)

    async def welcome(self) -> None:
        """Tell those whom the command line lets in that they are, for ever."""
        while True:
            await self._clock.sleep(_LOOK_SECONDS)
            try:
                guests = await self._access.unwelcomed()
            except (OSError, UnreadableOwner) as failure:
                _log.warning("guests_unreadable", error=str(failure))
                continue
            for guest in guests:
                place = Place(self._channel, guest)
                self._lanes.put(place, Errand("welcome", partial(self._welcome, place)))

    async def _welcome(self, place: Place) -> None:
        await self._sender.send(place, (await self._personal.texts_at(place)).approved_you)

    async def come_to_group(self, change: Membership, update_id: int) -> None:
        """Somebody has added the bot to a group: it introduces itself there, or leaves again."""
        welcome = await self._access.admits(change.user_id) or not self._leaves_strangers
        come = partial(self._introduce if welcome else self._depart, change)
        self._lanes.put(change.place, Errand("joined", come, (update_id,)))

    async def _introduce(self, change: Membership) -> None:
        texts = texts_in(change.language)
        about = self._about
        hello = hello_to_group(about.agent_name, about, texts, self._groups)
        await self._sender.send(change.place, hello)

    async def _depart(self, change: Membership) -> None:
        await self._sender.send(change.place, texts_in(change.language).group_not_welcome)
        await self._groups.leave(change.place)

    def _answer(self, heard: Heard, text: str) -> None:
        answer = partial(self._voice.answer, heard, text)
        self._lanes.put(heard.origin.place, Errand("sentence", answer, (heard.update_id,)))

    def _tell_owners(self, request: Request) -> None:
        """Somebody wants in: the owners hear it, each in the private chat with the bot."""
        now = time.monotonic()
        if len(self._noticed) == _MOST_NOTICES and now - self._noticed[0] < _NOTICES_SECONDS:
            return
        self._noticed.append(now)
        for owner in self._access.owners:
            place = Place(self._channel, owner)
            tell = partial(self._tell_owner, place, request)
            self._lanes.put(place, Errand("wants_in", tell), aside=True)

    async def _tell_owner(self, place: Place, request: Request) -> None:
        name, texts = speaker_name(request.name), await self._personal.texts_at(place)
        text = texts.wants_in.format(name=name or request.id, id=request.id, code=request.code)
        await self._sender.send(place, text)
