"""A statement is recognized in other texts: also in the third person, in which AWS tells it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.knowledge.phrasing import all_words, parse_text, phrasing_of
from memory.stores.agentcore.erased import Fingerprint


def retells(text: str, statement: str) -> bool:
    phrasing = phrasing_of(statement)
    assert phrasing is not None
    by_words = phrasing.is_retold_in(parse_text(text))
    # Without the words themselves, it is recognized all the same.
    assert Fingerprint.of([statement]).is_stated_in(text) == by_words
    return by_words


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("The user has a dog named Rex", "My dog is called Rex"),
        ("My dog is called Rex", "The user has a dog named Rex"),
        ("The user lives in Oslo, Norway", "I live in Oslo"),
        ("The user has a cat and the user lives in Oslo.", "I live in Oslo"),
        ("The user goes to Rome every year", "I go to Rome"),
        ("Likes tea", "I like tea"),
        ("The user's name is Ann", "My name is Ann"),
        ("Der Nutzer wohnt in Köln", "Ich wohne in Köln"),
        ("El usuario vive en Madrid", "Vivo en Madrid"),
        ("Пользователь живёт в Осло", "Я живу в Осло"),
        ("用户的狗叫小白", "我的狗叫小白"),
    ],
)
def test_the_third_person_says_the_same(text: str, statement: str) -> None:
    assert retells(text, statement)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("The user's sister lives in Oslo", "I live in Oslo"),
        ("The user does not live in Oslo", "I live in Oslo"),
        ("The user works in Oslo", "I live in Oslo"),
        ("The user has 4 cats", "I have 3 cats"),
        ("The user's cat is called Rex", "My dog is called Rex"),
    ],
)
def test_another_subject_number_or_a_denial_says_something_else(text: str, statement: str) -> None:
    assert not retells(text, statement)


@given(st.text(min_size=1, max_size=80))
def test_every_statement_is_in_itself(statement: str) -> None:
    phrasing = phrasing_of(statement)
    if phrasing is not None:
        text = parse_text(statement)
        assert phrasing.is_mostly_in(text) or not text.core
        assert phrasing.is_in(all_words(statement)) or "user" in statement.casefold()
