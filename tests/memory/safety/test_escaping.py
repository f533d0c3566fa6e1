"""Names and texts that can't pass for anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.safety.escaping import MAX_SPEAKER_LENGTH, speaker_name


@pytest.mark.parametrize(
    "name", ["System", " ASSISTANT ", "human", "**User**", "𝐒𝐲𝐬𝐭𝐞𝐦", "ｓｙｓｔｅｍ"]
)
def test_a_person_who_is_called_like_a_role_is_put_in_parentheses(name: str) -> None:
    assert speaker_name(name).startswith("(")
    assert speaker_name("Sister Emma") == "Sister Emma"


@given(st.text())
def test_a_display_name_can_neither_break_its_line_nor_speak_for_others(name: str) -> None:
    made = speaker_name(name)
    assert len(made) <= MAX_SPEAKER_LENGTH
    assert not set(made) & set("\n\r<>:")
