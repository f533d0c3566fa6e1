"""The simulation of many people counts right, and the documents show what it prints."""

from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from tests.benchmarks.days import (
    DAY,
    HOURS,
    Day,
    Habits,
    at_once,
    live,
    people_at_once,
    per_second,
    sessions,
)
from tests.benchmarks.simulation import Setup, bill_of, load_of, needs_of, report

SCALING = Path(__file__).parents[2] / "docs" / "scaling.md"
FEW = Habits(people=5_000)


def day(*messages: tuple[int, float]) -> Day:
    persons, seconds = zip(*messages, strict=True)
    return Day(numpy.array(persons), numpy.array(seconds))


def test_the_documents_have_the_tables_that_the_command_prints():
    text = SCALING.read_text(encoding="utf-8")
    shown = text.partition("<!-- simulation:begin -->\n")[2].partition("<!-- simulation:end -->")[0]
    assert shown == f"{report(Habits(), Setup())}\n"


def test_everybody_writes_and_together_as_much_as_was_asked_for():
    lived = live(FEW)
    assert set(lived.person) == set(range(FEW.people))
    assert len(lived.person) / FEW.people == pytest.approx(FEW.messages, rel=0.1)
    assert 0 <= lived.second.min() < lived.second.max() < DAY
    assert per_second(lived).sum() == len(lived.person)


def test_a_day_has_the_hours_that_were_asked_for_and_many_countries_make_it_flatter():
    def hours(habits: Habits) -> list[float]:
        counted = per_second(live(habits)).reshape(24, 3600).sum(axis=1)
        return [float(hour) / float(counted.sum()) for hour in counted]

    one, many = hours(FEW), hours(replace(FEW, zones=8.0))
    expected = [share / sum(HOURS) for share in HOURS]
    assert one == pytest.approx(expected, abs=0.006)
    assert max(many) < max(one)


def test_the_same_seed_lives_the_same_day():
    assert load_of(FEW, Setup()) == load_of(FEW, Setup())
    assert load_of(FEW, Setup(), seed=2) != load_of(FEW, Setup())


def test_what_overlaps_is_counted_and_what_only_touches_is_not():
    begins, ends = numpy.array([0.0, 5.0, 6.0]), numpy.array([5.0, 7.0, 8.0])
    assert at_once(begins, ends) == 2


def test_a_person_who_writes_again_is_one_actor():
    lived = day((1, 0.0), (1, 100.0), (2, 150.0), (3, 900.0))
    assert people_at_once(lived, idle=300.0) == 2


def test_a_session_ends_with_silence_or_its_most_messages():
    lived = day((1, 0.0), (1, 10.0), (1, 5_000.0), (2, 5_001.0), (2, 5_002.0), (2, 5_003.0))
    assert sessions(lived, idle=3600.0, longest=2) == 4


def test_twice_the_people_need_twice_as_much():
    setup = Setup()
    one, two = (load_of(replace(FEW, people=people), setup) for people in (5_000, 10_000))
    assert two.messages / one.messages == pytest.approx(2, rel=0.05)
    small, large = needs_of(one, setup), needs_of(two, setup)
    assert large.daily_gigabytes / small.daily_gigabytes == pytest.approx(2, rel=0.05)
    costs, more = bill_of(one, small), bill_of(two, large)
    assert more.agentcore / costs.agentcore == pytest.approx(2, rel=0.05)


def test_a_worker_that_writes_more_answers_at_once_saves_workers():
    load = load_of(Habits(people=50_000), Setup())
    few, many = needs_of(load, Setup(parallel=16)), needs_of(load, Setup(parallel=128))
    assert few.workers > many.workers >= 3
