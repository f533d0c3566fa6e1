"""The ranking formula: what it prefers, and on which scale."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.query import Query, Term
from memory.search.ranking import (
    HEAD,
    OWN,
    REPLY,
    Candidate,
    Corpus,
    Postings,
    WeighedQuery,
    Weights,
    rank,
    shortlist,
)

NOW = datetime(2026, 3, 15, tzinfo=UTC).timestamp()
DAY = 86_400.0
CORPUS = Corpus(size=100, average_length=10)
#: Has nothing before it, unless a test says so: `scores` puts its own number for this.
ALONE = 10**9
PLAIN = Candidate(length=10, at=NOW, context=ALONE)


def query(*words: str) -> Query:
    """A query for these index words."""
    return Query(tuple(Term((word,)) for word in words))


def scores(
    asked: Query,
    postings: Postings,
    candidates: Mapping[int, Candidate],
    weights: Weights | None = None,
) -> dict[int, float]:
    """The relevance of each document, in order of rank."""
    weighed = WeighedQuery(asked, postings, CORPUS, weights or Weights())
    placed = {d: c._replace(context=min(c.context, d)) for d, c in candidates.items()}
    return {r.document: r.relevance for r in rank(weighed, placed, NOW)}


def test_all_that_was_asked_for_at_ordinary_length_is_1() -> None:
    found = scores(query("tea"), {"tea": {1: OWN}}, {1: PLAIN})
    assert found[1] == pytest.approx(1, abs=0.01)


def test_half_of_what_was_asked_for_is_about_a_half() -> None:
    found = scores(query("tea", "oslo"), {"tea": {1: OWN}, "oslo": {2: OWN}}, {1: PLAIN, 2: PLAIN})
    assert 0.4 < found[1] < 0.6


def test_a_word_that_nobody_knows_counts_against_every_record() -> None:
    known = scores(query("tea"), {"tea": {1: OWN}}, {1: PLAIN})
    unknown = scores(query("tea", "zebra"), {"tea": {1: OWN}, "zebra": {}}, {1: PLAIN})
    assert unknown[1] < 0.55 * known[1]


def test_a_torn_pair_that_nobody_knows_counts_less_against_them() -> None:
    torn = Query((Term(("豆豆",), torn=True), Term(("豆今",), torn=True)))
    postings: Postings = {"豆豆": {1: OWN}, "豆今": {}}
    whole = query("豆豆", "豆今")
    assert scores(torn, postings, {1: PLAIN})[1] > 1.4 * scores(whole, postings, {1: PLAIN})[1]


def test_a_word_too_common_to_be_looked_up_counts_against_none() -> None:
    alone = scores(query("tea"), {"tea": {1: OWN}}, {1: PLAIN})
    assert scores(query("tea", "day"), {"tea": {1: OWN}}, {1: PLAIN}) == alone


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    postings = {"tea": {1: OWN}, "day": {d: OWN for d in range(2, 60)}}
    found = scores(query("tea", "day"), postings, {1: PLAIN, 2: PLAIN})
    assert found[1] > 2 * found[2]


def test_a_short_record_comes_before_a_long_one() -> None:
    candidates = {1: replace_length(5), 2: replace_length(500)}
    assert list(scores(query("tea"), {"tea": {1: OWN, 2: OWN}}, candidates)) == [1, 2]


def replace_length(length: int) -> Candidate:
    """A plain candidate of this many words."""
    return PLAIN._replace(length=length)


def test_the_assistants_words_count_less_than_a_persons() -> None:
    candidates = {1: PLAIN._replace(assistant=True), 2: PLAIN}
    assert list(scores(query("tea"), {"tea": {1: REPLY, 2: OWN}}, candidates)) == [2, 1]


def test_what_was_said_before_counts_less_than_own_words() -> None:
    candidates = {1: PLAIN._replace(context=1), 2: PLAIN._replace(context=1)}
    found = scores(query("tea"), {"tea": {1: OWN}}, candidates)
    assert 0 < found[2] < found[1]


def test_context_does_not_reach_beyond_its_session() -> None:
    candidates = {1: PLAIN._replace(context=1), 2: PLAIN._replace(context=2)}
    assert set(scores(query("tea"), {"tea": {1: OWN}}, candidates)) == {1}


def test_a_name_before_is_no_word_before() -> None:
    candidates = {1: PLAIN._replace(context=1), 2: PLAIN._replace(context=1)}
    assert set(scores(query("ann"), {"ann": {1: HEAD}}, candidates)) == {1}


def test_a_named_speaker_and_a_named_day_lift_a_record() -> None:
    asked = Query((Term(("tea",)), Term(("ann",))), frozenset({"§m03"}))
    postings = {"tea": {1: OWN, 2: OWN, 3: OWN}, "ann": {2: HEAD}, "§m03": {2: HEAD, 3: HEAD}}
    assert list(scores(asked, postings, dict.fromkeys((1, 2, 3), PLAIN))) == [2, 3, 1]


def test_a_related_word_stands_in_at_less_weight() -> None:
    asked = Query((Term(("job",), frozenset({"work"})),))
    found = scores(asked, {"job": {1: OWN}, "work": {2: OWN}}, {1: PLAIN, 2: PLAIN})
    assert 0.2 < found[2] < found[1]


def test_a_message_beside_a_good_one_is_lifted_within_its_session_only() -> None:
    postings = {"tea": {1: OWN}, "cup": {d: OWN for d in (1, 2, 9, 20)}}
    here, there = PLAIN._replace(session="a"), PLAIN._replace(session="b")
    found = scores(query("tea", "cup"), postings, {1: here, 2: here, 9: here, 20: there})
    assert list(found) == [1, 2, 9, 20]
    assert found[2] > found[9] > found[20]


def test_learned_records_have_no_neighbours() -> None:
    postings = {"tea": {1: OWN}, "cup": {2: OWN, 9: OWN}}
    found = scores(query("tea", "cup"), postings, dict.fromkeys((1, 2, 9), PLAIN))
    assert found[2] == found[9]


def test_of_two_equal_records_the_newer_comes_first() -> None:
    candidates = {1: PLAIN, 2: PLAIN._replace(at=NOW - 90 * DAY)}
    assert list(scores(query("tea"), {"tea": {1: OWN, 2: OWN}}, candidates)) == [1, 2]


def test_age_takes_away_no_more_than_its_share() -> None:
    old = {1: PLAIN._replace(at=NOW - 36_500 * DAY)}
    found = scores(query("tea"), {"tea": {1: OWN}}, old)
    assert found[1] > 0.85


def test_without_decay_age_means_nothing() -> None:
    candidates = {1: PLAIN, 2: PLAIN._replace(at=NOW - 900 * DAY)}
    weights = replace(Weights(), decay=1.0)
    found = scores(query("tea"), {"tea": {1: OWN, 2: OWN}}, candidates, weights)
    assert found[1] == found[2]


def test_what_matters_more_comes_first_among_equals_and_never_before_a_better_match() -> None:
    candidates = {1: PLAIN._replace(importance=2), 2: PLAIN._replace(importance=9), 3: PLAIN}
    postings = {"tea": {1: OWN, 2: OWN, 3: OWN}}
    found = scores(query("tea"), postings, candidates)
    assert list(found) == [2, 3, 1]
    assert found[2] < 1.1 * found[3]
    postings = {"tea": {1: OWN, 2: OWN}, "cup": {1: OWN}}
    assert list(scores(query("tea", "cup"), postings, candidates)) == [1, 2]


def test_a_query_for_dates_alone_finds_all_of_those_dates() -> None:
    asked = Query(dates=frozenset({"§m03"}), topical=False)
    found = scores(asked, {"§m03": {1: HEAD, 2: HEAD}}, {1: PLAIN, 2: PLAIN})
    assert set(found) == {1, 2}
    assert all(relevance > 0.2 for relevance in found.values())


def test_the_shortlist_keeps_those_that_match_the_rarest_words() -> None:
    postings = {"day": dict.fromkeys(range(1000), OWN), "tea": {7: OWN, 20: OWN, 90: REPLY}}
    weighed = WeighedQuery(query("day", "tea"), postings, Corpus(1000, 10), Weights(shortlist=3))
    assert set(shortlist(weighed)) == {7, 20, 90}


def test_the_shortlist_knows_what_comes_after_a_word() -> None:
    weighed = WeighedQuery(query("tea"), {"tea": {7: OWN}}, Corpus(9, 10, spoken=True), Weights())
    assert set(shortlist(weighed)) == {7, 8, 9}


_FIELDS = st.sampled_from([OWN, REPLY, HEAD, OWN + HEAD, REPLY + HEAD])
_POSTINGS = st.dictionaries(
    st.sampled_from(["tea", "cup", "oslo", "§m03"]),
    st.dictionaries(st.integers(1, 9), _FIELDS, max_size=9),
)
_CANDIDATES = st.builds(
    Candidate,
    length=st.integers(0, 5_000),
    at=st.floats(0, 2 * NOW),
    context=st.integers(0, 2),
    assistant=st.booleans(),
    session=st.sampled_from([None, "a", "b"]),
    importance=st.integers(1, 10),
)


@given(_POSTINGS, st.fixed_dictionaries({d: _CANDIDATES for d in range(1, 10)}))
def test_no_score_is_negative_and_scores_fall_with_rank(
    postings: dict[str, dict[int, int]], candidates: dict[int, Candidate]
) -> None:
    asked = Query((Term(("tea",)), Term(("cup",), frozenset({"oslo"}))), frozenset({"§m03"}))
    relevances = list(scores(asked, postings, candidates).values())
    assert all(relevance >= 0 for relevance in relevances)
    assert relevances == sorted(relevances, reverse=True)
