"""Which lines answer a question about a time."""

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
