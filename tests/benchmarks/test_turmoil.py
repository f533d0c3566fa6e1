"""The benchmark of random sequences counts what it says."""

from tests.benchmarks.turmoil import measure, table


def test_it_counts_what_happened() -> None:
    result = measure(2)
    assert result.sequences == 2
    assert 16 <= result.steps <= 48
    assert 0 < result.turns < result.steps
    assert result.calls > result.turns
    assert table(result).row_count == 10


def test_the_same_seed_is_the_same_life() -> None:
    one, same, other = measure(1, 7), measure(1, 7), measure(1, 8)
    assert (one.steps, one.turns, one.calls) == (same.steps, same.turns, same.calls)
    assert (one.steps, one.turns, one.calls) != (other.steps, other.turns, other.calls)
