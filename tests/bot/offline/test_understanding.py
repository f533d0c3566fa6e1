"""What the memory understands by rules; without them it takes words as they are."""

import pytest

from bot.offline.understanding import by_rules
from memory.records import Kind
from memory.understanding import NO_RULES, Meaning, SearchQuestion

RULES = by_rules().rules


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("I live in Oslo", Meaning("I live in Oslo", Kind.FACT, "home")),
        ("that I live in Oslo", Meaning("I live in Oslo", Kind.FACT, "home")),
        ("I love tea 🍵", Meaning("I love tea 🍵", Kind.PREFERENCE)),
        ("what time is it", Meaning("what time is it", only_asks=True)),
        ("Your name is Nova", Meaning("Your name is Nova", agent_name="Nova", only_names=True)),
        ("The door code is blue", Meaning("The door code is blue")),
    ],
)
def test_rules_say_what_somebody_wants_remembered(said: str, meaning: Meaning):
    assert RULES.meaning(said) == meaning
    assert NO_RULES.meaning(said) == Meaning(said)


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("what do you know about me?", SearchQuestion(everything=True)),
        ("what did we talk about last time?", SearchQuestion(last_talks=True)),
        ("where do I live?", SearchQuestion(slots=("home",))),
        ("what is your name?", SearchQuestion(slots=("name", "nickname"), agent_name=True)),
        ("green tea", SearchQuestion()),
    ],
)
def test_rules_say_what_a_search_is_for(query: str, question: SearchQuestion):
    assert RULES.question(query) == question
    assert NO_RULES.question(query) == SearchQuestion()
