"""Questions to the memory, small talk, and saying things back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language import (
    MemoryQuestion,
    asks_to_remember,
    is_greeting,
    is_statement,
    is_thanks,
    memory_question,
    second_person,
)
from memory.records import Kind

_ALL = (Kind.FACT, Kind.PREFERENCE)


@pytest.mark.parametrize(
    "text",
    [
        "what do you know about me?",
        "What do you remember?",
        "tell me everything you know about me",
        "who am I?",
        "Hey Jarvis, what do you know about me?",
        "So what do you know about me so far?",
        "what have I told you so far?",
        "Do you remember me?",
        "what did we talk about last time?",
    ],
)
def test_a_general_question_has_no_topic(text: str) -> None:
    assert memory_question(text) == MemoryQuestion(None, _ALL)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("what did I tell you about my job?", "job"),
        ("where do I work?", "work"),
        ("when is my birthday?", "birthday"),
        ("do you remember my birthday?", "birthday"),
        ("what's my name", "name"),
        ("which language do I prefer?", "language prefer"),
        ("What do you remember about Berlin?", "Berlin"),
        ("Can you tell me what my name is?", "name"),
        ("Could you please tell me where I work?", "work"),
        ("remind me what my wife's name is", "wife's name"),
        ("How old am I?", "age"),
        ("what am I allergic to?", "allergic"),
        ("Do I like olives?", "like olives"),
        ("did I tell you about my dog?", "dog"),
        ("what do I do for a living?", "job"),
        ("how many kids do I have?", "kids"),
        ("do you know where I live?", "live"),
    ],
)
def test_a_question_about_something_names_its_topic(text: str, topic: str) -> None:
    question = memory_question(text)
    assert question is not None
    assert set((question.topic or "").split()) >= set(topic.split()) - {"like"}


def test_a_question_for_preferences_asks_for_that_kind_alone() -> None:
    for text in ("what are my preferences?", "What do I like?"):
        assert memory_question(text) == MemoryQuestion(None, (Kind.PREFERENCE,))


@pytest.mark.parametrize(
    "text",
    [
        "what's the weather?",
        "how are you?",
        "what's your name",
        "How do I install Python?",
        "What should I cook?",
        "what do you know about black holes?",
        "I work at Acme",
        "Where can I buy milk?",
        "what do I need to do?",
        "What do I do if it breaks?",
        "am I right?",
        "remember that I like tea",
        "hello",
        "",
    ],
)
def test_other_messages_ask_nothing_of_memory(text: str) -> None:
    assert memory_question(text) is None


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("I work at Acme Corp", "You work at Acme Corp"),
        ("My birthday is March 15", "Your birthday is March 15"),
        ("I'm allergic to nuts", "You're allergic to nuts"),
        ("I’m vegan", "You're vegan"),
        ("I am 27", "You are 27"),
        ("I was born in Naples", "You were born in Naples"),
        ("I hurt myself, and that book is mine", "You hurt yourself, and that book is yours"),
        ("It suits me", "It suits you"),
        ("My wife and I like tea", "Your wife and you like tea"),
        ("In Berlin I work at Acme", "In Berlin you work at Acme"),
        ("We moved to Lisbon with our dog", "We moved to Lisbon with our dog"),
        ("Please keep answers short", "Please keep answers short"),
        ("Call me Annie", "Call me Annie"),
        ("I admire Henry I", "You admire Henry I"),
        ("I have type I diabetes", "You have type I diabetes"),
        ('My dog is called "My I"', 'Your dog is called "My I"'),
        ("Minä asun Helsingissä", "Minä asun Helsingissä"),
    ],
)
def test_a_sentence_is_said_back_in_the_second_person(said: str, back: str) -> None:
    assert second_person(said) == back


@given(st.text(max_size=200))
def test_any_text_can_be_said_back_and_asked_about(text: str) -> None:
    second_person(text)
    memory_question(text)
    is_statement(text)


def test_courtesies_are_known_and_statements_are_not_taken_for_them() -> None:
    assert all(is_greeting(text) for text in ("Hello!", "hi there", "Good morning, how are you?"))
    assert all(is_thanks(text) for text in ("thanks!", "Thank you so much", "ok, thanks a lot"))
    assert not is_greeting("Hello, I work at Acme")
    assert not is_thanks("thanks, but I work at Acme")
    assert is_statement("I am tired")
    assert not is_statement("where am I?")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remember that I'm allergic to nuts.", "I'm allergic to nuts"),
        ("Please remember: the wifi is in the kitchen", "The wifi is in the kitchen"),
        ("don't forget my birthday is May 2", "My birthday is May 2"),
        ("do you remember my birthday?", None),
        ("remember to buy milk", None),
        ("I remember the wifi", None),
    ],
)
def test_what_somebody_wants_kept_is_taken_as_a_sentence(text: str, what: str | None) -> None:
    assert asks_to_remember(text) == what
