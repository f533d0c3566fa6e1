"""The pages of /settings: what each shows, and the buttons under it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.commands.pages.panels import Button, Page, in_rows
from bot.telegram.delivery.preview import Streaming
from bot.texts import Texts, languages
from memory.knowledge.choices import AnswerLength
from memory.knowledge.moments import base_language, known_languages
from memory.records import Choice, Choices

#: The time zones of many people, by region, from west to east. There are some six hundred more.
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
class Shown:
    """What the pages tell of: what was chosen, the language of Telegram, the moment in the zone in
    force, the ways to see a reply that can be chosen, and which of them is there without."""

    choices: Choices
    telegram: str | None
    here: datetime
    offered: tuple[Streaming, ...]
    streaming: Streaming
    private: bool


def overview(shown: Shown, texts: Texts) -> Page:
    """All settings, each with a button."""
    title = texts.settings_title if shown.private else texts.settings_title_group
    settings = [
        (texts.settings_language, _language(shown, texts), "language"),
        (texts.settings_zone, _zone(shown, texts), "zones"),
        (texts.settings_length, _lengths(texts)[_length(shown)], "length"),
    ]
    if shown.offered:
        value = _streamings(texts)[_streaming(shown)]
        settings.append((texts.settings_streaming, value, "streaming"))
    lines = [f"• {name}: {value}" for name, value, _ in settings]
    buttons = [Button(name, page) for name, _, page in settings]
    return Page("\n".join((title, *lines)), in_rows(buttons))


def languages_page(shown: Shown, texts: Texts) -> Page:
    """The languages that the bot speaks."""
    chosen = base_language(shown.choices.language)
    buttons = [
        _option(known_languages()[code].name, Choice.LANGUAGE, code, chosen=code == chosen)
        for code in languages()
    ]
    default = _option(texts.settings_language_telegram, Choice.LANGUAGE, "", chosen=not chosen)
    return Page(
        texts.settings_language_ask, (*in_rows(buttons), (default,), _back(texts.button_back))
    )


def regions(shown: Shown, texts: Texts) -> Page:
    """The regions of the world, to find a time zone in."""
    names = {
        "europe": texts.settings_europe,
        "america": texts.settings_america,
        "asia": texts.settings_asia,
        "africa": texts.settings_africa,
        "oceania": texts.settings_oceania,
    }
    buttons = [Button(names[region], f"zones:{region}") for region in ZONES]
    chosen = shown.choices.time_zone
    rest = (
        _option(_UTC, Choice.TIME_ZONE, _UTC, chosen=chosen == _UTC),
        _option(texts.settings_zone_default, Choice.TIME_ZONE, "", chosen=chosen is None),
    )
    return Page(texts.settings_zone_ask, (*in_rows(buttons), rest, _back(texts.button_back)))


def zones(region: str, shown: Shown, texts: Texts) -> Page:
    """The time zones of a region; all regions if there is no such one."""
    if region not in ZONES:
        return regions(shown, texts)
    chosen = shown.choices.time_zone
    buttons = [
        _option(_place(zone), Choice.TIME_ZONE, zone, chosen=zone == chosen)
        for zone in ZONES[region]
    ]
    back = _back(texts.button_back, "zones")
    return Page(texts.settings_zone_ask, (*in_rows(buttons, 3), back))


def lengths(shown: Shown, texts: Texts) -> Page:
    """How long answers can be."""
    chosen = _length(shown)
    buttons = [
        _option(name, Choice.ANSWER_LENGTH, length.value, chosen=length is chosen)
        for length, name in _lengths(texts).items()
    ]
    return Page(texts.settings_length_ask, (*in_rows(buttons, 3), _back(texts.button_back)))


def streamings(shown: Shown, texts: Texts) -> Page:
    """How an answer can be seen while it is written."""
    chosen, names = _streaming(shown), _streamings(texts)
    buttons = [
        _option(names[way], Choice.STREAMING, way.value, chosen=way is chosen)
        for way in shown.offered
    ]
    return Page(texts.settings_streaming_ask, (*in_rows(buttons, 1), _back(texts.button_back)))


def _language(shown: Shown, texts: Texts) -> str:
    code = base_language(shown.choices.language)
    if code in known_languages():
        return known_languages()[code].name
    spoken = known_languages().get(base_language(shown.telegram))
    as_told = texts.settings_language_telegram
    return f"{spoken.name} ({as_told})" if spoken else as_told


def _zone(shown: Shown, texts: Texts) -> str:
    name = shown.choices.time_zone or str(shown.here.tzinfo)
    return texts.settings_zone_now.format(name=name, time=f"{shown.here:%H:%M}")


def _place(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")


def _length(shown: Shown) -> AnswerLength:
    return AnswerLength(shown.choices.answer_length or AnswerLength.NORMAL)


def _lengths(texts: Texts) -> Mapping[AnswerLength, str]:
    return {
        AnswerLength.SHORT: texts.settings_length_short,
        AnswerLength.NORMAL: texts.settings_length_normal,
        AnswerLength.LONG: texts.settings_length_long,
    }


def _streaming(shown: Shown) -> Streaming:
    """What is in force: drafts that can't be offered here are messages that grow."""
    wanted = next((way for way in shown.offered if way == shown.choices.streaming), None)
    usual = shown.streaming if shown.streaming in shown.offered else Streaming.EDIT
    return wanted or usual


def _streamings(texts: Texts) -> Mapping[Streaming, str]:
    return {
        Streaming.EDIT: texts.settings_streaming_edit,
        Streaming.DRAFT: texts.settings_streaming_draft,
        Streaming.OFF: texts.settings_streaming_off,
    }


def _option(label: str, slot: str, value: str, *, chosen: bool) -> Button:
    """A button that chooses; the empty value takes a choice back."""
    return Button(f"{_CHOSEN if chosen else ''}{label}", f"set:{slot}:{value}")


def _back(label: str, to: str = "home") -> tuple[Button, ...]:
    return (Button(label, to),)
