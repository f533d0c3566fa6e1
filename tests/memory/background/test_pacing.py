"""Backoff, Throttle, RateLimitedLog and BoundedDict: how often, how long, how many."""

import asyncio

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from memory.background.caches import BoundedDict
from memory.background.pacing import Backoff, CountedWarning, RateLimitedLog, Throttle


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@given(st.integers(0, 10_000))
def test_pauses_double_up_to_the_longest(failures: int) -> None:
    backoff = Backoff(30.0, 3600.0)
    assert backoff.pause(0) == 30.0
    assert backoff.pause(failures + 1) in (2 * backoff.pause(failures), 3600.0)


def test_pauses_begin_again_after_a_success() -> None:
    backoff = Backoff(1.0, 10.0, factor=3.0)
    assert [backoff.fail() for _ in range(4)] == [1.0, 3.0, 9.0, 10.0]
    backoff.reset()
    assert backoff.fail() == 1.0


@given(st.integers(0, 20))
def test_no_pause_is_spread_beyond_its_share(failures: int) -> None:
    whole = Backoff(1.0, 60.0).pause(failures)
    assert whole / 2 <= Backoff(1.0, 60.0, spread=0.5).pause(failures) <= whole


def test_each_subject_goes_through_once_in_a_while(clock: Clock) -> None:
    throttle = Throttle(60, clock=clock)
    assert throttle.allow("a")
    assert not throttle.allow("a")
    assert throttle.allow("b")
    clock.now = 20
    assert throttle.wait("a") == 40
    clock.now = 60
    assert throttle.allow("a")


def test_what_did_not_go_through_does_not_count(clock: Clock) -> None:
    throttle = Throttle(60, times=2, clock=clock)
    assert [throttle.allow() for _ in range(4)] == [True, True, False, False]
    clock.now = 60
    assert [throttle.allow() for _ in range(4)] == [True, True, False, False]


def test_no_seconds_are_no_limit(clock: Clock) -> None:
    throttle = Throttle(0, clock=clock)
    assert throttle.allow()
    assert throttle.allow()


def test_one_time_may_count_for_longer_and_be_taken_back(clock: Clock) -> None:
    throttle = Throttle(60, clock=clock)
    assert throttle.allow("a", seconds=600)
    clock.now = 500
    assert not throttle.allow("a")
    throttle.forget("a")
    assert throttle.allow("a")


def test_subjects_beyond_the_most_are_forgotten_oldest_first(clock: Clock) -> None:
    throttle = Throttle(60, clock=clock, most=2)
    for subject in "abc":
        assert throttle.allow(subject)
    assert not throttle.allow("c")
    assert throttle.allow("a")


def test_a_warning_is_logged_once_a_minute_for_each_subject(clock: Clock) -> None:
    log = RateLimitedLog(structlog.get_logger(), clock=clock)
    with capture_logs() as logs:
        for _ in range(3):
            log.warning("failed", subject="search", part="search")
            log.warning("failed", subject="profile", part="profile")
        clock.now = 60
        log.warning("failed", subject="search", part="search")
    assert [entry["part"] for entry in logs] == ["search", "profile", "search"]


def test_what_goes_on_is_logged_once_and_again_after_it_was_gone(clock: Clock) -> None:
    log = RateLimitedLog(structlog.get_logger(), clock=clock)
    with capture_logs() as logs:
        for _ in range(10):
            log.warn_once("failed")
            clock.now += 30
        assert len(logs) == 1
        clock.now += 60
        log.warn_once("failed")
    assert len(logs) == 2


async def test_what_happens_thousands_of_times_is_counted_in_one_line() -> None:
    counted = CountedWarning(structlog.get_logger(), "dropped", seconds=3600, gathering=0.01)
    with capture_logs() as logs:
        for number in range(1000):
            counted.add(last=number)
        while not logs:
            await asyncio.sleep(0.01)
        counted.add(last=1000)
        await asyncio.sleep(0.05)
        assert [(entry["count"], entry["last"]) for entry in logs] == [(1000, 999)]
        counted.flush()
        counted.flush()
    assert [entry["count"] for entry in logs] == [1000, 1]


def test_a_bounded_dict_lets_go_of_what_was_used_longest_ago() -> None:
    entries = BoundedDict[str, int](2)
    entries["a"], entries["b"] = 1, 2
    assert entries["a"] == 1
    entries["c"] = 3
    assert dict(entries.items()) == {"a": 1, "c": 3}
    assert entries.pop("a") == 1
    assert "b" not in entries
