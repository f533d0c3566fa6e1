"""mem0 as it runs without a network: no language model, a local embedder, its default local store.

Its ranking by words needs a model that a hub serves at run time, and so does its ranking by names;
what is left is the ranking by vectors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mem0 import Memory

from tests.benchmarks.peers.peer import DIMENSIONS, Embedder, Said


class _Shared:
    """The common vectors, by the interface that mem0 asks for."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        if memory_action == "add":
            return self._embedder.document(text)
        return self._embedder.query(text)


class Mem0:
    """One collection in Qdrant's local mode, people told apart by a filter."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in the directory that is given its vectors."""
        self._memory = Memory.from_config(_configuration(directory))
        self._memory.embedding_model = _Shared(embedder)

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer. One call a turn, because the id of a turn is metadata of the call."""
        for turn in turns:
            self._memory.add(
                [{"role": turn.role, "content": turn.attributed}],
                user_id=person,
                metadata={"turn": turn.id},
                infer=False,
            )

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer. Without mem0's threshold, which would make the list shorter."""
        found = self._memory.search(query, top_k=k, filters={"user_id": person}, threshold=0.0)
        return [hit["metadata"]["turn"] for hit in found["results"]]

    def close(self) -> None:
        """See Peer."""
        self._memory.close()
        self._memory.vector_store.client.close()


def _configuration(directory: Path) -> dict[str, Any]:
    """The language model and the embedder that it names are made and never asked."""
    unused = {"api_key": "unused", "openai_base_url": "http://127.0.0.1:9"}
    return {
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "collection_name": "memories",
                "path": str(directory / "qdrant"),
                "embedding_model_dims": DIMENSIONS,
                "on_disk": True,
            },
        },
        "llm": {"provider": "openai", "config": unused},
        "embedder": {
            "provider": "openai",
            "config": {**unused, "embedding_dims": DIMENSIONS},
        },
        "history_db_path": str(directory / "history.sqlite"),
    }
