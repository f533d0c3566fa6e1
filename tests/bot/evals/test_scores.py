"""The measures of retrieval, against values worked out by hand."""

import math

import pytest

from bot.evals.recall import Score, percentile, score_of


def test_a_perfect_answer_scores_1_everywhere() -> None:
    assert score_of(["a", "b", "x"], {"a", "b"}) == Score(1, 1, 1, 1, 1, 1)


def test_an_answer_without_gold_scores_0() -> None:
    assert score_of(["x", "y"], {"a"}) == Score()
    assert score_of([], {"a"}) == Score()


def test_places_decide_the_measures() -> None:
    found = [f"x{n}" for n in range(5)] + ["a"] + [f"y{n}" for n in range(6)] + ["b"]
    score = score_of(found, {"a", "b", "c", "d"})
    assert (score.r5, score.r10, score.r25) == (0, 0.25, 0.5)
    assert score.mrr == pytest.approx(1 / 6)
    assert score.any10 == 1
    ideal = sum(1 / math.log2(place + 2) for place in range(4))
    assert score.ndcg10 == pytest.approx((1 / math.log2(7)) / ideal)


def test_the_mean_is_by_measure_and_zero_of_nothing() -> None:
    assert Score.mean([Score(r5=1), Score(r10=1)]) == Score(r5=0.5, r10=0.5)
    assert Score.mean([]) == Score()


def test_percentiles_are_values_that_were_measured() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert percentile(values, 0.5) == 3.0
    assert percentile(values, 0.95) == 5.0
    assert percentile([], 0.5) == 0.0
