"""Words and meaning as one relevance, and what a model's cosines mean."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.fusion import (
    UNRELATED,
    Calibration,
    FusionWeights,
    Nearness,
    Scale,
    calibrate,
    fuse,
    unit,
)
from memory.search.ranking import Candidate, Ranked, Weights
from tests.fakes.embedders import WordEmbedder

NOW = 1_790_000_000.0
SCALE = Scale(chance=0.2, unrelated=0.3, alike=0.8)
PLAIN = Candidate(length=5, at=NOW, context=0)
REPLY = PLAIN._replace(assistant=True)


def relevances(
    words: dict[int, float],
    cosines: dict[int, float],
    candidates: dict[int, Candidate] | None = None,
    lowest: float = -0.1,
) -> dict[int, float]:
    """The fused relevance of each document, best first."""
    ranked = sorted((Ranked(d, score) for d, score in words.items()), key=lambda r: -r.relevance)
    known = {d: PLAIN for d in words.keys() | cosines.keys()} | (candidates or {})
    fused = fuse(ranked, Nearness(cosines, lowest), known, SCALE, NOW, Weights())
    return {one.document: one.relevance for one in fused}


def test_without_any_likeness_the_words_decide_alone() -> None:
    found = relevances({1: 0.9, 2: 0.3}, {1: 0.1, 2: 0.2, 3: 0.19})
    assert found[1] == pytest.approx(0.9)
    assert found[2] == pytest.approx(0.3)
    assert found[3] == 0


def test_without_any_words_the_meaning_decides_alone() -> None:
    found = relevances({}, {1: 0.7, 2: 0.5})
    assert list(found) == [1, 2]
    assert found[1] == pytest.approx(SCALE.relevance(0.7))


def test_a_faint_word_does_not_come_before_a_clear_meaning() -> None:
    assert next(iter(relevances({1: 0.05}, {1: 0.0, 2: 0.7}))) == 2


def test_both_together_come_before_either() -> None:
    assert next(iter(relevances({1: 0.8, 2: 0.8}, {2: 0.7, 3: 0.7, 1: 0.0}))) == 2


def test_what_matches_neither_in_words_nor_in_meaning_is_irrelevant() -> None:
    found = relevances({1: 0.1}, {1: 0.35, 2: 0.38})
    assert all(relevance < 0.2 for relevance in found.values())


def test_the_users_own_words_come_before_the_assistants() -> None:
    found = relevances({}, {1: 0.7, 2: 0.65}, {1: REPLY})
    assert list(found) == [2, 1]


def test_a_message_is_lifted_by_its_neighbour() -> None:
    said = PLAIN._replace(session="a")
    apart = PLAIN._replace(session="b")
    found = relevances({}, {1: 0.7, 2: 0.5, 9: 0.5}, {1: said, 2: said, 9: apart})
    assert found[2] > found[9]


def test_a_record_alone_in_the_memory_can_be_found() -> None:
    assert relevances({}, {1: 0.7}, lowest=0.7)[1] > 0.2


def test_of_equals_the_newer_comes_first() -> None:
    older = PLAIN._replace(at=NOW - 1)
    assert list(relevances({1: 0.5, 2: 0.5}, {}, {1: older})) == [2, 1]


def test_the_old_fade_by_meaning_as_they_do_by_words() -> None:
    old = PLAIN._replace(at=NOW - 400 * 86_400)
    found = relevances({}, {1: 0.7, 2: 0.7}, {1: old})
    assert found[1] < found[2]


_SHARES = st.dictionaries(st.integers(1, 12), st.floats(0, 1), max_size=8)


@given(_SHARES, st.dictionaries(st.integers(1, 12), st.floats(-1, 1), max_size=8))
def test_relevance_is_never_more_than_the_better_evidence(
    words: dict[int, float], cosines: dict[int, float]
) -> None:
    found = relevances(words, cosines, lowest=min(cosines.values(), default=0.0))
    best = max([*words.values(), *map(SCALE.relevance, cosines.values()), 0.0])
    assert all(-1e-9 <= relevance <= best + 1e-9 for relevance in found.values())
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert set(words) <= set(found)


def test_neither_words_nor_meaning_decide_alone() -> None:
    weights = FusionWeights()
    assert 0 < weights.vector < 1


QUESTION = "Where does my brother Tom study?"


class Leaning(WordEmbedder):
    """Puts all texts near to each other, as models made for search often do."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        return [[*numbers, 3.0] for numbers in await super().embed(texts, query=query)]


class Blind(WordEmbedder):
    """Tells nothing apart."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]


@pytest.mark.parametrize("model", [WordEmbedder(), Leaning()])
async def test_answers_are_relevant_and_unrelated_texts_are_not_however_near_a_model_puts_all(
    model: WordEmbedder,
) -> None:
    calibration = await calibrate(model)
    question, answer, text = await model.embed([QUESTION, "Tom brother study", UNRELATED[0]])
    scale = calibration.scale(question)
    assert scale.relevance(_cosine(question, answer)) > 0.2
    assert scale.relevance(_cosine(question, text)) == 0


async def test_a_model_that_tells_nothing_apart_makes_nothing_relevant() -> None:
    scale = (await calibrate(Blind())).scale([1.0, 0.0])
    assert scale.relevance(1.0) == 0


def test_what_is_near_to_unrelated_texts_needs_more_to_be_relevant() -> None:
    calibration = Calibration(((1.0, 0.0),) * 6, margin=0.3)
    assert calibration.scale([1.0, 0.1]).unrelated > calibration.scale([0.1, 1.0]).unrelated


@pytest.mark.parametrize("numbers", [[0.0, 0.0], []])
def test_a_vector_without_direction_is_no_error(numbers: list[float]) -> None:
    assert unit(numbers) == tuple(numbers)


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(unit(one), unit(other), strict=True))
