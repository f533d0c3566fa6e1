"""Text becomes words that the index and the query agree on, in any language."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.text import MAX_WORD, storable, wording, words, written_language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I worked at Acme's office.", ["i", "work", "at", "acm", "offic"]),
        ("Ich wohne in München", ["ich", "wohn", "in", "munch", "munchen"]),
        ("Я работаю в школе", ["я", "работа", "в", "школ"]),
        ("我喜欢喝茶", ["我喜", "喜欢", "欢喝", "喝茶"]),
        ("東京に住む", ["東京", "京に", "に住", "住む"]),
        ("서울", ["서울"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("猫", ["猫"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("🦊 and 👩‍👧", ["🦊", "and", "👩", "👧"]),
        ("", []),
        ("?! ... --", []),
        ("a\0b \ud800", ["a", "b"]),
    ],
)  # fmt: skip
def test_words_by_script_and_language(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CAFÉ", "cafe"),
        ("naïve", "naive"),
        ("running", "runs"),
        ("Œuvre", "oeuvre"),
        ("Straße", "STRASSE"),
        ("ёлка", "елка"),
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("👍🏽", "👍"),
        ("школа", "школе"),
        ("Anna’s", "Anna"),
        ("cafe\u0301", "caf\u00e9"),
    ],
)
def test_different_spellings_are_one_word(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(("letter", "other"), [("が", "か"), ("กิน", "กน"), ("ด้", "ด่")])
def test_marks_that_make_another_letter_are_kept(letter: str, other: str) -> None:
    assert words(letter) != words(other)


def test_a_word_alone_finds_itself_in_a_sentence_of_its_language() -> None:
    """One word does not tell its language; the sentence it came from does."""
    for sentence in (
        "Ich arbeite bei den Stadtwerken und wohne mit meinen Schwestern",
        "Mes voisines habitent dans la même rue que nous",
        "Mis hermanas trabajan en una panadería desde hace años",
    ):
        indexed = set(words(sentence))
        for word in sentence.split():
            assert indexed & set(words(word)), word


def test_a_long_word_is_cut() -> None:
    assert all(len(word) <= MAX_WORD for word in words("x" * 10_000))


def test_clean_drops_nul_and_replaces_half_characters() -> None:
    assert storable(" a\0b\ud800 ") == "ab\ufffd"


@given(st.text())
def test_words_never_fails_and_never_holds_what_an_index_would_part(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(c.isspace() or c == "\0" for c in word)
        assert not any(c.isascii() and not c.isalnum() for c in word)
        word.encode()


@given(st.text())
def test_cleaned_text_can_be_written_anywhere(text: str) -> None:
    assert "\0" not in storable(text)
    storable(text).encode()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Oslo", "i  live in oslo."),
        ("It’s “fine”", "it's fine!"),
        ("Ich heiße Jo", "ICH HEISSE JO"),
        ("我喜欢茶。", "我喜欢茶"),
        ("¿Vivo en Lima?", "vivo en lima"),
    ],
)
def test_case_spaces_and_punctuation_make_no_other_wording(one: str, other: str) -> None:
    assert wording(one) == wording(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I use C", "I use C++"),
        ("2.5 mg", "25 mg"),
        ("It was 5 degrees", "It was -5 degrees"),
        ("at 10:30", "at 1030"),
        ("Mara", "Mára"),
        ("I eat meat", "I don't eat meat"),
    ],
)
def test_any_other_sign_does(one: str, other: str) -> None:
    assert wording(one) != wording(other)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ich wohne in Basel"), ("en", "My sister Meera is a nurse"),
        ("es", "Mi hermana Carmen es médica"), ("it", "Abito a Roma con mia sorella"),
        ("pt", "Minha irmã se chama Ana"), ("ru", "Я живу в Осло"), ("hi", "मेरी बहन मीरा है"),
        ("fr", "Je suis dans la maison"),
        ("en", "Can you read www.notizie.it/che/non for me?"),
        (None, "see example.com, a good one"),
        (None, "ok"), (None, "Rex"), (None, "👍"), (None, ""),
        (None, "Shalini ko paudhe pasand hai. gold se allergy hai usko sach me, rash ho jata hai"),
    ],
)  # fmt: skip
def test_grammar_words_tell_the_language_or_leave_a_doubt(language: str | None, text: str) -> None:
    assert written_language(text) == language


def test_no_word_of_anybody_stays_in_memory() -> None:
    words("my quizzaciousness was noted")
    dicts = (each for each in gc.get_objects() if type(each) is dict)
    assert not any(b"quizzaciousness" in each for each in dicts)
