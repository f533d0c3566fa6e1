"""What an actor can choose: the assistant's name, the language, the time zone, and how long answers
are and how they are shown."""

import asyncio
import re
import unicodedata
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from enum import StrEnum
from functools import lru_cache

from memory.background.caches import ActorCache
from memory.background.locks import Locks
from memory.errors import Refusal, RefusedText, StoreUnavailable
from memory.knowledge.moments import base_language, known_languages
from memory.options import MemoryOptions
from memory.ports import ChoiceStore
from memory.records import Actor, Choice, Choices
from memory.safety.escaping import LOOK_LIKE_BRACKETS, one_line


class ChoiceRegistry:
    """The settings that people chose. There are none while long-term memory is switched off."""

    def __init__(
        self,
        store: ChoiceStore,
        locks: Locks,
        options: MemoryOptions,
        clock: Callable[[], datetime],
    ) -> None:
        self._store, self._locks, self._options, self._clock = store, locks, options, clock
        #: The choices as far as they have been asked for.
        self.known = ActorCache("choices", store.get)

    def of(self, actor: Actor) -> Choices | None:
        """The actor's choices if they are in RAM, else None: neither a search nor a reply can wait
        for the store."""
        return self.known.peek(actor) if self._options.memory_enabled else Choices()

    async def read(self, actor: Actor) -> Choices:
        """The actor's choices. Raises StoreUnavailable, also if the store is late: then it goes on
        reading, and the next caller finds them."""
        if not self._options.memory_enabled:
            return Choices()
        try:
            async with asyncio.timeout(self._options.memory_recall_timeout_seconds):
                return await self.known.get(actor)
        except TimeoutError as late:
            raise StoreUnavailable("the choices were not read in time") from late

    async def set(self, actor: Actor, choice: Choice, value: str) -> str:
        """Store a choice as a person states it: a language by its own name, a time zone by its
        place. Returns the value as stored. Raises RefusedText, StoreUnavailable."""
        # The first time, the system's list of zones is read from the disk.
        value = await asyncio.to_thread(clean_choice, choice, value)
        self._options.require_enabled()
        async with self._locks[actor]:
            await self._store.set(actor, choice, value, self._clock())
            self._note(actor, choice, value)
        return value

    async def unset(self, actor: Actor, choice: Choice) -> None:
        """Delete this choice. Raises StoreUnavailable."""
        async with self._locks[actor]:
            await self._store.unset(actor, choice)
            self._note(actor, choice, None)

    def now(self) -> datetime:
        return self._clock()

    def local_time(self, actor: Actor) -> datetime:
        """The actor's local time, by their choices as last read."""
        chosen = self.known.peek(actor) or Choices()
        return self._clock().astimezone(zone_of(chosen.time_zone) or self._options.time_zone)

    def _note(self, actor: Actor, choice: Choice, value: str | None) -> None:
        """Use the new value at once. If the other choices are unknown, all are read when next
        needed."""
        known = self.known.peek(actor)
        if known is None:
            self.known.drop(actor)
        else:
            self.known.put(actor, replace(known, **{choice.value: value}))


#: Telegram allows 64 characters for a first name; nobody calls an assistant by more.
MAX_NAME_LENGTH = 64

_QUOTES = "\"'`«»„“”‘’"

#: Listed by some systems, and no place on earth.
_NO_ZONES = {"localtime", "posixrules", "Factory"}
#: The ways to see an answer while it is written.
_STREAMING = ("edit", "draft", "off")
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


class AnswerLength(StrEnum):
    SHORT = "short"
    NORMAL = "normal"
    LONG = "long"


def clean_choice(choice: Choice, wanted: str) -> str:
    """The value as it is stored. Raises RefusedText. For the first time zone, reads the system's
    list of zones."""
    return _CLEANERS[choice](wanted)


def clean_name(name: str) -> str:
    """The name without quotes, markup and extra space. Raises RefusedText if it is not a name."""
    if "\n" in name.strip() or "\r" in name.strip():
        raise RefusedText("a name must fit on one line", Refusal.NAME_LINES)
    # Without what can't be seen: reversed writing, zero widths.
    folded = unicodedata.normalize("NFC", one_line(name)).strip(_QUOTES + " .,;:!?")
    if not folded or not any(c.isalnum() for c in folded):
        raise RefusedText("a name needs at least one letter or digit", Refusal.NAME_EMPTY)
    if len(folded) > MAX_NAME_LENGTH:
        raise RefusedText(
            f"a name has at most {MAX_NAME_LENGTH} characters, this one has {len(folded)}",
            Refusal.NAME_LONG,
        )
    controls = any(unicodedata.category(c) in ("Cc", "Cs", "Cn") for c in " ".join(name.split()))
    if controls or set(LOOK_LIKE_BRACKETS) & set(folded):
        raise RefusedText(
            "a name has no control characters and no angle brackets", Refusal.NAME_CHARACTERS
        )
    return folded


def _clean_language(wanted: str) -> str:
    """The lower-case BCP 47 tag of a supported language, given as a tag ("pt-br"), by its own
    name ("Deutsch") or by its English one. Raises RefusedText."""
    wanted = one_line(wanted)
    for code, known in known_languages().items():
        if wanted.casefold() in (known.name.casefold(), known.english.casefold()):
            return code
    if not _TAG.fullmatch(wanted) or base_language(wanted) not in known_languages():
        raise RefusedText(f"the languages known here are {', '.join(known_languages())}")
    return wanted.replace("_", "-").lower()


def _clean_time_zone(wanted: str) -> str:
    """The IANA name of a time zone, given in any case or only by its place ("rome"). Raises
    RefusedText."""
    key = re.sub(r"\s+", "_", one_line(wanted)).casefold()
    name = _zone_names().get(key)
    if name is None:
        raise RefusedText("expected a time zone such as Europe/Rome, America/New_York or UTC")
    return name


def zone_of(name: str | None) -> tzinfo | None:
    """The time zone with this IANA name; None without a name, or if this system does not know
    it."""
    try:
        return zoneinfo.ZoneInfo(name) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


@lru_cache(maxsize=1)
def _zone_names() -> Mapping[str, str]:
    """All zones by their names in lower case, and by place where only one zone has it."""
    names = sorted(zoneinfo.available_timezones() - _NO_ZONES)
    places: dict[str, list[str]] = {}
    for name in names:
        area, _, place = name.rpartition("/")
        if area and not area.startswith(("Etc", "SystemV", "posix", "right")):
            places.setdefault(place.casefold(), []).append(name)
    unique = {place: found[0] for place, found in places.items() if len(found) == 1}
    return unique | {name.casefold(): name for name in names}


def _one_of(*known: str) -> Callable[[str], str]:
    def clean_value(wanted: str) -> str:
        if wanted not in known:
            raise RefusedText(f"expected one of {', '.join(known)}")
        return str(wanted)

    return clean_value


_CLEANERS: Mapping[Choice, Callable[[str], str]] = {
    Choice.AGENT_NAME: clean_name,
    Choice.LANGUAGE: _clean_language,
    Choice.TIME_ZONE: _clean_time_zone,
    Choice.ANSWER_LENGTH: _one_of(*AnswerLength),
    Choice.STREAMING: _one_of(*_STREAMING),
}
