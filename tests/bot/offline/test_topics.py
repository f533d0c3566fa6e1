"""What a session was about, in words that can be said in a greeting."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.offline.learning import proposals_of
from bot.offline.topics import session_topics
from memory.records import Role, Turn, Utterance


def topics(*said: str) -> tuple[str, ...]:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    turns = [
        Turn(f"t{number}", "s1", (Utterance(Role.USER, text, now),))
        for number, text in enumerate(said)
    ]
    return session_topics(turns, proposals_of(turns))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            ("I work at Acme Corp", "my birthday is March 15", "I prefer Python over JavaScript"),
            ("my birthday", "Acme Corp", "Python", "JavaScript"),
        ),
        (
            ("My daughter's birthday is on May 3", "I live in Oslo"),
            ("Oslo", "my daughter's birthday"),
        ),
        (("I love hiking", "I have two cats", "I like tea"), ("my cats", "hiking", "tea")),
        (
            (
                "the garden needs water",
                "I was in the garden",
                "Anna told me of Rome",
            ),
            ("the garden",),
        ),
        (("Ich wohne in Berlin", "Meine Tochter heißt Lena"), ("Berlin", "Lena")),
        (("Я живу в Москве", "Мой день рождения 15 марта"), ("мой день рождения",)),
        (("Vivo en Madrid",), ("Madrid",)),
    ],
)
def test_topics_are_what_one_can_talk_about(
    said: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert set(topics(*said)) == set(expected)


@pytest.mark.parametrize(
    "said",
    [
        ("My name is Anna Smith", "I said Anna", "it is Anna"),
        ("Call me Annie", "yes, Annie it is", "I am Annie"),
        ("I'll call you Jarvis", "well, Jarvis", "ok, Jarvis"),
        ("I was there in March", "and again in March", "on Monday", "every Monday"),
        ("I went", "I went home", "we went out", "tell me", "tell me more"),
        ("I hate Mondays", "Please keep answers short"),
        ("My PIN is 4711", "the code is 4711", "the code again"),
        ("Ich arbeite als Lehrer", "Das Wetter ist schön", "Das Wetter wieder"),
        ("我住在北京", "北京"),
        ("hello", "what's up?"),
    ],
)
def test_names_of_ones_own_days_and_verbs_are_no_topics(said: tuple[str, ...]) -> None:
    assert topics(*said) == ()


@given(st.lists(st.text(max_size=100), max_size=5))
def test_any_talk_has_few_topics(said: list[str]) -> None:
    assert len(topics(*said)) <= 5
