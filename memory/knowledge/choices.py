"""What an actor can choose: what the assistant is called, the language, the time zone, how long
answers are and how they are shown."""

import re
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import tzinfo
from enum import StrEnum
from functools import lru_cache

from memory.errors import RefusedText
from memory.knowledge.moments import base_language, known_languages
from memory.records import Choice
from memory.safety.escaping import one_line
from memory.safety.names import clean_name

#: Listed by some systems, and no place on earth.
_NO_ZONES = {"localtime", "posixrules", "Factory"}
#: The ways to see an answer while it is written.
_STREAMING = ("edit", "draft", "off")
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


class AnswerLength(StrEnum):
    """How long somebody wants the answers to be."""

    SHORT = "short"
    NORMAL = "normal"
    LONG = "long"


def clean_choice(choice: Choice, wanted: str) -> str:
    """What was chosen, as it is stored. Raises RefusedText. For a time zone, reads the system's
    list of zones when first asked."""
    return _CLEANERS[choice](wanted)


def _clean_language(wanted: str) -> str:
    """The BCP 47 tag in lower case of a language that is spoken here, given as a tag ("pt-br") or
    by its own name ("Deutsch"). Raises RefusedText."""
    wanted = one_line(wanted)
    for code, phrases in known_languages().items():
        if phrases.name.casefold() == wanted.casefold():
            return code
    if not _TAG.fullmatch(wanted) or base_language(wanted) not in known_languages():
        raise RefusedText(f"the languages known here are {', '.join(known_languages())}")
    return wanted.replace("_", "-").lower()


def _clean_time_zone(wanted: str) -> str:
    """The IANA name of a time zone, given in any case, also by its place alone ("rome"). Raises
    RefusedText."""
    key = re.sub(r"\s+", "_", one_line(wanted)).casefold()
    name = _zone_names().get(key)
    if name is None:
        raise RefusedText("expected a time zone such as Europe/Rome, America/New_York or UTC")
    return name


def zone_of(name: str | None) -> tzinfo | None:
    """The time zone of this IANA name; None for none, or one that this system does not know."""
    try:
        return zoneinfo.ZoneInfo(name) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


@lru_cache(maxsize=1)
def _zone_names() -> Mapping[str, str]:
    """Every zone by its name in lower case, and by its place where only one zone has that place."""
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
