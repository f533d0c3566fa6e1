"""The estimate of tokens: on the high side from the start, nearer with every request."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conversation.tokens import (
    HIGHEST,
    LOWEST,
    Script,
    Tokens,
    estimate_tokens,
    weigh,
)

#: Texts with what the dearest of four tokenizers takes for them (cl100k, o200k, DeepSeek V3; Claude
#: 2 where it is not by far the dearest).
MEASURED = [
    ("I work at Acme Corp as a nurse, and my sister Maria moved to Berlin last spring.", 19),
    ("Ich arbeite seit drei Jahren als Krankenschwester in München.", 20),
    ("Я работаю медсестрой в Казани, а моя сестра Мария прошлой весной переехала в Берлин.", 44),
    ("我在上海的一家医院当护士，我妹妹玛丽亚去年春天搬到了柏林。", 44),
    ("저는 서울의 병원에서 간호사로 일하고 있고, 제 여동생 마리아는", 36),
    ("मैं दिल्ली के एक अस्पताल में नर्स हूँ और मेरी बहन मारिया", 61),
    ("😀🎉❤️👍🏽🔥🥳🇩🇪👨‍👩‍👧‍👦🙏🐈‍⬛🌶️🧑‍🚀🫠🪿🫎", 76),
    ("აღმოსავლეთი საქართველო", 41),
    ("+49 171 2345678, 2026-11-21 12:34:56, 3.14159265358979", 34),
]  # fmt: skip

ENGLISH = "I would like to know what we said about the garden and the old apple tree. "
RUSSIAN = "Расскажи мне, пожалуйста, что мы говорили про сад и про старую яблоню. "
CHINESE = "请告诉我我们上次关于花园和那棵老苹果树说了些什么。"


@pytest.mark.parametrize(("text", "dearest"), MEASURED)
def test_the_first_estimate_is_on_the_safe_side(text: str, dearest: int):
    assert dearest <= estimate_tokens(text) <= 3 * dearest


@given(st.text(), st.text())
def test_a_longer_text_never_counts_less_and_parts_never_less_than_the_whole(one: str, other: str):
    assert estimate_tokens(one) <= estimate_tokens(one + other)
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)


def talk(tokens: Tokens, text: str, rate: float, turns: int, overhead: int = 900) -> None:
    """Requests of a model that takes `rate` tokens where the first estimate says one, for a
    conversation that grows by this text."""
    for turn in range(turns):
        said = text * (1 + 20 * (turn % 20))
        tokens.observe("m", [said], round(overhead + rate * sum(weigh(said).values())))


def test_an_estimate_that_is_too_high_sinks_slowly_to_just_above_the_truth():
    tokens = Tokens()
    talk(tokens, ENGLISH, 0.6, turns=3)
    assert tokens.factor(Script.LATIN) > 0.85
    talk(tokens, ENGLISH, 0.6, turns=60)
    assert 0.6 <= tokens.factor(Script.LATIN) < 0.85
    assert tokens.factor(Script.CJK) == 1


def test_what_every_request_has_in_common_is_not_taken_for_the_text():
    """Instructions, tools and wrapping of several thousand tokens make no text dearer."""
    tokens = Tokens()
    talk(tokens, ENGLISH, 0.5, turns=60, overhead=8000)
    assert tokens.factor(Script.LATIN) < 0.7


def test_an_estimate_that_is_too_low_rises_at_once():
    tokens = Tokens()
    tokens.observe("m", ["Hi"], 900)
    long = RUSSIAN * 30
    tokens.observe("m", [long], 900 + round(1.3 * estimate_tokens(long)))
    assert tokens.count(long) >= 1.3 * estimate_tokens(long)


def test_one_cheap_language_makes_no_other_one_cheap():
    tokens = Tokens()
    talk(tokens, ENGLISH, 0.5, turns=80)
    assert tokens.factor(Script.CYRILLIC) == tokens.factor(Script.CJK) == 1
    # Only its blanks and full stops are shared.
    assert tokens.count(RUSSIAN) > 0.9 * estimate_tokens(RUSSIAN)
    assert tokens.count(CHINESE) == estimate_tokens(CHINESE)


def test_after_the_dearest_of_the_recent_requests_no_later_one_is_underestimated():
    """Rates that vary from request to request, within the mixture that was seen."""
    dice, tokens = random.Random(1), Tokens()
    tokens.observe("m", ["Hi"], 500)
    low = 0
    for turn in range(300):
        said = (ENGLISH * dice.randint(15, 40)) + (RUSSIAN * dice.choice((0, 0, 2)))
        actual = round(dice.uniform(0.55, 0.7) * sum(weigh(said).values()))
        if turn > 32:
            low += tokens.count(said) < actual
        tokens.observe("m", [said], 500 + actual)
    assert low <= 3


def test_a_text_counts_as_the_dearest_of_the_models_in_use_would_take_it():
    tokens = Tokens()
    for model, rate in (("cheap", 0.5), ("dear", 1.0)):
        for turn in range(60):
            said = ENGLISH * (1 + 20 * (turn % 20))
            tokens.observe(model, [said], round(rate * sum(weigh(said).values())))
    assert tokens.factor(Script.LATIN) >= 1


@given(st.lists(st.tuples(st.text(max_size=300), st.integers(-5, 10**7)), max_size=20))
def test_no_count_whatever_leads_astray(requests: list[tuple[str, int]]):
    tokens = Tokens()
    for text, count in requests:
        tokens.observe("m", [text * 5], count)
    assert all(LOWEST <= tokens.factor(script) <= HIGHEST for script in Script)
