"""What the memory understands by rules; without them it takes words as they are."""

import pytest

from bot.offline.understanding import by_rules
from memory.records import Kind
from memory.understanding import NO_RULES, Meaning

RULES = by_rules().rules


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("I live in Oslo", Meaning("I live in Oslo", Kind.FACT, "home")),
        ("that I live in Oslo", Meaning("I live in Oslo", Kind.FACT, "home")),
        ("I love tea", Meaning("I love tea", Kind.PREFERENCE)),
        ("what time is it", Meaning("what time is it", only_asks=True)),
        ("Your name is Nova", Meaning("Your name is Nova", agent_name="Nova", only_names=True)),
        ("The door is blue", Meaning("The door is blue")),
    ],
)
def test_rules_say_what_somebody_wants_remembered(said: str, meaning: Meaning):
    assert RULES.meaning(said) == meaning
    assert NO_RULES.meaning(said) == Meaning(said)


@pytest.mark.parametrize(
    "said",
    ["don't remember this", "off the record, I quit", "merk dir das nicht", "между нами", "别记住"],
)
def test_what_is_off_the_record_is_recognised(said: str):
    assert RULES.is_off_record(said)
    assert not RULES.is_off_record("remember that I park in B7")
