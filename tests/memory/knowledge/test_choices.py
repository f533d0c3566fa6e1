"""What somebody can choose, and how it is kept."""

from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import RefusedText
from memory.knowledge.choices import (
    CHOICES,
    Choices,
    choice_of,
    choice_text,
    clean_answer_length,
    clean_language,
    clean_streaming,
    clean_time_zone,
    zone_of,
)
from memory.records import (
    ANSWER_LENGTH_SLOT,
    LANGUAGE_SLOT,
    SETTING_SLOTS,
    STREAMING_SLOT,
    TIME_ZONE_SLOT,
    Kind,
    Record,
)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Europe/Rome", "Europe/Rome"), ("europe/rome", "Europe/Rome"), ("Rome", "Europe/Rome"),
        ("new york", "America/New_York"), (" UTC ", "UTC"), ("asia/kolkata", "Asia/Kolkata"),
        ("America/Port-au-Prince", "America/Port-au-Prince"),
    ],
)  # fmt: skip
def test_a_time_zone_is_known_by_its_name_or_its_place(given: str, name: str):
    assert clean_time_zone(given) == name
    assert zone_of(name) is not None


@pytest.mark.parametrize(
    "given", ["", "Mars/Olympus", "../../etc/passwd", "localtime", "+3", "x" * 999]
)
def test_what_is_no_time_zone_is_refused(given: str):
    with pytest.raises(RefusedText):
        clean_time_zone(given)


def test_a_zone_that_this_system_does_not_know_is_none():
    assert zone_of("Mars/Olympus") is None
    assert zone_of("/etc/passwd") is None
    assert zone_of("") is zone_of(None) is None


@pytest.mark.parametrize(
    ("given", "tag"), [("de", "de"), ("pt-BR", "pt-br"), ("Deutsch", "de"), ("русский", "ru")]
)
def test_a_language_is_known_by_its_tag_or_its_own_name(given: str, tag: str):
    assert clean_language(given) == tag


@pytest.mark.parametrize("given", ["", "tlh", "de; drop", "klingon", "e", 'de"'])
def test_what_is_no_language_here_is_refused(given: str):
    with pytest.raises(RefusedText):
        clean_language(given)


@given(st.text(max_size=60))
def test_any_text_is_a_choice_or_refused(text: str):
    for clean in (clean_language, clean_time_zone, clean_answer_length, clean_streaming):
        with suppress(RefusedText):
            assert '"' not in clean(text)


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        (LANGUAGE_SLOT, "pt-br"),
        (TIME_ZONE_SLOT, "Europe/Rome"),
        (ANSWER_LENGTH_SLOT, "short"),
        (STREAMING_SLOT, "off"),
    ],
)
def test_a_choice_comes_back_from_its_record(slot: str, value: str):
    at = datetime(2026, 11, 21, tzinfo=UTC)
    record = Record("p1", Kind.PREFERENCE, choice_text(slot, value), at, slot=slot)
    assert choice_of(record) == value
    assert slot in SETTING_SLOTS
    assert choice_of(Record("p2", Kind.PREFERENCE, record.text, at)) is None


def test_every_choice_has_a_slot_and_every_slot_a_choice():
    assert set(CHOICES.values()) == {field.name for field in fields(Choices)}
    assert set(CHOICES) < SETTING_SLOTS


@pytest.mark.parametrize("given", ["", "Short", "very short", "kurz"])
def test_what_is_no_length_or_way_of_showing_is_refused(given: str):
    for clean in (clean_answer_length, clean_streaming):
        with pytest.raises(RefusedText):
            clean(given)
