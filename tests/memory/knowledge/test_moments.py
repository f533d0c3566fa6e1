"""When something was, as a person says it."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.knowledge.moments import ago, known_languages

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "today"), (1, "yesterday"), (2, "2 days ago"), (13, "13 days ago"), (14, "2 weeks ago"),
        (21, "3 weeks ago"), (59, "8 weeks ago"), (60, "2 months ago"), (365, "1 year ago"),
        (800, "2 years ago"), (-3, "today"),
    ],
)  # fmt: skip
def test_dates_are_said_as_a_person_says_them(days: int, words: str):
    assert ago(NOW - timedelta(days=days), NOW) == words


@pytest.mark.parametrize(
    ("language", "days", "words"),
    [
        ("ru", 0, "сегодня"), ("ru", 1, "вчера"), ("ru", 2, "2 дня назад"),
        ("ru", 5, "5 дней назад"), ("ru", 11, "11 дней назад"), ("ru", 21, "3 недели назад"),
        ("ru", 36, "5 недель назад"), ("ru", 65, "2 месяца назад"), ("ru", 200, "6 месяцев назад"),
        ("ru", 400, "1 год назад"), ("ru", 800, "2 года назад"), ("ru", 5 * 366, "5 лет назад"),
        ("ru", 12 * 366, "12 лет назад"), ("ru", 21 * 366, "21 год назад"),
        ("uk", 3, "3 дні тому"), ("uk", 7 * 6, "6 тижнів тому"),
        ("es", 1, "ayer"), ("es", 21, "hace 3 semanas"), ("es", 400, "hace 1 año"),
        ("de", 1, "gestern"), ("de", 3, "vor 3 Tagen"), ("de", 400, "vor 1 Jahr"),
        ("fr", 1, "hier"), ("fr", 400, "il y a 1 an"), ("fr", 90, "il y a 3 mois"),
        ("it", 1, "ieri"), ("it", 15, "2 settimane fa"), ("it", 800, "2 anni fa"),
        ("pt-br", 1, "ontem"), ("pt", 90, "há 3 meses"), ("PT_BR", 3, "há 3 dias"),
        ("hi", 1, "बीते कल"), ("hi", 3, "3 दिन पहले"), ("hi", 800, "2 साल पहले"),
        ("zh", 0, "今天"), ("zh", 3, "3天前"), ("zh-hant", 90, "3个月前"),
        ("tlh", 1, "yesterday"), ("", 1, "yesterday"),
    ],
)  # fmt: skip
def test_every_language_counts_in_its_own_forms(language: str, days: int, words: str):
    assert ago(NOW - timedelta(days=days), NOW, language) == words


def test_yesterday_depends_on_the_time_zone():
    late = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    assert ago(late, NOW) == "yesterday"
    assert ago(late, NOW.astimezone(timezone(timedelta(hours=2)))) == "today"
    assert ago(late, NOW.astimezone(ZoneInfo("Europe/Rome"))) == "today"


@given(st.integers(0, 40_000), st.sampled_from([*known_languages(), None, "xx"]))
def test_any_distance_is_said_in_a_few_words(days: int, language: str | None):
    said = ago(NOW + timedelta(days=40_000) - timedelta(days=days), NOW, language)
    assert said
    assert len(said) <= 20
    assert "{" not in said
