"""Dates in a question, and the days of a record, meet as index words."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.dates import date_words, named_dates

#: A Sunday.
NOW = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in March", {"§m03"}),
        ("in March 2024", {"§2024m03"}),
        ("on 8 May 2023", {"§2023m05", "§2023m05d08"}),
        ("on May 8th, 2023", {"§2023m05", "§2023m05d08"}),
        ("on May 8th", {"§m05"}),
        ("2023-05-08", {"§2023m05", "§2023m05d08"}),
        ("during 2024", {"§2024"}),
        ("am 3. Oktober", {"§m10"}),
        ("el 3 de mayo de 2025", {"§2025m05", "§2025m05d03"}),
        ("3 мая", {"§m05"}),
        ("2024年3月15日", {"§2024m03", "§2024m03d15"}),
        ("5月29号", {"§m05"}),
        ("yesterday", {"§2026m03d14"}),
        ("the day before yesterday", {"§2026m03d13"}),
        ("last month", {"§2026m02"}),
        ("last year", {"§2025"}),
        ("last week", {f"§2026m03d{day:02}" for day in range(2, 9)}),
        ("last spring", {"§2025m03", "§2025m04", "§2025m05"}),
        ("last winter", {"§2025m12", "§2026m01", "§2026m02"}),
        ("last Sunday", {"§2026m03d08"}),
        ("last Tuesday", {"§2026m03d10", "§2026m03d03"}),
        ("last night", {"§2026m03d14"}),
        ("3 days ago", {"§2026m03d12"}),
        ("a week ago", {f"§2026m03d{day:02}" for day in range(5, 12)}),
        ("a couple of months ago", {"§2026m01"}),
        ("four months ago", {"§2025m11"}),
        ("20 years ago", {"§2006"}),
        ("gestern", {"§2026m03d14"}),
        ("vor drei Jahren", {"§2023"}),
        ("letzten Monat", {"§2026m02"}),
        ("im letzten Sommer", {"§2025m06", "§2025m07", "§2025m08"}),
        ("letzten Dienstag", {"§2026m03d10", "§2026m03d03"}),
        ("позавчера", {"§2026m03d13"}),
        ("на прошлой неделе", {f"§2026m03d{day:02}" for day in range(2, 9)}),
        ("в прошлом году", {"§2025"}),
        ("прошлым летом", {"§2025m06", "§2025m07", "§2025m08"}),
        ("два месяца назад", {"§2026m01"}),
        ("месяц назад", {"§2026m02"}),
        ("anteayer", {"§2026m03d13"}),
        ("el mes pasado", {"§2026m02"}),
        ("la semana pasada", {f"§2026m03d{day:02}" for day in range(2, 9)}),
        ("hace dos años", {"§2024"}),
        ("la semaine dernière", {f"§2026m03d{day:02}" for day in range(2, 9)}),
        ("il mese scorso", {"§2026m02"}),
        ("no ano passado", {"§2025"}),
        ("ieri", {"§2026m03d14"}),
        ("ist hier jemand", set()),
        ("我昨天去了哪里", {"§2026m03d14"}),
        ("上个月", {"§2026m02"}),
    ],
)
def test_a_named_date_is_understood(text: str, expected: set[str]) -> None:
    assert named_dates(text, NOW)[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "I may march on",
        "version 2024",
        "0000-99-99",
        "13月",
        "call 5 people",
        "99月",
        "on my birthday",
        "last resort",
        "the last day",
        "long ago",
        "vor der Woche",
        "in the past",
        "el pasado",
        "2000 years ago",
        "five lines ago",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert named_dates(text, NOW)[0] == set()


def test_the_rest_is_the_text_without_the_dates() -> None:
    assert named_dates("trips in March 2024 and yesterday", NOW)[1].split() == [
        "trips",
        "in",
        "and",
    ]


def test_yesterday_is_meant_in_the_time_zone_of_the_asker() -> None:
    early = datetime(2026, 3, 15, 1, 0, tzinfo=timezone(timedelta(hours=13)))
    assert named_dates("yesterday", early)[0] == {"§2026m03d14"}
    assert named_dates("yesterday", early.astimezone(UTC))[0] == {"§2026m03d13"}


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_a_day_is_found_by_its_month(day: date) -> None:
    named, _ = named_dates(f"{day:%Y-%m-%d}", NOW)
    assert named <= set(date_words(day))
    assert f"§{day:%Ym%md%d}" in named


@given(
    st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)),
    st.sampled_from(
        ["last spring", "last winter", "last week", "last Monday", "yesterday", "11 months ago",
         "3 weeks ago", "last month", "last year"]
    ),
)  # fmt: skip
def test_what_is_told_from_today_lies_before_it(day: date, phrase: str) -> None:
    named, _ = named_dates(phrase, datetime(day.year, day.month, day.day, 12, tzinfo=UTC))
    before = {w for n in range(1, 700) for w in date_words(day - timedelta(days=n))}
    assert named
    assert named <= before


@given(st.text())
def test_any_text_may_hold_dates(text: str) -> None:
    named, rest = named_dates(text, NOW)
    assert named or rest == text


@given(st.dates())
def test_date_words_are_single_words_of_an_index(day: date) -> None:
    for word in date_words(day):
        assert word[1:].isalnum()
