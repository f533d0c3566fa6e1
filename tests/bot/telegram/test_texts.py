"""The catalogue: every language says the same, and Telegram takes it."""

import re
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.telegram.texts import ENGLISH, SAVED, Texts, languages, texts_in

EVERY = pytest.mark.parametrize("texts", languages().values(), ids=list(languages()))
MENUS = ("commands", "owner_commands")
TEMPLATES = [field.name for field in fields(Texts) if field.name not in MENUS]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))


@EVERY
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_text_is_there_with_the_same_placeholders(texts: Texts, name: str) -> None:
    text = getattr(texts, name)
    assert text.strip() == text != ""
    assert placeholders(text) == placeholders(getattr(ENGLISH, name))


@EVERY
def test_the_menu_is_one_that_telegram_takes(texts: Texts) -> None:
    for menu in MENUS:
        commands = getattr(texts, menu)
        assert list(commands) == list(getattr(ENGLISH, menu))
        for command, description in commands.items():
            assert re.fullmatch("[a-z0-9_]{1,32}", command)
            assert 1 <= len(description) <= 256


def test_the_sentence_about_saving_is_the_promised_one() -> None:
    assert SAVED == "✨ Your conversation has been summarized and important information saved."
    assert ENGLISH.saved == SAVED
    assert ENGLISH.new_saved.startswith(SAVED)


@given(st.none() | st.text())
def test_any_language_tag_gets_texts(tag: str | None) -> None:
    assert isinstance(texts_in(tag), Texts)


def test_a_regional_tag_gets_its_language() -> None:
    assert texts_in("en-GB") is texts_in("EN") is ENGLISH
