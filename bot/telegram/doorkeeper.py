"""Who is at the door: people who may not use the bot, and groups that it is added to."""

from functools import partial

import structlog

from bot.prompt import speaker_name
from bot.telegram.access import Access
from bot.telegram.boundary import Boundary
from bot.telegram.groups import Groups, Membership
from bot.telegram.guestbook import Request
from bot.telegram.lanes import Errand, Lanes
from bot.telegram.personal import PersonalSettings
from bot.telegram.reading import Heard
from bot.telegram.sender import Sender
from bot.telegram.texts import texts_in
from bot.telegram.voice import Voice
from memory.records import Place

_log = structlog.get_logger(__name__)


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
        *,
        agent_name: str,
        leaves_strangers: bool,
    ) -> None:
        """`leaves_strangers`: the bot leaves groups that somebody added it to who may not use
        it."""
        self._access, self._lanes, self._boundary = access, lanes, boundary
        self._sender, self._voice, self._personal = sender, voice, personal
        self._groups, self._agent_name = groups, agent_name
        self._leaves_strangers = leaves_strangers

    async def turn_away(self, heard: Heard) -> None:
        """Let in whoever has the pairing code; tell everybody else no, once in a while, and how an
        owner can let them in."""
        user_id, texts = heard.origin.user_id, texts_in(heard.origin.language)
        private, name = heard.origin.is_private, heard.origin.name
        if private and await self._access.pair(user_id, heard.text or "", name):
            self._answer(heard, texts.paired)
            return
        _log.info("not_admitted", user=user_id)
        if not self._access.refusal_due(user_id, private=private):
            await self._boundary.close((heard.update_id,))
            return
        asked = await self._access.ask(user_id, name) if private else None
        if asked is None:
            template = texts.refused_unpaired if self._access.pairing_code else texts.refused
            self._answer(heard, template.format(id=user_id))
            return
        request, new = asked
        self._answer(heard, texts.refused_code.format(code=request.code))
        if new:
            self._tell_owners(request, heard.origin.place.channel)

    async def come_to_group(self, change: Membership, update_id: int) -> None:
        """Somebody has added the bot to a group: it introduces itself there, or leaves again."""
        welcome = await self._access.admits(change.user_id) or not self._leaves_strangers
        come = partial(self._introduce if welcome else self._depart, change)
        self._lanes.put(change.place, Errand("joined", come, (update_id,)))

    async def _introduce(self, change: Membership) -> None:
        texts = texts_in(change.language)
        privacy = "" if self._groups.reads_everything else f"\n\n{texts.group_privacy}"
        hello = texts.group_hello.format(name=self._agent_name)
        await self._sender.send(change.place, hello + privacy)

    async def _depart(self, change: Membership) -> None:
        await self._sender.send(change.place, texts_in(change.language).group_not_welcome)
        await self._groups.leave(change.place)

    def _answer(self, heard: Heard, text: str) -> None:
        answer = partial(self._voice.answer, heard, text)
        self._lanes.put(heard.origin.place, Errand("sentence", answer, (heard.update_id,)))

    def _tell_owners(self, request: Request, channel: str) -> None:
        """Somebody wants in: the owners hear it, each in the private chat with the bot."""
        for owner in self._access.owners:
            place = Place(channel, owner)
            tell = partial(self._tell_owner, place, request)
            self._lanes.put(place, Errand("wants_in", tell), aside=True)

    async def _tell_owner(self, place: Place, request: Request) -> None:
        name, texts = speaker_name(request.name), await self._personal.texts_at(place)
        text = texts.wants_in.format(name=name or request.id, id=request.id, code=request.code)
        await self._sender.send(place, text)
