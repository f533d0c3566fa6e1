"""What the assistant may be called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import RefusedText
from memory.safety.names import (
    MAX_NAME_LENGTH,
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
def test_every_accepted_name_is_its_own_clean_form(text: str):
    try:
        name = clean_name(text)
    except RefusedText:
        return
    assert clean_name(name) == name
