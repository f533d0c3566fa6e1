"""An embedder with a small, fixed idea of meaning: words are the same thing or they are not."""

import asyncio
import re
from collections.abc import Sequence
from zlib import crc32

from memory.understanding import EmbeddingFailed

#: Words that mean the same here, though no letters tell.
ALIKE = (
    {"spaniel", "quadruped", "hound"},
    {"motorbike", "vehicle", "scooter"},
    {"violin", "instrument", "fiddle"},
)

_SIZE = 768
_SMALL = frozenset(
    "a an and am any are as at do does here i in is it me my of on the to what where which".split()
)


class WordEmbedder:
    """A real Embedder: the same texts have the same vectors everywhere and always. `texts` is all
    it was asked to embed as records; `queries` as queries. While `broken` it fails, and while
    `gate` is closed it keeps everybody waiting."""

    def __init__(self, name: str = "words-1") -> None:
        self.name = name
        self.texts: list[str] = []
        self.queries: list[str] = []
        self.broken = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[list[float]]:
        """See Embedder."""
        (self.queries if query else self.texts).extend(texts)
        await self.gate.wait()
        if self.broken:
            raise EmbeddingFailed("the embedder is broken")
        return [vector(text) for text in texts]


def vector(text: str) -> list[float]:
    """How often each thing is mentioned."""
    numbers = [0.0] * _SIZE
    for word in re.findall(r"\w+", text.lower()):
        if word not in _SMALL:
            numbers[_thing(word) % _SIZE] += 1.0
    return numbers


def _thing(word: str) -> int:
    group = next((place for place, words in enumerate(ALIKE) if word in words), None)
    return group if group is not None else len(ALIKE) + crc32(word[:5].encode())
