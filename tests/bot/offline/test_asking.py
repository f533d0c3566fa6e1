"""What only asks, and is no memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.offline.grammar.asking import only_asks


@pytest.mark.parametrize(
    "text",
    [
        "what time is it",
        "What time is it?",
        "who is Anna",
        "how old am I",
        "where do I live",
        "is it raining",
        "Can you remember my name?",
        "what's my dog's name",
        "why not?",
        "Is my dog ok? And the cat?",
        "который час",
        "как меня зовут",
        "Где я живу?",
        "wie spät ist es",
        "Was ist mein Name",
        "¿Qué hora es?",
        "qué hora es",
        "che ore sono",
        "que horas são",
        "quelle heure est-il",
        "现在几点？",
    ],
)
def test_a_question_is_seen(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "who my doctor is: Dr. Smith",
        "Where are my keys: in the drawer",
        "I like the question 'why?'",
        "My favourite film is What's Up, Doc?",
        "My birthday is in May, right?",
        "what matters is family",
        "what is important to me is family",
        "what I like is tea",
        "When I was 5 I broke my arm",
        "how I like my coffee - black",
        "Will Smith is my favourite actor",
        "May is my birthday month",
        "Had I known this, I'd have stayed",
        "do the dishes on Monday",
        "The plumber comes on Monday. Is that ok?",
        "Will you marry me? was the first thing he said",
        "wer mein Arzt ist: Dr. Schmidt",
        "где я живу: Москва",
        "У меня есть вопрос?",
        "It is what it is",
        "",
    ],
)
def test_what_states_something_is_no_question(text: str) -> None:
    assert not only_asks(text)


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text: str) -> None:
    only_asks(text)
