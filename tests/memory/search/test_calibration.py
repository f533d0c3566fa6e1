"""What the cosines of a model mean, whatever the model."""

from collections.abc import Sequence

import pytest

from memory.search.calibration import (
    UNRELATED,
    Calibration,
    calibrate,
    unit,
)
from tests.fakes.embedders import WordEmbedder

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
