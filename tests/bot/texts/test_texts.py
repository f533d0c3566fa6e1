"""The catalogue: every language says the same, and Telegram takes it."""

import re
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.assistant.failures import FAILURES
from bot.commands.pages import pages, settings_pages
from bot.commands.pages.panels import LABEL_CHARS
from bot.commands.pages.settings_pages import Shown
from bot.offline.words import BY_CODE, COURTESIES
from bot.telegram.delivery.preview import Streaming
from bot.texts import (
    ENGLISH,
    SAVED,
    Texts,
    languages,
    texts_in,
)
from bot.texts.plurals import (
    FORMS,
    Counted,
    east_slavic,
    none_is_one,
    none_is_one_many_other,
    one_many_other,
    one_other,
)
from memory.errors import Refusal
from memory.knowledge.choices import Choices
from memory.knowledge.forgetting import Forgotten
from memory.knowledge.moments import LANGUAGES
from memory.records import Actor, Record

EVERY = pytest.mark.parametrize("texts", languages().values(), ids=list(languages()))
MENUS = ("commands", "group_commands", "owner_commands")
TABLES = ("refusals", "failures")
TEMPLATES = [field.name for field in fields(Texts) if field.name not in MENUS + TABLES]
#: What is the same in several languages, as it should be.
ALIKE = {
    "memory_quoted",
    "usage_cost",
    "error_number",
    "settings_asia",
    "settings_africa",
    "settings_america",
    "settings_length_normal",
}


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))


def wordings(text: Any) -> list[str]:
    """A text, in each of its forms if it has several."""
    return list(text.forms.values()) if isinstance(text, Counted) else [text]


def test_the_bot_speaks_these_languages() -> None:
    assert set(languages()) == {"en", "ru", "es", "de", "it", "pt", "hi"}
    assert set(languages()) <= set(LANGUAGES), "each can be chosen and has a name"


@EVERY
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_text_is_there_with_the_same_placeholders(texts: Texts, name: str) -> None:
    text, english = getattr(texts, name), getattr(ENGLISH, name)
    assert type(text) is type(english)
    for wording in wordings(text):
        assert wording.strip() == wording != ""
        assert placeholders(wording) == placeholders(wordings(english)[0])
        assert "{counted}" not in wording


@EVERY
@pytest.mark.parametrize("name", [n for n in TEMPLATES if isinstance(getattr(ENGLISH, n), Counted)])
def test_every_number_has_a_form_that_can_be_filled(texts: Texts, name: str) -> None:
    text: Counted = getattr(texts, name)
    assert set(text.forms) == FORMS[text.rule]
    others = {other: "x" for other in placeholders(wordings(text)[0]) - {"count"}}
    for count in (0, 1, 2, 5, 11, 21, 22, 100, 1_000_000):
        assert str(count) in text.format(count, **others)


@EVERY
@pytest.mark.parametrize("table", TABLES)
def test_every_reason_has_a_sentence(texts: Texts, table: str) -> None:
    told = getattr(texts, table)
    wanted = set(Refusal) if table == "refusals" else {failure.kind for failure in FAILURES}
    assert set(told) == wanted
    assert all(sentence.strip() == sentence != "" for sentence in told.values())


@EVERY
def test_the_menu_is_one_that_telegram_takes(texts: Texts) -> None:
    for menu in MENUS:
        commands = getattr(texts, menu)
        assert list(commands) == list(getattr(ENGLISH, menu))
        for command, description in commands.items():
            assert re.fullmatch("[a-z0-9_]{1,32}", command)
            # Bot API: 256. What is longer than this, the menu of a phone cuts.
            assert 1 <= len(description) <= 60, description


@EVERY
def test_notes_and_buttons_are_short_enough(texts: Texts) -> None:
    """Bot API: a note on a click has at most 200 characters."""
    refusals = (texts.admins_only, texts.admins_only_settings, texts.button_not_yours)
    for note in (texts.buttons_stale, texts.button_stale, *refusals):
        assert len(note.format_map({"command": "settings"})) <= 200
    for name in TEMPLATES:
        if name.startswith("button_") and name not in ("button_stale", "button_not_yours"):
            assert len(getattr(texts, name)) <= 20


@EVERY
@pytest.mark.parametrize("private", [True, False])
def test_a_phone_shows_the_labels_of_all_buttons_whole(texts: Texts, private: bool) -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    choices = Choices("pt", "Asia/Yekaterinburg", "long", "draft")
    shown = Shown(choices, "pt", now, tuple(Streaming), Streaming.EDIT, private=private)
    records = [
        Record(id=f"{kind}{n}", kind=kind, text="I live in Oslo", created_at=now)
        for kind in pages.KINDS
        for n in range(100)
    ]
    every = (
        settings_pages.overview(shown, texts),
        settings_pages.languages_page(shown, texts),
        settings_pages.regions(shown, texts),
        *(settings_pages.zones(region, shown, texts) for region in settings_pages.ZONES),
        settings_pages.lengths(shown, texts),
        settings_pages.streamings(shown, texts),
        pages.overview(records, texts, private=private, kept=True),
        pages.detail(records[0], texts),
        pages.asking(Forgotten(Actor.person(1001), records[0]), texts),
        pages.deleted(records[:1], texts),
        pages.unchanged(records[0], Refusal.LONG, texts),
    )
    for row in (row for page in every for row in page.rows if row):
        for button in row:
            assert len(button.label) <= LABEL_CHARS[len(row)], button.label


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


