"""What somebody can choose."""

from contextlib import suppress
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import RefusedText
from memory.knowledge.choices import (
    MAX_NAME_LENGTH,
    clean_choice,
    clean_name,
    zone_of,
)
from memory.records import Choice, Choices


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Europe/Rome", "Europe/Rome"), ("europe/rome", "Europe/Rome"), ("Rome", "Europe/Rome"),
        ("new york", "America/New_York"), (" UTC ", "UTC"), ("asia/kolkata", "Asia/Kolkata"),
        ("America/Port-au-Prince", "America/Port-au-Prince"),
    ],
)  # fmt: skip
def test_a_time_zone_is_known_by_its_name_or_its_place(given: str, name: str):
    assert clean_choice(Choice.TIME_ZONE, given) == name
    assert zone_of(name) is not None


@pytest.mark.parametrize(
    "given", ["", "Mars/Olympus", "../../etc/passwd", "localtime", "+3", "x" * 999]
)
def test_what_is_no_time_zone_is_refused(given: str):
    with pytest.raises(RefusedText):
        clean_choice(Choice.TIME_ZONE, given)


def test_a_zone_that_this_system_does_not_know_is_none():
    assert zone_of("Mars/Olympus") is None
    assert zone_of("/etc/passwd") is None
    assert zone_of("") is zone_of(None) is None


@pytest.mark.parametrize(
    ("given", "tag"), [("de", "de"), ("pt-BR", "pt-br"), ("Deutsch", "de"), ("русский", "ru")]
)
def test_a_language_is_known_by_its_tag_or_its_own_name(given: str, tag: str):
    assert clean_choice(Choice.LANGUAGE, given) == tag


@pytest.mark.parametrize("given", ["", "tlh", "de; drop", "klingon", "e", 'de"'])
def test_what_is_no_language_here_is_refused(given: str):
    with pytest.raises(RefusedText):
        clean_choice(Choice.LANGUAGE, given)


@given(st.text(max_size=60))
def test_any_text_is_a_choice_or_refused(text: str):
    for choice in Choice:
        with suppress(RefusedText):
            assert clean_choice(choice, clean_choice(choice, text)) == clean_choice(choice, text)


def test_every_choice_has_a_value_of_its_name():
    assert [choice.value for choice in Choice] == [field.name for field in fields(Choices)]


@pytest.mark.parametrize("given", ["", "Short", "very short", "kurz"])
def test_what_is_no_length_or_way_of_showing_is_refused(given: str):
    for choice in (Choice.ANSWER_LENGTH, Choice.STREAMING):
        with pytest.raises(RefusedText):
            clean_choice(choice, given)


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("Jarvis", "Jarvis"), (' "Max Power"! ', "Max Power"), ("«Жарвис»", "Жарвис"),
        ("R2-D2", "R2-D2"), ("小明", "小明"), ("O'Brien", "O'Brien"),
        ("\u200eMax\u202e", "Max"),
    ],
)  # fmt: skip
def test_a_name_is_kept_without_quotes_and_punctuation(given_name: str, kept: str):
    assert clean_name(given_name) == kept


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "  ",
        "!!!",
        "x" * (MAX_NAME_LENGTH + 1),
        "a" * 500,
        "Jar\nvis",
        "<b>Al</b>",
        "A\x00l",
        "＜Al＞",
    ],
)
def test_what_is_no_name_is_refused_with_a_reason(bad: str):
    with pytest.raises(RefusedText, match="name"):
        clean_name(bad)


@given(st.text(min_size=1, max_size=MAX_NAME_LENGTH))
def test_every_accepted_name_is_its_own_clean_form(text: str):
    try:
        name = clean_name(text)
    except RefusedText:
        return
    assert clean_name(name) == name
