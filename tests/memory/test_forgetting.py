"""Forgetting a fact takes along what would tell it again, and nothing else."""

import pytest

from memory.forgetting import carries


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I work at Acme Corp", "I work at Acme Corp"),
        ("Hi! I work at Acme Corp, and my birthday is March 15.", "I work at Acme Corp"),
        ("Noted: you work at Acme Corp.", "I work at Acme Corp"),
        ("Remember that I have a cat please", "I have a cat"),
        ("Я работаю в Яндексе уже год", "Я работаю в Яндексе"),
        ("我在北京工作，很忙", "我在北京工作"),
    ],
)
def test_a_text_that_says_it_again_carries_it(text: str, statement: str):
    assert carries(text, statement)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I work at Globex", "I work at Acme Corp"),
        ("the cat food was expensive", "I have a cat"),
        ("my birthday is March 15", "I work at Acme Corp"),
        ("", "I work at Acme Corp"),
        ("Я живу в Москве", "Я работаю в Яндексе"),
    ],
)
def test_a_text_about_something_else_does_not(text: str, statement: str):
    assert not carries(text, statement)