@pytest.mark.parametrize("tag", OTHERWISE)
def test_everybody_is_addressed_in_one_way(tag: str) -> None:
    texts = texts_in(tag)
    said = [wording for name in TEMPLATES for wording in wordings(getattr(texts, name))]
    said += [each for table in (*MENUS, *TABLES) for each in getattr(texts, table).values()]
    said += COURTESIES.get(tag, {}).values()
    if engine := BY_CODE.get(tag):
        values = [getattr(engine, field.name) for field in fields(engine)]
        said += [value for value in values if isinstance(value, str)]
    for wording in said:
        assert not re.search(OTHERWISE[tag], re.sub("«.*?»|„.*?“", "", wording)), wording


@pytest.mark.parametrize("tag", [tag for tag in languages() if tag != "en"])
def test_nothing_is_left_in_english(tag: str) -> None:
    texts = texts_in(tag)
    same = {n for n in TEMPLATES if wordings(getattr(texts, n)) == wordings(getattr(ENGLISH, n))}
    assert same <= ALIKE
    for table in (*MENUS, *TABLES):
        mine, english = getattr(texts, table), getattr(ENGLISH, table)
        assert not [key for key in english if mine[key] == english[key]]


def test_every_command_that_a_text_names_is_there() -> None:
    known = {*ENGLISH.commands, *ENGLISH.owner_commands}
    for texts in languages().values():
        for name in TEMPLATES:
            for wording in wordings(getattr(texts, name)):
                named = re.findall(r"(?<![\w/}])/([a-z]+)", wording)
                assert set(named) <= known, (name, named)


@pytest.mark.parametrize(
    ("rule", "forms"),
    [
        (one_other, {"one": [1], "other": [0, 2, 11, 21, 1_000_000]}),
        (none_is_one, {"one": [0, 1], "other": [2, 21, 1_000_000]}),
        (one_many_other, {"one": [1], "many": [1_000_000, 3_000_000], "other": [0, 2, 1_000_001]}),
        (none_is_one_many_other, {"one": [0, 1], "many": [1_000_000], "other": [2, 10, 21]}),
        (
            east_slavic,
            {"one": [1, 21, 101], "few": [2, 4, 22, 104], "many": [0, 5, 11, 12, 14, 20, 111, 112]},
        ),
    ],
    ids=["en", "hi", "es", "pt", "ru"],
)
def test_numbers_have_the_forms_of_cldr(rule: Any, forms: dict[str, list[int]]) -> None:
    assert {form: [n for n in numbers if rule(n) == form] for form, numbers in forms.items()} == (
        forms
    )
    assert set(forms) == FORMS[rule]


def test_a_noun_goes_with_its_number() -> None:
    russian = texts_in("ru").limit_minute
    assert "1 секунду" in russian.format(1)
    assert "3 секунды" in russian.format(3)
    assert "11 секунд " in russian.format(11)
    assert "1 second and" in ENGLISH.limit_minute.format(1)
    assert "1 Sekunde " in texts_in("de").limit_minute.format(1)


def test_a_text_without_one_of_its_forms_is_none() -> None:
    with pytest.raises(ValueError, match="forms"):
        Counted(east_slavic, {"one": "{count} день", "other": "{count} дней"})


def test_the_sentence_about_saving_is_the_promised_one() -> None:
    assert SAVED == "✨ Your conversation has been summarized and important information saved."
    assert ENGLISH.saved == SAVED
    assert ENGLISH.new_saved.startswith(SAVED)


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


@EVERY
def test_every_note_for_a_click_fits(texts: Texts) -> None:
    """Bot API, answerCallbackQuery: at most 200 characters."""
    stale = texts.buttons_stale.format(command=max(texts.commands, key=len))
    for note in (texts.button_not_yours, texts.button_stale, stale):
        assert len(note) <= 200


@EVERY
def test_what_is_said_in_groups_as_well_calls_nothing_yours(texts: Texts) -> None:
    yours = re.compile(r"\b(?:your|deine?|tu|tua|tuo|seu|sua|ваш|твой|आपकी|आपका)\b", re.IGNORECASE)
    for name in ("language_current", "language_set", "time_zone_current", "time_zone_set"):
        assert not yours.search(getattr(texts, name)), name
