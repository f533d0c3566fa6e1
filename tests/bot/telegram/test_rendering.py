"""Replies are cut where people and Telegram can take it."""

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from bot.telegram.rendering import LONGEST_MESSAGE, clean, is_blank, split, units

FAMILY = "👨‍👩‍👧‍👦"
VISIBLE = [
    FAMILY,
    "👍🏽",
    "🇩🇪",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "❤️",
    "e\u0301\u0323",
    "한",
    "\u1112\u1161\u11ab",
    "नि",
    "กำ",
    "ש\u05c1",
    "𝔘",
    "x",
    "щ",
    "漢",
]
scripts = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(" \n"))
words = st.lists(st.text(st.sampled_from("abcdeß漢字щя🙂"), min_size=1, max_size=30), min_size=1)
limits = st.integers(80, 300)


@given(st.text() | scripts.map(lambda text: text * 40), limits)
def test_no_part_is_longer_than_telegram_takes_or_empty(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(units(part) <= limit for part in parts)
    assert not any(is_blank(part) for part in parts)


@given(words, limits, st.sampled_from([" ", "\n", "\n\n"]))
def test_words_stay_whole_and_in_order(said: list[str], limit: int, space: str) -> None:
    parts = split(space.join(said), limit)
    assert [word for part in parts for word in part.split()] == said


@given(st.lists(st.sampled_from(VISIBLE), min_size=60, max_size=300), limits)
@example([FAMILY] * 40, 80)
@example(["🇩🇪"] * 100, 81)
def test_what_is_seen_as_one_character_is_never_cut(seen: list[str], limit: int) -> None:
    """Without a single space, so that the cut has to be between characters."""
    text = "".join(seen)
    boundaries = {sum(map(len, seen[:count])) for count in range(len(seen) + 1)}
    position = 0
    for part in split(text, limit):
        assert position in boundaries
        position += len(part)
    assert position == len(text)


@given(scripts.map(lambda text: text * 30), limits)
def test_nothing_that_can_be_seen_is_lost(text: str, limit: int) -> None:
    def visible(given: str) -> list[str]:
        return [character for character in given if not is_blank(character)]

    assume("```" not in text and "~~~" not in text)
    assert visible("".join(split(text, limit))) == visible(text)


code_lines = st.lists(st.text(st.sampled_from("abc (){}=#\t"), max_size=60), max_size=40)
documents = st.lists(
    st.tuples(words, code_lines, st.sampled_from(["python", "c++", "", "sql"])),
    min_size=1,
    max_size=4,
)


@given(documents, limits)
def test_code_blocks_are_closed_and_opened_again(
    document: list[tuple[list[str], list[str], str]], limit: int
) -> None:
    text = "\n".join(
        f"{' '.join(prose)}\n```{language}\n{chr(10).join(code)}\n```"
        for prose, code, language in document
    )
    for part in split(text, limit):
        fences = [line for line in part.split("\n") if line.startswith("```")]
        assert len(fences) % 2 == 0, part
        assert all(line == "```" for line in fences[1::2]), part


def test_a_cut_code_block_keeps_its_language() -> None:
    code = "\n".join(f"print({number})" for number in range(30))
    parts = split(f"Here:\n```python\n{code}\n```\nDone.", 120)
    assert len(parts) > 2
    assert parts[0].startswith("Here:\n```python\nprint(0)")
    assert all(part.startswith("```python\n") for part in parts[1:])
    assert parts[-1].endswith("Done.")
    shown = [line for part in parts for line in part.split("\n") if line.startswith("print")]
    assert "\n".join(shown) == code


def test_paragraphs_are_preferred_to_lines_and_lines_to_words() -> None:
    assert split("a" * 60 + "\n\n" + "b b\nc " * 10, 80)[0] == "a" * 60
    assert split("a " * 30 + "\n" + "b " * 40, 80)[0] == ("a " * 30)
    assert split("word " * 30, 80)[0] == " ".join(["word"] * 16)


def test_four_thousand_emoji_fill_two_messages() -> None:
    parts = split("😀" * 4096)
    assert [units(part) for part in parts] == [LONGEST_MESSAGE] * 2


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u200b\u200d", "\u2003 \t"])
def test_nothing_visible_is_no_message(text: str) -> None:
    assert is_blank(text)
    assert split(text) == []


def test_a_character_longer_than_a_message_is_cut_rather_than_lost() -> None:
    monster = "e" + "\u0301" * 500
    assert "".join(split(monster, 80)) == monster


@given(st.text(st.characters()))
def test_cleaned_text_can_be_sent(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert not any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in cleaned)


def test_cleaning_keeps_what_people_write() -> None:
    text = f"שלום {FAMILY} <b>&amp; *x* \u202bitalic\u202c\nنص"
    assert clean(text) == text
    assert clean("a\x00b\ud83dc\r\nd\x1b[31m") == "abc\nd[31m"
