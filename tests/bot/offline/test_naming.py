"""Who gets which name: the assistant only from words addressed to it."""

import pytest

from bot.offline.grammar.naming import asks_agent_name, introduces_self, naming


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'll call you Jarvis", "Jarvis"),
        ("I’ll call you Jarvis.", "Jarvis"),
        ("i'll call you jarvis", "jarvis"),
        ("your name is Jarvis", "Jarvis"),
        ("let me name you 'Max Power'", "Max Power"),
        ("I want to call you Jarvis from now on", "Jarvis"),
        ("can I call you Al?", "Al"),
        ("be called Friday", "Friday"),
        ("From now on I'll call you Friday", "Friday"),
        ("I'll call you Friday", "Friday"),
        ("you are Jarvis now", "Jarvis"),
        ("From now on you are Jarvis", "Jarvis"),
        ("I'll call you HAL 9000, ok?", "HAL 9000"),
        ("Hey! I'd like to call you Mary Jane because it's nice", "Mary Jane"),
        ("I work at Acme and I'll call you Jarvis", "Jarvis"),
        ("My name is Tom and your name is Jarvis", "Jarvis"),
        ('I\'ll call you "Jarvis".', "Jarvis"),
        ("I'm going to call you Bob if you don't mind", "Bob"),
        ("Your new name is Zoë!", "Zoë"),
        ("rename yourself to K-9", "K-9"),
        ("I will call you Dr. Watson.", "Dr. Watson"),
    ],
)
def test_a_name_given_to_the_assistant_is_found(text: str, name: str) -> None:
    assert naming(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "my name is Anna",
        "call me Anna",
        "you can call me Anna",
        "I'll call you tomorrow",
        "I'll call you later",
        "I'll call you back",
        "I'll call you at 5",
        "I'll call you 5 minutes before",
        "I'll call you when I'm home",
        "I call you every day",
        "I'll call you on Monday",
        "I'll call you Friday morning",
        "I'll call you Friday at 5",
        "I will call you shortly",
        "I'll call you a taxi",
        "What's your name?",
        "is your name Jarvis?",
        "your name is very nice",
        "Your name is not Jarvis",
        "My boss says your name is Jarvis",
        "I won't call you Jarvis",
        'He said "I\'ll call you Jarvis"',
        "what should I call you?",
        "You are great now",
        "",
    ],
)
def test_what_only_looks_like_naming_gives_no_name(text: str) -> None:
    assert naming(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My name is Anna.", "Anna"),
        ("call me Anna", "anna"),
        ("I am Anna Smith", "Smith"),
        ("меня зовут Анна", "Анна"),
        ("Я Анна", "Анна"),
        ("Ich heiße Max Müller", "Max Müller"),
        ("nenn mich Tom", "Tom"),
        ("me llamo José", "José"),
        ("mi chiamo Gio", "Gio"),
        ("meu nome é Ana", "Ana"),
        ("je m'appelle Luc", "Luc"),
    ],
)
def test_a_speakers_own_name_is_known_as_such_in_seven_languages(text: str, name: str) -> None:
    assert introduces_self(text, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'll call you Anna", "Anna"),
        ("My name is Anna, I'll call you Anna", "Anna"),
        ("your name is Tom", "Tom"),
        ("I am calling you Jarvis", "Jarvis"),
        ("Je t'appelle Jarvis", "Jarvis"),
        ("Тебя зовут Джарвис", "Джарвис"),
        ("Я назову тебя Макс", "Макс"),
        ("hello", "Tom"),
        ("Tom", " "),
    ],
)
def test_a_name_that_is_also_somebody_elses_is_no_introduction(text: str, name: str) -> None:
    assert not introduces_self(text, name)


def test_a_question_for_the_assistants_name_is_told_from_one_for_the_persons() -> None:
    asked = ("what's your name", "Hi, what is your name?", "who are you?", "What do I call you?")
    assert all(asks_agent_name(text) for text in asked)
    assert not any(asks_agent_name(text) for text in ("what's my name", "your name is Jarvis"))
