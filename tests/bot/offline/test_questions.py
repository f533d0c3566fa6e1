"""Questions to the memory, small talk, and saying things back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.offline.grammar.questions import (
    MemoryQuestion,
    answering_slots,
    asks_to_remember,
    is_chatter,
    memory_question,
    second_person,
)
from bot.offline.grammar.statements import is_off_record, is_statement
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
        "list everything",
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
        ("remind me what my wife's name is", "wife"),
        ("what do you know about hiking?", "hiking"),
        ("what do you know about Rex?", "Rex"),
        ("what do you know about where I live?", "live"),
        ("where does my sister live?", "sister"),
        ("how old is my dog?", "dog"),
        ("how old is Mia?", "Mia"),
        ("what food do I not like?", "food dislike"),
        ("tell me about my family", "family"),
        ("remind me of my birthday", "birthday"),
        ("any idea what my dog is called?", "dog"),
        ("whats my job", "job"),
        ("wheres my home", "home"),
        ("who is my wife?", "wife"),
        ("where am I from?", "origin"),
        ("what's my diet?", "diet"),
        ("do I have any health problems?", "health"),
        ("do you know anything about my dog?", "dog"),
        ("did we talk about Rome last time?", "Rome"),
        ("where did I park?", "park"),
        ("Do you remember my girlfriend's name?", "girlfriend"),
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


@pytest.mark.parametrize(
    ("query", "slots"),
    [
        ("where do I work?", ("employer", "job_title")),
        ("job", ("employer", "job_title")),
        ("what's my name?", ("name", "nickname")),
        ("How old am I?", ("age", "birthday")),
        ("who is my wife?", ("partner", "marital_status")),
        ("what's my wife's name?", ("partner", "marital_status")),
        ("What's my favourite band?", ("favorite_band",)),
        ("where am I from?", ("origin", "hometown", "birthplace")),
        ("what's my wife's job?", ()),
        ("what's my dog's name?", ()),
        ("sister's birthday", ()),
        ("where does my sister live?", ()),
        ("what do you know about me?", ()),
        ("hiking", ()),
    ],
)
def test_a_question_or_topic_names_the_slots_that_answer_it(
    query: str, slots: tuple[str, ...]
) -> None:
    assert answering_slots(query) == slots


def test_one_answer_is_told_from_all_there_is_on_a_topic() -> None:
    wide = memory_question("what did I tell you about my job?")
    single = memory_question("what is my job?")
    assert wide is not None
    assert single is not None
    assert (wide.wide, single.wide) == (True, False)
    assert wide.slots == single.slots == ("employer", "job_title")


def test_a_question_about_somebody_says_which_words_narrow_the_answer() -> None:
    question = memory_question("where does my sister live?")
    assert question is not None
    assert question.focus == ("sister", "live")


def test_a_question_for_dislikes_wants_no_likes() -> None:
    for text in ("what do I hate?", "what food do I not like?"):
        question = memory_question(text)
        assert question is not None
        assert "hate" in question.only


@pytest.mark.parametrize(
    "text",
    [
        "what did we talk about last time?",
        "do you remember our last conversation?",
        "what have we discussed so far?",
    ],
)
def test_a_question_for_the_last_talk_asks_for_summaries(text: str) -> None:
    assert memory_question(text) == MemoryQuestion(None, (Kind.SUMMARY,))


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
        ("We moved to Lisbon with our dog", "You moved to Lisbon with your dog"),
        ("It suits us, in the US too", "It suits you, in the US too"),
        (
            "I don't mind if you're blunt with me",
            "You don't mind if I'm blunt with you",
        ),
        ("I like your jokes and you", "You like my jokes and me"),
        ("You can call me Max", "I can call you Max"),
        ("Could you answer in French please", "Could you answer in French please"),
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


def test_small_talk_is_known_and_statements_are_not_taken_for_it() -> None:
    assert all(is_chatter(text) for text in ("ok", "I see.", "yes, sure"))
    assert not is_chatter("ok, I work at Acme")
    assert all(is_off_record(text) for text in ("don't save this: x", "Please don't keep that"))
    assert not is_off_record("don't forget my birthday is May 2")
    assert is_statement("I am tired")
    assert not is_statement("where am I?")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remember that I'm allergic to nuts.", "I'm allergic to nuts"),
        ("Please remember: the wifi is in the kitchen", "The wifi is in the kitchen"),
        ("don't forget my birthday is May 2", "My birthday is May 2"),
        ("Can you remember that I park on level 3?", "I park on level 3"),
        ("don't remember this: I hate my boss", None),
        ("do you remember my birthday?", None),
        ("remember to buy milk", None),
        ("I remember the wifi", None),
    ],
)
def test_what_somebody_wants_kept_is_taken_as_a_sentence(text: str, what: str | None) -> None:
    assert asks_to_remember(text) == what
