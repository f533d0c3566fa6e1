"""The code in the log: the first who sends it owns the bot, and nobody finds it by trying."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.people.pairing import (
    ATTACK,
    ATTEMPTS,
    Guess,
    Pairing,
    new_code,
)

CODE = "AB2C-D3EF"


@pytest.mark.parametrize(
    "written",
    [
        CODE,
        f"  {CODE.lower()}\n",
        f"/start {CODE}",
        f"code={CODE}",
        f'"{CODE}"',
        f"`{CODE}`",
        f"{CODE}.",
        CODE.replace("-", "–"),
        CODE.replace("-", ""),
        CODE.replace("-", " ").lower(),
    ],
)
def test_the_code_is_known_however_it_was_copied(written: str) -> None:
    assert Pairing(CODE).guess(7, written) is Guess.RIGHT


@pytest.mark.parametrize("written", [CODE[:-1], CODE[1:], f"{CODE}G", CODE[1:].lower()])
def test_a_code_that_lost_or_won_a_letter_is_a_wrong_one(written: str) -> None:
    assert Pairing(CODE).guess(7, written) is Guess.WRONG


def test_a_code_makes_one_owner() -> None:
    pairing = Pairing(CODE)
    assert pairing.guess(7, CODE) is Guess.RIGHT
    assert pairing.guess(8, CODE) is Guess.VAIN
    assert pairing.code is None


def test_guessing_ends_after_a_few_codes_and_locks_out_nobody_else() -> None:
    pairing = Pairing(CODE)
    guesses = [pairing.guess(666, f"AAAA-AAA{number}") for number in range(ATTEMPTS + 1)]
    assert guesses == [*[Guess.WRONG] * (ATTEMPTS - 1), Guess.LAST, Guess.UNSEEN]
    assert pairing.guess(666, CODE) is Guess.UNSEEN, "the right one comes too late"
    assert pairing.is_spent(666)
    assert pairing.guess(1001, CODE) is Guess.RIGHT


def test_strangers_slow_each_other_down_but_lock_out_nobody() -> None:
    now = 0.0
    pairing = Pairing(CODE, lambda: now)
    strangers = range(ATTACK // ATTEMPTS)
    for stranger in strangers:
        for _ in range(ATTEMPTS):
            assert pairing.guess(stranger, "AAAA-AAAA") in (Guess.WRONG, Guess.LAST)
    late, owner = 2000, 3000
    assert pairing.guess(late, "AAAA-AAAA") is Guess.LAST
    assert pairing.guess(late, CODE) is Guess.UNSEEN, "one guess each"
    assert pairing.guess(owner, CODE[::-1]) is Guess.LAST, "mistyped"
    now = 3601.0
    assert not pairing.is_attacked
    assert all(pairing.guess(stranger, CODE) is Guess.UNSEEN for stranger in strangers)
    assert pairing.guess(owner, CODE) is Guess.RIGHT


@given(st.lists(st.tuples(st.integers(1, 40), st.floats(0, 7200)), max_size=300))
def test_whoever_guesses_however_often_a_new_person_is_always_heard(
    guesses: list[tuple[int, float]],
) -> None:
    now = 0.0
    pairing = Pairing(CODE, lambda: now)
    checked = Counter[int]()
    for person, pause in guesses:
        now += pause
        checked[person] += pairing.guess(person, "AAAA-AAAA") is not Guess.UNSEEN
    assert max(checked.values(), default=0) <= ATTEMPTS
    assert pairing.guess(99, CODE) is Guess.RIGHT


def test_where_there_is_an_owner_a_few_codes_are_answered_and_no_more() -> None:
    pairing = Pairing(None)
    guesses = [pairing.guess(7, CODE) for _ in range(ATTEMPTS + 2)]
    assert guesses == [*[Guess.VAIN] * ATTEMPTS, Guess.NONE, Guess.NONE]


@pytest.mark.parametrize(
    "said",
    [
        "hello",
        "",
        "/start",
        "part time",
        "whatever",
        "good-bye",
        "1234567",
        f"my {CODE}!",
        "Привет",
    ],
)
def test_ordinary_talk_is_no_guess(said: str) -> None:
    pairing = Pairing(CODE)
    for _ in range(20):
        assert pairing.guess(7, said) is Guess.NONE
    assert pairing.guess(7, CODE) is Guess.RIGHT


@given(st.text())
def test_nothing_that_is_said_is_taken_for_the_code(said: str) -> None:
    pairing = Pairing(new_code())
    assert pairing.guess(7, said) in (Guess.NONE, Guess.WRONG)


def test_a_code_is_its_own() -> None:
    assert len({new_code() for _ in range(100)}) == 100
    assert Pairing(new_code()).guess(7, new_code()) is Guess.WRONG
