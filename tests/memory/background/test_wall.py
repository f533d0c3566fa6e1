"""A clock that leaps is noticed, and a server's time counts instead."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.background.wall import WallClock

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

#: A little more or less than an hour apart, or much more.
errors = st.one_of(
    st.integers(-3500, 3500), st.integers(3700, 10**8), st.integers(-(10**8), -3700)
).map(lambda seconds: timedelta(seconds=seconds))


class Machine:
    """A machine whose clock can be set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now, self.uptime = now, 0.0
        self.wall = WallClock(lambda: self.now, lambda: self.uptime)

    def wait(self, span: timedelta) -> None:
        self.now += span
        self.uptime += span.total_seconds()


@given(errors, st.timedeltas(timedelta(), 30 * DAY))
def test_the_time_is_right_within_an_hour_once_a_server_told_it(
    error: timedelta, later: timedelta
) -> None:
    machine = Machine(NOON + error)
    assert machine.wall() == NOON + error, "nobody knows better"
    machine.wall.hear(NOON)
    machine.wait(later)
    assert abs(machine.wall() - (NOON + later)) <= HOUR
    assert machine.wall.is_right(None) is (abs(error) <= HOUR)


@given(errors)
def test_a_leap_while_the_process_runs_is_noticed(leap: timedelta) -> None:
    machine = Machine()
    assert machine.wall.is_right(None)
    machine.wait(5 * DAY)
    assert machine.wall.is_right(None), "time passes"
    machine.now += leap
    assert machine.wall.is_right(None) is (abs(leap) <= HOUR)


@given(st.timedeltas(-DAY, DAY), st.timedeltas(-DAY, DAY), st.timedeltas(timedelta(), DAY))
def test_workers_whose_clocks_differ_tell_the_same_time_once_they_follow_one_clock(
    one: timedelta, other: timedelta, later: timedelta
) -> None:
    machines = Machine(NOON + one), Machine(NOON + other)
    for machine in machines:
        machine.wall.follow(NOON)
        machine.wait(later)
        machine.now -= HOUR  # whatever their own clocks do
    assert [machine.wall() for machine in machines] == [NOON + later] * 2


def test_a_shared_clock_that_is_wrong_gives_way_to_a_server_s() -> None:
    machine = Machine()
    machine.wall.follow(NOON + DAY)
    assert machine.wall() == NOON + DAY
    machine.wall.hear(NOON)
    assert machine.wall() == NOON
    assert not machine.wall.is_right(None)


@pytest.mark.parametrize(
    ("since", "right"),
    [(HOUR, True), (2 * DAY, True), (3 * DAY, False), (800 * DAY, False), (-DAY, False)],
)
def test_after_a_start_the_last_right_time_counts_until_a_server_confirms(
    since: timedelta, right: bool
) -> None:
    machine = Machine(NOON + since)
    assert machine.wall.is_right(NOON) is right
    machine.wall.hear(NOON + since)
    assert machine.wall.is_right(NOON), "it was off for so long"


def test_where_nobody_tells_the_time_a_long_break_is_believed() -> None:
    alone = WallClock(lambda: NOON + 300 * DAY, off=365 * DAY)
    assert alone.is_right(NOON)
    assert not WallClock(lambda: NOON + 800 * DAY, off=365 * DAY).is_right(NOON)


def test_a_wrong_clock_is_logged_once(capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(NOON + 400 * DAY)
    for _ in range(3):
        machine.wall.hear(NOON)
    logged = capsys.readouterr().out
    assert logged.count("clock_wrong") == 1
    assert "hours_ahead=9600.0" in logged
