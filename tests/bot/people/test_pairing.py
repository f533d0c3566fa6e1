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
from bot.people.throttles import RamThrottles

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
async def test_the_code_is_known_however_it_was_copied(written: str) -> None:
    assert await Pairing(RamThrottles()).guess(7, written, CODE) is Guess.RIGHT


@pytest.mark.parametrize("written", [CODE[:-1], CODE[1:], f"{CODE}G", CODE[1:].lower()])
async def test_a_code_that_lost_or_won_a_letter_is_a_wrong_one(written: str) -> None:
    assert await Pairing(RamThrottles()).guess(7, written, CODE) is Guess.WRONG


async def test_guessing_ends_after_a_few_codes_and_locks_out_nobody_else() -> None:
    pairing = Pairing(RamThrottles())
    guesses = [
        await pairing.guess(666, f"AAAA-AAA{number}", CODE) for number in range(ATTEMPTS + 1)
    ]
    assert guesses == [*[Guess.WRONG] * (ATTEMPTS - 1), Guess.LAST, Guess.UNSEEN]
    assert await pairing.guess(666, CODE, CODE) is Guess.UNSEEN, "the right one comes too late"
    assert await pairing.is_spent(666, CODE)
    assert await pairing.guess(1001, CODE, CODE) is Guess.RIGHT


async def test_strangers_slow_each_other_down_but_lock_out_nobody() -> None:
    now = 0.0
    pairing = Pairing(RamThrottles(lambda: now))
    strangers = range(ATTACK // ATTEMPTS)
    for stranger in strangers:
        for _ in range(ATTEMPTS):
            assert await pairing.guess(stranger, "AAAA-AAAA", CODE) in (Guess.WRONG, Guess.LAST)
    late, owner = 2000, 3000
    assert await pairing.guess(late, "AAAA-AAAA", CODE) is Guess.LAST
    assert await pairing.guess(late, CODE, CODE) is Guess.UNSEEN, "one guess each"
    assert await pairing.guess(owner, CODE[::-1], CODE) is Guess.LAST, "mistyped"
    now = 3601.0
    assert not await pairing.is_attacked()
    assert {await pairing.guess(stranger, CODE, CODE) for stranger in strangers} == {Guess.UNSEEN}
    assert await pairing.guess(owner, CODE, CODE) is Guess.RIGHT


@given(st.lists(st.tuples(st.integers(1, 40), st.floats(0, 7200)), max_size=300))
async def test_whoever_guesses_however_often_a_new_person_is_always_heard(
    guesses: list[tuple[int, float]],
) -> None:
    now = 0.0
    pairing = Pairing(RamThrottles(lambda: now))
    checked = Counter[int]()
    for person, pause in guesses:
        now += pause
        checked[person] += await pairing.guess(person, "AAAA-AAAA", CODE) is not Guess.UNSEEN
    assert max(checked.values(), default=0) <= ATTEMPTS
    assert await pairing.guess(99, CODE, CODE) is Guess.RIGHT


async def test_where_there_is_an_owner_a_few_codes_are_answered_and_no_more() -> None:
    pairing = Pairing(RamThrottles())
    guesses = [await pairing.guess(7, CODE, None) for _ in range(ATTEMPTS + 2)]
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
async def test_ordinary_talk_is_no_guess(said: str) -> None:
    pairing = Pairing(RamThrottles())
    for _ in range(20):
        assert await pairing.guess(7, said, CODE) is Guess.NONE
    assert await pairing.guess(7, CODE, CODE) is Guess.RIGHT


@given(st.text())
async def test_nothing_that_is_said_is_taken_for_the_code(said: str) -> None:
    pairing = Pairing(RamThrottles())
    assert await pairing.guess(7, said, CODE) in (Guess.NONE, Guess.WRONG)


async def test_each_code_is_new_and_opens_nothing_else() -> None:
    assert len({new_code() for _ in range(100)}) == 100
    assert await Pairing(RamThrottles()).guess(7, new_code(), CODE) is Guess.WRONG
