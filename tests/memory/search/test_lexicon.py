"""The words of each language are data, and a faulty file is named with its key."""

import shutil
from pathlib import Path

import pytest

from memory.search.lexicon import lexicon as module
from memory.search.lexicon.lexicon import CODES, Lexicon, lexicons

OWN = Path(module.__file__).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in OWN.glob("*.toml"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_a_list_is_a_text_split_at_spaces_or_an_array_of_texts_with_spaces() -> None:
    english = lexicons()["en"]
    assert {"the", "and"} <= set(english.small_words)
    assert "good morning" in english.greetings
    assert english.dates.months[0] == ("january", "jan")
    assert english.ago is not None
    assert english.ago.pattern == "{n} {noun} ago"


def test_what_a_language_does_not_know_is_empty() -> None:
    assert lexicons()["emoji"] == Lexicon(chatter=lexicons()["emoji"].chatter)


def test_words_are_in_lower_case_and_no_list_has_one_twice() -> None:
    for code, lexicon in lexicons().items():
        lists = (lexicon.small_words, lexicon.negations, lexicon.chatter, lexicon.greetings)
        for words in (*lists, *lexicon.concepts, *lexicon.dates.months, *lexicon.dates.weekdays):
            assert len(set(words)) == len(words), (code, words)
            assert all(word == word.lower() for word in words), (code, words)


@pytest.mark.parametrize(
    ("faulty", "key"),
    [
        ('smal_words = "a b"', "smal_words"),
        ("small_words = 5", "small_words"),
        ('greetings = ["good day", 5]', "greetings"),
        ('unspaced = "yes"', "unspaced"),
        ('dates = "never"', "dates"),
        ("[dates]\nmonths = ['january']", "dates.months"),
        ("[dates]\nfortnight = 'fortnight'", "dates.fortnight"),
        ("[ago]\nname = 'English'", "ago.day"),
        ("small_words = ", "en.toml"),
    ],
)
def test_a_fault_names_the_file_and_the_key(folder: Path, faulty: str, key: str) -> None:
    (folder / "en.toml").write_text(faulty)
    with pytest.raises(ValueError, match=r"en\.toml") as raised:
        lexicons(folder)
    assert key in str(raised.value)


def test_a_missing_and_a_surplus_file_are_faults(folder: Path) -> None:
    (folder / "fr.toml").rename(folder / "xx.toml")
    with pytest.raises(ValueError, match="fr, xx"):
        lexicons(folder)
    assert set(CODES) == {path.stem for path in OWN.glob("*.toml")}
