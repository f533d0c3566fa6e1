"""Which lines answer a question."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.offline.language import guess_language
from bot.offline.quotes import choose
from bot.offline.scores import Line

_NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)
_LINES = (
    Line("the shed is dry", _NOW - timedelta(days=40), 0),
    Line("we bought a kayak", _NOW - timedelta(days=9), 1),
    Line("is it a good one?", _NOW - timedelta(days=9), 2),
    Line("it leaks", _NOW - timedelta(days=1), 3),
)


@pytest.mark.parametrize(
    ("question", "then"),
    [
        ("what did I say last week?", ["we bought a kayak"]),
        ("what did I tell you in November?", ["we bought a kayak", "it leaks"]),
        ("was habe ich letzte Woche erzählt?", ["we bought a kayak"]),
        ("что я говорил вчера?", ["it leaks"]),
        ("cosa ho detto la settimana scorsa?", ["we bought a kayak"]),
        ("o que eu disse em outubro?", ["the shed is dry"]),
        ("what's on in November?", []),
    ],
)
def test_a_question_for_a_time_lists_what_was_said_then(question: str, then: list[str]):
    found = choose(question, _LINES, guess_language([question]), _NOW)
    assert [line.text for line in found.lines] == then


def _talk(*sessions: tuple[str, ...]) -> list[Line]:
    said = [(str(place), text) for place, texts in enumerate(sessions) for text in texts]
    return [Line(text, _NOW, place, session) for place, (session, text) in enumerate(said)]


@pytest.mark.parametrize(
    ("lines", "question", "quoted"),
    [
        (
            _talk(("my ferry to Skye leaves at 9:15",), ("missed the ferry, on the 11:40 one",)),
            "what time is my ferry to Skye?",
            ["missed the ferry, on the 11:40 one"],
        ),
        (
            _talk(("ferry to Skye leaves at 9:15",), ("the ferry to Mull leaves at 11:40",)),
            "what time is my ferry to Skye?",
            ["ferry to Skye leaves at 9:15"],
        ),
        (
            _talk(("वकील से मिलना सोमवार को है", "वकील का समय अब गुरुवार को है")),
            "वकील से कब मिलना है?",
            ["वकील का समय अब गुरुवार को है"],
        ),
        (
            _talk(("the kiln is broken",), ("aunt Bea fires my pots in Hull, the kiln is hers",)),
            "who has a kiln for my pots?",
            ["aunt Bea fires my pots in Hull, the kiln is hers"],
        ),
        (
            _talk(("Una sews sails", "she is in Kinsale"), ("Una is deaf in one ear",)),
            "where does Una sew sails?",
            ["she is in Kinsale", "Una sews sails"],
        ),
    ],
)
def test_the_best_lines_are_quoted_newest_first_but_for_the_outdated(
    lines: list[Line], question: str, quoted: list[str]
):
    found = choose(question, lines, guess_language([question]), _NOW)
    assert found.exact
    assert [line.text for line in found.lines] == quoted


def test_without_a_common_word_the_closest_lines_are_those_about_the_same_person():
    lines = _talk(("the harbour froze", "oysters make me swell up", "what is an oyster?"))
    question = "which seafood can't I touch?"
    found = choose(question, lines, guess_language([question]), _NOW)
    assert not found.exact
    assert [line.text for line in found.lines] == ["oysters make me swell up"]
