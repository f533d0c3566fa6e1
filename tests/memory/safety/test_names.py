"""What the assistant may be called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import RefusedText
from memory.memory import utc_now
from memory.records import Kind, Record
from memory.safety.names import (
    MAX_NAME_LENGTH,
    agent_name_of,
    agent_name_text,
    clean_name,
)


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
def test_every_accepted_name_comes_back_from_its_record(text: str):
    try:
        name = clean_name(text)
    except RefusedText:
        return
    record = Record("p1", Kind.PREFERENCE, agent_name_text(name), utc_now())
    assert agent_name_of(record) == name
    assert clean_name(name) == name


def test_another_record_holds_no_name():
    assert agent_name_of(Record("p1", Kind.PREFERENCE, "I like tea", utc_now())) is None
