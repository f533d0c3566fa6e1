"""The pages of /settings, with their buttons. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.assistant.events import Button
from bot.commands.pages.panels import Page, in_rows
from bot.people.personal import Streaming
from bot.texts import Texts, languages
from memory.knowledge.choices import AnswerLength
from memory.knowledge.moments import base_language, known_languages
from memory.records import Choice, Choices

#: Common time zones by region, from west to east; some six hundred others can be typed.
ZONES: Mapping[str, tuple[str, ...]] = {
    "europe": (
        "Europe/Lisbon", "Europe/London", "Europe/Madrid", "Europe/Paris", "Europe/Berlin",
        "Europe/Rome", "Europe/Warsaw", "Europe/Athens", "Europe/Kyiv", "Europe/Istanbul",
        "Europe/Moscow", "Europe/Samara",
    ),
    "america": (
        "America/Anchorage", "America/Los_Angeles", "America/Denver", "America/Chicago",
        "America/Mexico_City", "America/New_York", "America/Toronto", "America/Bogota",
        "America/Lima", "America/Santiago", "America/Sao_Paulo", "America/Argentina/Buenos_Aires",
    ),
    "asia": (
        "Asia/Dubai", "Asia/Tashkent", "Asia/Yekaterinburg", "Asia/Karachi", "Asia/Kolkata",
        "Asia/Dhaka", "Asia/Novosibirsk", "Asia/Bangkok", "Asia/Shanghai", "Asia/Singapore",
        "Asia/Tokyo", "Asia/Vladivostok",
    ),
    "africa": (
        "Africa/Casablanca", "Africa/Accra", "Africa/Lagos", "Africa/Algiers", "Africa/Cairo",
        "Africa/Johannesburg", "Africa/Khartoum", "Africa/Nairobi",
    ),
    "oceania": (
        "Australia/Perth", "Australia/Adelaide", "Australia/Brisbane", "Australia/Sydney",
        "Pacific/Auckland", "Pacific/Honolulu",
    ),
}  # fmt: skip
_UTC = "UTC"
_CHOSEN = "✓ "


@dataclass(frozen=True, slots=True)
class CurrentSettings:
    """The settings to show: a person's choices, the language of their `client`, the time `here` in
    their zone, the streaming modes `offered`, and the `default` one."""

    choices: Choices
    client: str | None
    here: datetime
    offered: tuple[Streaming, ...]
    default: Streaming
    private: bool

    @property
    def length(self) -> AnswerLength:
        return AnswerLength(self.choices.answer_length or AnswerLength.NORMAL)

    @property
    def streaming(self) -> Streaming:
        """The mode in force: drafts become edits where they are not offered."""
        chosen = next((way for way in self.offered if way == self.choices.streaming), None)
        return chosen or (self.default if self.default in self.offered else Streaming.EDIT)


class SettingsPages:
    """The pages in one language."""

    def __init__(self, current: CurrentSettings, texts: Texts) -> None:
        self._current, self._texts = current, texts
        self._lengths = {
            AnswerLength.SHORT: texts.settings_length_short,
            AnswerLength.NORMAL: texts.settings_length_normal,
            AnswerLength.LONG: texts.settings_length_long,
        }
        self._streamings = {
            Streaming.EDIT: texts.settings_streaming_edit,
            Streaming.DRAFT: texts.settings_streaming_draft,
            Streaming.OFF: texts.settings_streaming_off,
        }

    def page(self, name: str, region: str = "") -> Page:
        """The page that a button names; the overview if the name is unknown."""
        if name == "zones":
            return self.zones(region) if region in ZONES else self.regions()
        pages = {"language": self.languages, "length": self.lengths, "streaming": self.streamings}
        return pages.get(name, self.overview)()

    def overview(self) -> Page:
        texts, current = self._texts, self._current
        settings = [
            (texts.settings_language, self._language(), "language"),
            (texts.settings_zone, self._zone(), "zones"),
            (texts.settings_length, self._lengths[current.length], "length"),
        ]
        if current.offered:
            value = self._streamings[current.streaming]
            settings.append((texts.settings_streaming, value, "streaming"))
        title = texts.settings_title if current.private else texts.settings_title_group
        lines = [f"• {name}: {value}" for name, value, _ in settings]
        buttons = [Button(name, page) for name, _, page in settings]
        return Page("\n".join((title, *lines)), in_rows(buttons))

    def languages(self) -> Page:
        texts, chosen = self._texts, base_language(self._current.choices.language)
        buttons = [
            _option(known_languages()[code].name, Choice.LANGUAGE, code, chosen=code == chosen)
            for code in languages()
        ]
        default = _option(texts.settings_language_default, Choice.LANGUAGE, "", chosen=not chosen)
        rows = (*in_rows(buttons), (default,), self._back_row())
        return Page(texts.settings_language_ask, rows)

    def regions(self) -> Page:
        """The regions of the world, to choose a time zone."""
        texts, chosen = self._texts, self._current.choices.time_zone
        names = {
            "europe": texts.settings_europe,
            "america": texts.settings_america,
            "asia": texts.settings_asia,
            "africa": texts.settings_africa,
            "oceania": texts.settings_oceania,
        }
        buttons = [Button(names[region], f"zones:{region}") for region in ZONES]
        rest = (
            _option(_UTC, Choice.TIME_ZONE, _UTC, chosen=chosen == _UTC),
            _option(texts.settings_zone_default, Choice.TIME_ZONE, "", chosen=chosen is None),
        )
        return Page(texts.settings_zone_ask, (*in_rows(buttons), rest, self._back_row()))

    def zones(self, region: str) -> Page:
        chosen = self._current.choices.time_zone
        buttons = [
            _option(_city(zone), Choice.TIME_ZONE, zone, chosen=zone == chosen)
            for zone in ZONES[region]
        ]
        return Page(self._texts.settings_zone_ask, (*in_rows(buttons, 3), self._back_row("zones")))

    def lengths(self) -> Page:
        chosen = self._current.length
        buttons = [
            _option(name, Choice.ANSWER_LENGTH, length.value, chosen=length is chosen)
            for length, name in self._lengths.items()
        ]
        return Page(self._texts.settings_length_ask, (*in_rows(buttons, 3), self._back_row()))

    def streamings(self) -> Page:
        chosen = self._current.streaming
        buttons = [
            _option(self._streamings[way], Choice.STREAMING, way.value, chosen=way is chosen)
            for way in self._current.offered
        ]
        return Page(self._texts.settings_streaming_ask, (*in_rows(buttons, 1), self._back_row()))

    def _language(self) -> str:
        code = base_language(self._current.choices.language)
        if code in known_languages():
            return known_languages()[code].name
        spoken = known_languages().get(base_language(self._current.client))
        default = self._texts.settings_language_default
        return f"{spoken.name} ({default})" if spoken else default

    def _zone(self) -> str:
        here = self._current.here
        name = self._current.choices.time_zone or str(here.tzinfo)
        return self._texts.settings_zone_now.format(name=name, time=f"{here:%H:%M}")

    def _back_row(self, to: str = "home") -> tuple[Button, ...]:
        return (Button(self._texts.button_back, to),)


def _city(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


def _option(label: str, slot: str, value: str, *, chosen: bool) -> Button:
    """A button that sets a choice; the empty value unsets it."""
    return Button(f"{_CHOSEN if chosen else ''}{label}", f"set:{slot}:{value}")
