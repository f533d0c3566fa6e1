"""Numbers, in figures and in the words of many languages."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.learning.numerals import figures, number_words, numbers
from memory.learning.timeline import find_date

TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("like thirty two thousand", "32000"),
        ("32k", "32000"),
        ("32,000", "32000"),
        ("32 000", "32000"),
        ("1.150 warm", "1150"),
        ("2,5 mg", "2.5"),
        ("две с половиной", "2.5"),
        ("полтора года", "1.5"),
        ("anderthalb", "1.5"),
        ("dedh lakh", "150000"),
        ("восемнадцатого мая", "18"),
        ("двадцать третьего", "23"),
        ("ста двадцати тыщ", "120000"),
        ("zweiunddreißig", "32"),
        ("vierundzwanzigsten", "24"),
        ("dreihundertfünfzig", "350"),
        ("mil doscientos", "1200"),
        ("treinta y dos", "32"),
        ("vinte e três", "23"),
        ("quatre-vingt-dix", "90"),
        ("mille neuf cent quatre-vingt-quatre", "1984"),
        ("ventotto", "28"),
        ("dwadzieścia trzy", "23"),
        ("nineteen ninety", "1990"),
        ("twenty twenty six", "2026"),
        ("two point five", "2.5"),
        ("a dozen eggs", "12"),
        ("خمسة وعشرين", "25"),
        ("خمسين الف", "50000"),
        ("١٣ سنة", "13"),
        ("१५ अगस्त", "15"),
        ("बयालीस", "42"),
        ("paanch cup", "5"),
        ("十二年", "12"),
        ("三十二万", "320000"),
        ("两万五", "25000"),
        ("3万", "30000"),
        ("二〇二六年", "2026"),
        ("yirmi üç", "23"),
    ],
)
def test_a_number_is_found_however_it_is_written(text: str, number: str) -> None:
    assert Decimal(number) in {+found for found in numbers(text)}


@pytest.mark.parametrize(
    "text", ["I have a dog", "Ich habe einen Hund", "у меня кот", "我很好", "she is nice"]
)
def test_where_there_is_none_there_is_none_of_weight(text: str) -> None:
    assert not [found for found in numbers(text) if found > 2]


def test_number_words_are_those_of_the_statements_own_language() -> None:
    assert number_words("I eat nine swans") == [("nine", frozenset({Decimal(9)}))]
    assert number_words("Tengo cuatro perros y una gata") == [("cuatro", frozenset({Decimal(4)}))]
    ((_, meanings),) = number_words("I am thirty two")
    assert Decimal(32) in meanings
    # "Once" is eleven in Spanish, and "neuf" is new.
    assert number_words("I was there once") == []
    assert number_words("J'ai un vélo neuf et je l'aime") == []


def test_figures_mean_what_follows_them_too() -> None:
    assert figures("38k and 2,5") == [
        ("38", frozenset({Decimal(38), Decimal("3.8E+4")})),
        ("2,5", frozenset({Decimal("2.5")})),
    ]


@given(st.integers(0, 10**9))
def test_every_number_in_figures_is_found(number: int) -> None:
    for text in (str(number), f"{number:,}", f"{number:,}".replace(",", "."), f"<{number}>"):
        assert Decimal(number) in numbers(text)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I got married yesterday", "2026-11-19"),
        ("I went skiing last winter", None),
        ("We fly on June 7, 2027", "2027-06-07"),
        ("I was here since 2019", "2019"),
        ("My birthday is March 15", None),
        ("Am Morgen trinke ich Tee", None),
        ("Morgen fahre ich weg", "2026-11-21"),
        ("Corro por la mañana", None),
        ("I like tea", None),
    ],
)
def test_a_sentence_tells_one_date_or_none(said: str, expected: str | None) -> None:
    assert find_date(said, TODAY) == expected


@given(st.text(max_size=100), st.dates())
def test_no_text_breaks_the_calendar(said: str, today: date) -> None:
    find_date(said, today)
    numbers(said)
