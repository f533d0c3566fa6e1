"""Replies are cut where people and Telegram can take it."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.telegram.formatting.marked import LONGEST_MESSAGE, Marked, Span, clean, utf16_length
from bot.telegram.formatting.rendering import split
from memory.safety.escaping import is_blank

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


def texts_of(text: str, limit: int = LONGEST_MESSAGE) -> list[str]:
    return [part.text for part in split(Marked(text), limit)]


@given(st.text() | scripts.map(lambda text: text * 40), limits)
def test_no_part_is_longer_than_telegram_takes_or_empty(text: str, limit: int) -> None:
    parts = texts_of(text, limit)
    assert all(utf16_length(part) <= limit for part in parts)
    assert not any(is_blank(part) for part in parts)
    assert all(part == part.strip() for part in parts)


@given(words, limits, st.sampled_from([" ", "\n", "\n\n"]))
def test_words_stay_whole_and_in_order(said: list[str], limit: int, space: str) -> None:
    parts = texts_of(space.join(said), limit)
    assert [word for part in parts for word in part.split()] == said


@given(st.lists(st.sampled_from(VISIBLE), min_size=60, max_size=300), limits)
@example([FAMILY] * 40, 80)
@example(["🇩🇪"] * 100, 81)
def test_what_is_seen_as_one_character_is_never_cut(seen: list[str], limit: int) -> None:
    """Without a single space, so that the cut has to be between characters."""
    text = "".join(seen)
    boundaries = {sum(map(len, seen[:count])) for count in range(len(seen) + 1)}
    position = 0
    for part in texts_of(text, limit):
        assert position in boundaries
        position += len(part)
    assert position == len(text)


@given(scripts.map(lambda text: text * 30), limits)
def test_nothing_that_can_be_seen_is_lost(text: str, limit: int) -> None:
    def visible(given: str) -> list[str]:
        return [character for character in given if not is_blank(character)]

    assert visible("".join(texts_of(text, limit))) == visible(text)


spans = st.lists(
    st.tuples(st.integers(0, 400), st.integers(1, 60), st.sampled_from(["bold", "pre", "code"])),
    max_size=40,
)


@given(words, spans, limits, st.integers(5, 20))
def test_spans_say_the_same_of_the_same_letters_after_the_cut(
    said: list[str], given_spans: list[tuple[int, int, str]], limit: int, most: int
) -> None:
    text = " ".join(said)
    spans = [Span(kind, s, min(s + n, len(text))) for s, n, kind in given_spans if s < len(text)]
    apart = sorted(spans, key=lambda span: (span.start, -span.end))
    apart = [s for n, s in enumerate(apart) if n == 0 or s.start > apart[n - 1].start]
    whole = Marked(text, tuple(apart))
    parts = list(split(whole, limit, most))
    assert all(len(part.spans) <= most for part in parts)
    assert "".join(_letters(part) for part in parts) == _letters(whole)


def _letters(content: Marked) -> str:
    """Each visible character, in brackets with how many spans are over it."""
    return "".join(
        f"{character}{sum(s.start <= n < s.end for s in content.spans)}"
        for n, character in enumerate(content.text)
        if not character.isspace()
    )


def test_a_cut_code_block_keeps_its_language_and_its_indentation() -> None:
    code = "\n".join(f"    print({number})" for number in range(30))
    text = f"Here:\n\n{code}\n\nDone."
    parts = list(split(Marked(text, (Span("pre", 7, 7 + len(code), "python"),)), 120))
    assert len(parts) > 2
    assert parts[0].text.startswith("Here:\n\n    print(0)")
    for part in parts[1:-1]:
        assert part.spans == (Span("pre", 0, len(part.text), "python"),)
        assert part.text.startswith("    print(")
    assert parts[-1].text.endswith("Done.")
    shown = [line for part in parts for line in part.text.split("\n") if "print" in line]
    assert "\n".join(shown) == code


def test_code_below_a_message_that_is_nearly_full_begins_another() -> None:
    text = f"{'word ' * 18}\n\n" + "\n".join(["code()"] * 9)
    start = text.index("code")
    first, second = split(Marked(text, (Span("pre", start, len(text)),)), 100)
    assert first.text == ("word " * 18).strip()
    assert second.spans == (Span("pre", 0, len(second.text)),)


def test_paragraphs_are_preferred_to_lines_and_lines_to_words() -> None:
    assert texts_of("a" * 87 + "\n\n" + "b b\nc " * 10, 100)[0] == "a" * 87
    assert texts_of("a " * 44 + "\n" + "b " * 40, 100)[0] == "a " * 44 + "\n" + "b b b b b b"
    assert texts_of("a " * 47 + "\n" + "b " * 40, 100)[0] == ("a " * 47).strip()
    assert texts_of("word " * 30, 80)[0] == " ".join(["word"] * 16)


def test_a_heading_is_not_left_behind_alone() -> None:
    text = f"{'a ' * 40}\n\nHeading\n\n{'b ' * 30}"
    start = text.index("Heading")
    parts = list(split(Marked(text, (Span("bold", start, start + 7),)), 100))
    assert parts[0].text.endswith("Heading\n\nb b b b b")
    parts = list(split(Marked(text, (Span("bold", start, start + 7),)), 94))
    assert parts[1].text.startswith("Heading\n\nb")
    assert parts[1].spans == (Span("bold", 0, 7),)


@given(words, limits, st.data())
def test_a_text_that_grows_is_cut_at_the_same_places(
    said: list[str], limit: int, data: st.DataObject
) -> None:
    """What stands in a full message stays there."""
    spaces = data.draw(st.lists(st.sampled_from([" ", " ", "\n", "\n\n"]), min_size=len(said)))
    text = "".join(map("".join, zip(said, spaces, strict=False))) * 10
    whole = texts_of(text, limit)
    *full, last = texts_of(text[: data.draw(st.integers(1, len(text)))], limit)
    assert full == whole[: len(full)]
    assert whole[len(full)].startswith(last[: last.rfind(" ") + 1]) or len(last) > limit * 0.9


def test_a_hundred_spans_are_the_most_in_a_message() -> None:
    text = "ab " * 150
    bold = tuple(Span("bold", 3 * n, 3 * n + 2) for n in range(150))
    assert [len(part.spans) for part in split(Marked(text, bold))] == [100, 50]


def test_four_thousand_emoji_fill_two_messages() -> None:
    parts = texts_of("😀" * 4096)
    assert [utf16_length(part) for part in parts] == [LONGEST_MESSAGE] * 2


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u200b\u200d", "\u2003 \t"])
def test_nothing_visible_is_no_message(text: str) -> None:
    assert is_blank(text)
    assert texts_of(text) == []


def test_a_character_longer_than_a_message_is_cut_rather_than_lost() -> None:
    monster = "e" + "\u0301" * 500
    assert "".join(texts_of(monster, 80)) == monster


@given(st.text(st.characters()))
def test_cleaned_text_can_be_sent(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert not any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in cleaned)


def test_cleaning_keeps_what_people_write() -> None:
    text = f"שלום {FAMILY} <b>&amp; *x* \u202bitalic\u202c\nنص"
    assert clean(text) == text
    assert clean("a\x00b\ud83dc\r\nd\x1b[31m") == "abc\nd[31m"
