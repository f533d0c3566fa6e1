"""The catalogue: every language says the same, and Telegram takes it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.assistant.failures import FAILURES
from bot.commands.pages.memory_pages import KINDS, MemoryPages
from bot.commands.pages.panels import LABEL_CHARS
from bot.commands.pages.settings_pages import ZONES, CurrentSettings, SettingsPages
from bot.offline.language import CODES, language_of
from bot.people.personal import Streaming
from bot.texts import ENGLISH, Texts, languages, texts_in
from bot.texts.plurals import Counted
from memory.errors import Refusal
from memory.knowledge.forgetting import Forgotten
from memory.knowledge.moments import known_languages
from memory.records import Actor, Choices, Record

TEMPLATES = [f.name for f in fields(Texts) if not isinstance(getattr(ENGLISH, f.name), Mapping)]
TABLES = [f.name for f in fields(Texts) if f.name not in TEMPLATES]
#: What is the same in several languages, as it should be.
ALIKE = {
    "memory_quoted",
    "person",
    "usage_cost",
    "error_number",
    "settings_asia",
    "settings_africa",
    "settings_america",
    "settings_length_normal",
}
#: How the bot does not address people, as it addresses them in another way. What they are to say
#: to the bot stands in quotation marks.
OTHERWISE = {
    "ru": r"(?i)\b(ты|тебя|тебе|тобой|тво[йяеиёюих]\w*|\w+шь|скажи|пришли|напиши|попробуй)\b",
    "es": r"(?i)\b(usted|vosotros|vuestr\w+|os)\b",
    "it": r"(?i)\b(voi|vostr\w+)\b",
    "pt": r"(?i)\b(tu|te|ti|contigo|teus?|tuas?)\b",
    "de": r"\b(Ihnen|Ihre?[mnrs]?|Euch|Eure?[mnrs]?)\b",
    "hi": r"(तुम|तुझे|तेरा|कीजिए|बताइए|भेजिए)",
}
YOURS = re.compile(r"\b(?:your|deine?|tu|tua|tuo|seu|sua|ваш|твой|आपकी|आपका)\b", re.IGNORECASE)


def wordings(texts: Texts) -> Iterator[tuple[str, str]]:
    """Everything that this language says, each in all its forms, with its name."""
    for field in fields(Texts):
        match getattr(texts, field.name):
            case Counted(_, table) | dict(table):
                yield from ((f"{field.name}.{key}", text) for key, text in table.items())
            case text:
                yield field.name, text


def faults(tag: str) -> Iterator[str]:
    """All that is wrong with a language, beside what keeps the bot from starting."""
    texts = texts_in(tag)
    yield from menu_faults(texts)
    yield from length_faults(texts)
    yield from label_faults(texts, private=True)
    yield from label_faults(texts, private=False)
    yield from wording_faults(tag, texts)
    if tag != "en":
        yield from english_left(texts)


def menu_faults(texts: Texts) -> Iterator[str]:
    for menu in (texts.commands, texts.group_commands, texts.owner_commands):
        for command, description in menu.items():
            if not re.fullmatch("[a-z0-9_]{1,32}", command):
                yield f"Telegram takes no such command: {command}"
            # Bot API: 256. What is longer than this, the menu of a phone cuts.
            if len(description) > 60:
                yield f"/{command}: {len(description)} > 60 characters: {description}"


def length_faults(texts: Texts) -> Iterator[str]:
    # Bot API, answerCallbackQuery: a note on a click has at most 200 characters.
    notes = (texts.admins_only, texts.admins_only_settings, texts.button_not_yours)
    for note in (texts.buttons_stale, *notes):
        if len(note) > 200:
            yield f"{len(note)} > 200 characters: {note}"
    for name in TEMPLATES:
        button = name.startswith("button_") and name != "button_not_yours"
        if button and len(getattr(texts, name)) > 20:
            yield f"{name} is longer than 20 characters"


def label_faults(texts: Texts, *, private: bool) -> Iterator[str]:
    """What a phone would cut of the labels of buttons."""
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    choices = Choices(
        language="pt", time_zone="Asia/Yekaterinburg", answer_length="long", streaming="draft"
    )
    current = CurrentSettings(choices, "pt", now, tuple(Streaming), Streaming.EDIT, private=private)
    settings, pages = SettingsPages(current, texts), MemoryPages(texts)
    records = [
        Record(id=f"{kind}{n}", kind=kind, text="I live in Oslo", created_at=now)
        for kind in KINDS
        for n in range(100)
    ]
    every = (
        settings.overview(),
        settings.languages(),
        settings.regions(),
        *(settings.zones(region) for region in ZONES),
        settings.lengths(),
        settings.streamings(),
        pages.overview(records, (), "Jarvis", private=private, adds=texts.memory_adds),
        pages.detail(records[0]),
        pages.delete_question(Forgotten(Actor.person(1001), records[0])),
        pages.deletion(records[:1]),
        pages.refused_revision(records[0], Refusal.LONG),
    )
    for row in (row for page in every for row in page.rows if row):
        for button in row:
            if len(button.label) > LABEL_CHARS[len(row)]:
                yield f"a phone cuts the button {button.label}"


def wording_faults(tag: str, texts: Texts) -> Iterator[str]:
    known = {*texts.commands, *texts.owner_commands}
    said = dict(wordings(texts))
    for name, wording in said.items():
        for command in re.findall(r"(?<![\w/}])/([a-z]+)", wording):
            if command not in known:
                yield f"{name} names the command /{command}, which is not there"
    # What is said in groups as well calls nothing yours.
    for name in ("language_current", "language_set", "time_zone_current", "time_zone_set"):
        if YOURS.search(said[name]):
            yield f"{name} is said to groups, and calls something yours"
    if otherwise := OTHERWISE.get(tag):
        if tag in CODES:
            said |= {f"notebook {name}": text for name, text in language_of(tag).says.items()}
        for name, wording in said.items():
            if re.search(otherwise, re.sub("«.*?»|„.*?“", "", wording)):
                yield f"{name} addresses people in another way: {wording}"


def english_left(texts: Texts) -> Iterator[str]:
    english = dict(wordings(ENGLISH))
    for name, wording in wordings(texts):
        if wording == english.get(name) and name.split(".")[0] not in ALIKE:
            yield f"{name} is still English"


def test_the_bot_speaks_these_languages() -> None:
    assert set(languages()) == {"en", "ru", "es", "de", "it", "pt", "hi"}
    assert set(languages()) <= set(known_languages()), "each can be chosen and has a name"


@pytest.mark.parametrize("tag", languages())
def test_a_language_says_everything_as_it_should_be_said(tag: str) -> None:
    assert not list(faults(tag))


def test_every_failure_of_a_model_has_a_sentence() -> None:
    assert set(ENGLISH.failures) == {failure.kind for failure in FAILURES}


def test_every_number_has_a_form_that_can_be_filled() -> None:
    for texts in languages().values():
        for name in TEMPLATES:
            if isinstance(text := getattr(texts, name), Counted):
                others = dict.fromkeys(("amount", "longest"), "x")
                for count in (0, 1, 2, 5, 11, 21, 22, 100, 1_000_000):
                    assert str(count) in text.format(count, **others)


def test_the_sentence_about_saving_is_the_promised_one() -> None:
    promised = "✨ Your conversation has been summarized and important information saved."
    assert ENGLISH.saved == promised
    assert ENGLISH.new_saved.startswith(promised)


@given(st.lists(st.none() | st.text()))
def test_any_language_tags_get_texts(tags: list[str | None]) -> None:
    assert isinstance(texts_in(*tags), Texts)


def test_a_regional_tag_gets_its_language() -> None:
    assert texts_in("en-GB") is texts_in("EN") is ENGLISH
    assert texts_in("pt-br") is languages()["pt"]


def test_the_first_language_with_texts_counts() -> None:
    assert texts_in("de", "ru") is languages()["de"]
    assert texts_in("fr", "ru") is languages()["ru"]
    assert texts_in(None, "tlh") is ENGLISH
