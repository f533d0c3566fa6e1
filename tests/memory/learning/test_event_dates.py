"""When something was or will be: absolute, as exact as it was said, or not at all."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.learning.event_dates import find_date, supported_date

TODAY = date(2026, 11, 20)  # a Friday


@pytest.mark.parametrize(
    ("said", "proposed", "kept"),
    [
        ("I moved to Berlin last month", "2026-10", "2026-10"),
        ("I moved to Berlin last month", "2026-10-03", "2026-10"),
        ("I moved to Berlin last month", "2026-09", None),
        ("My exam is tomorrow", "2026-11-21", "2026-11-21"),
        ("My exam is tomorrow", "2026-11-22", None),
        ("On Friday I fly home", "2026-11-27", "2026-11-27"),
        ("On Friday I fly home", "2026-11-28", None),
        ("The wedding is in March 2027", "2027-03-01", "2027-03"),
        ("The wedding is on 14 March 2027", "2027-03-14", "2027-03-14"),
        ("The wedding is next June", "2027-06", "2027-06"),
        ("I've been here since 2019", "2019", "2019"),
        ("I've worked there for 5 years", "2021", "2021"),
        ("We moved here in March", "2026-03", "2026-03"),
        ("We moved here in March", "2023-03", None),
        ("My birthday is 5 March", "2026-03-05", None),
        ("I was born on 5 March 1990", "1990-03-05", "1990-03-05"),
        ("I like tea", "2026-11-20", None),
        ("Some day I'll sail", "2030", None),
        ("Übermorgen habe ich Prüfung", "2026-11-22", "2026-11-22"),
        ("Nächste Woche ziehe ich um", "2026-11-25", "2026-11"),
        ("Ayer fui al médico", "2026-11-19", "2026-11-19"),
        ("El mes que viene me mudo", "2026-12", "2026-12"),
        ("Dopodomani parto", "2026-11-22", "2026-11-22"),
        ("Due anni fa", "2024", "2024"),
        ("Je pars demain", "2026-11-21", "2026-11-21"),
        ("Amanhã viajo", "2026-11-21", "2026-11-21"),
        ("Через 3 дня лечу", "2026-11-23", "2026-11-23"),
        ("7 июня 2027 года мы летим", "2027-06-07", "2027-06-07"),
        ("我下周去上海", "2026-11-24", "2026-11"),
        ("我2027年6月7日结婚", "2027-06-07", "2027-06-07"),
        ("Tomorrow", "soon", None),
        ("Tomorrow", "2026-02-30", None),
    ],
)
def test_a_date_stays_as_far_as_the_words_carry_it(
    said: str, proposed: str, kept: str | None
) -> None:
    assert supported_date(proposed, said, TODAY) == kept


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I moved last year", "2025"),
        ("I moved two months ago", "2026-09"),
        ("I got married yesterday", "2026-11-19"),
        ("I went skiing last winter", None),
        ("We fly on June 7, 2027", "2027-06-07"),
        ("I was here since 2019", "2019"),
        ("My birthday is March 15", None),
        ("Am Morgen trinke ich Tee", None),
        ("Morgen fahre ich weg", "2026-11-21"),
        ("Corro por la mañana", None),
        ("I like tea", None),
    ],
)
def test_a_sentence_tells_one_date_or_none(said: str, expected: str | None) -> None:
    assert find_date(said, TODAY) == expected


@given(st.text(max_size=100), st.text(max_size=12), st.dates())
def test_no_text_breaks_the_calendar(said: str, proposed: str, today: date) -> None:
    find_date(said, today)
    kept = supported_date(proposed, said, today)
    assert kept is None or proposed.strip().startswith(kept)
