"""Personal settings, if they can be read in time: the language the bot speaks to a person, and how
they see a reply grow."""

import asyncio
from enum import StrEnum

import structlog

from bot.assistant.inbound import Origin
from bot.people.languages import Languages
from bot.texts import Texts, texts_in
from memory.background.caches import BoundedDict
from memory.background.pacing import Throttle
from memory.background.work import log_outage
from memory.errors import StoreUnavailable
from memory.leases import current_lease
from memory.memory import Memory
from memory.records import Actor, Choices, Place
from memory.search.text import written_language

_log = structlog.get_logger(__name__)


class Streaming(StrEnum):
    """How to show a reply while it is being written."""

    EDIT = "edit"
    DRAFT = "draft"
    OFF = "off"


#: Begins every reply in a private session.
PRIVATE_MARK = "🔒"
#: The longest wait for a person's language, in seconds.
PATIENCE = 0.5
#: What reading a damaged value raises; no sentence may fail with it.
_DAMAGE = (ValueError, TypeError, LookupError)
#: In a group languages take turns: others need not hear of each.
_SHARE_SECONDS = 60.0
_MOST_LANGUAGES = 10_000
#: How many characters of a text show its language.
_MOST_READ = 500


class PersonalSettings:
    """Looks up people's choices. Without a choice, or if reading it takes too long, the language of
    their client counts, and where the channel tells none, the one that they last wrote in."""

    def __init__(
        self, memory: Memory, patience: float = PATIENCE, languages: Languages | None = None
    ) -> None:
        """`patience` is in seconds. `languages` are what other workers know."""
        self._memory, self._patience, self._languages = memory, patience, languages
        self._shared = Throttle(_SHARE_SECONDS)
        self._tasks: set[asyncio.Task[None]] = set()
        #: The client language of each actor's last sender.
        self._client_languages = BoundedDict[Actor, str](_MOST_LANGUAGES)
        #: The language of each actor's last text that shows one.
        self._written_languages = BoundedDict[Actor, str](_MOST_LANGUAGES)
        #: What each actor wrote until it showed a language: several short texts do together.
        self._unclear = BoundedDict[Actor, str](_MOST_LANGUAGES)

    def note(self, origin: Origin, words: str = "") -> None:
        """Note the client language of an admitted sender, for later notices; without one, the
        language of their words."""
        actor, before = origin.actor, self._own_language(origin.actor)
        if origin.language:
            self._client_languages[actor] = origin.language
        elif written := written_language(words[:_MOST_READ]) or self._language_so_far(actor, words):
            self._written_languages[actor] = written
            self._unclear.pop(actor, None)
        now = self._own_language(actor)
        if self._languages and now and now != before and self._shared.allow(actor):
            task = asyncio.create_task(self._share(self._languages, actor, now))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def texts(self, actor: Actor, client: str | None = None) -> Texts:
        """The texts in the language the actor chose, else that of their client, now (`client`) or
        when they last wrote, else the one they write. Never fails."""
        chosen = await self.choices(actor)
        met = client or self._own_language(actor)
        if not (met or chosen.language):
            met = await self._find(actor)
        return texts_in(chosen.language, met)

    async def forget(self, actor: Actor) -> None:
        """Forget what was noted of the actor. Raises StoreUnavailable."""
        for known in (self._client_languages, self._written_languages, self._unclear):
            known.pop(actor, None)
        self._shared.forget(actor)
        if self._languages:
            await self._languages.erase(actor)

    async def texts_at(self, place: Place) -> Texts:
        """The texts for a chat. Never fails."""
        return await self.texts(_actor_at(place))

    def texts_at_hand(self, place: Place) -> Texts:
        """The texts for a chat, as far as its language is known without reading anything."""
        actor = _actor_at(place)
        chosen = self._memory.choices.of(actor) or Choices()
        return texts_in(chosen.language, self._own_language(actor))

    async def streaming(self, actor: Actor) -> Streaming | None:
        """The streaming mode this person chose; None if they chose none."""
        wanted = (await self.choices(actor)).streaming
        return Streaming(wanted) if wanted in tuple(Streaming) else None

    async def choices(self, actor: Actor) -> Choices:
        """The actor's choices. Waits only for the first read since the start."""
        known = self._memory.choices.of(actor)
        if known is None:
            try:
                async with asyncio.timeout(self._patience):
                    await self._memory.choices.read(actor)
            except (StoreUnavailable, TimeoutError):
                # Callers that need the profile report the failure. Reading goes on in the
                # background, so that the next sentence has the choices.
                return Choices()
            except _DAMAGE as failure:
                _log.warning("choices_unreadable", actor=actor.id, error=type(failure).__name__)
                return Choices()
            known = self._memory.choices.of(actor)
        return known or Choices()

    async def is_private(self, actor: Actor, place: Place) -> bool:
        """True if the session there is private. Raises StoreUnavailable."""
        session = await self._memory.talk.session(actor, place)
        return session is not None and session.private

    async def seems_private(self, actor: Actor, place: Place) -> bool:
        """True if the session there is private, as far as can be read: a reply must not fail with
        the journal."""
        try:
            return await self.is_private(actor, place)
        except (StoreUnavailable, *_DAMAGE) as failure:
            _log.warning("memory_unavailable", command="private", error=type(failure).__name__)
            return False

    async def _share(self, languages: Languages, actor: Actor, language: str) -> None:
        # It outlives the turn, and so perhaps its lease.
        current_lease.set(None)
        with log_outage(_log, "languages_unavailable"):
            await languages.note(actor, language)

    async def _find(self, actor: Actor) -> str | None:
        """The language in which another worker met the actor."""
        if self._languages is None:
            return None
        try:
            async with asyncio.timeout(self._patience):
                found = await self._languages.find(actor)
        except (StoreUnavailable, TimeoutError):
            return None
        if found:
            self._written_languages[actor] = found
        return found

    def _language_so_far(self, actor: Actor, words: str) -> str | None:
        """The language of all that an actor wrote who has shown none yet."""
        if actor in self._written_languages:
            return None
        so_far = f"{self._unclear.get(actor, '')}\n{words}"[-_MOST_READ:]
        self._unclear[actor] = so_far
        return written_language(so_far)

    def _own_language(self, actor: Actor) -> str | None:
        return self._client_languages.get(actor) or self._written_languages.get(actor)


def _actor_at(place: Place) -> Actor:
    # A private chat has its person's id; group ids are negative.
    return Actor.person(place.chat_id) if place.chat_id > 0 else Actor.group(place.chat_id)
