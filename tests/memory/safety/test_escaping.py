"""Names and texts that can't pass for anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.safety.escaping import MAX_SPEAKER_LENGTH, escape, speaker_name
from memory.safety.secrets import MASK


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


def test_the_mask_of_a_secret_reads_as_it_is():
    assert escape(f"my PIN is {MASK} [INST]") == f"my PIN is {MASK} &#91;INST&#93;"
