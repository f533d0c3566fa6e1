"""Chroma, embedded, with a collection a person."""

from collections.abc import Sequence
from pathlib import Path

import chromadb
from chromadb.config import Settings

from tests.benchmarks.peers.peer import Embedder, Said


class Chroma:
    """Vectors alone: Chroma's embedded server has no ranking by words."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in the directory that is given its vectors."""
        self._client = chromadb.PersistentClient(
            str(directory), settings=Settings(anonymized_telemetry=False)
        )
        self._embedder = embedder
        self._collections: dict[str, chromadb.Collection] = {}

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer. All turns go in by one call."""
        collection = self._client.create_collection(
            f"person-{len(self._collections)}",
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine"}},
        )
        self._collections[person] = collection
        texts = [turn.attributed for turn in turns]
        collection.add(
            ids=[turn.id for turn in turns],
            documents=texts,
            embeddings=[self._embedder.document(text) for text in texts],
        )

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer."""
        found = self._collections[person].query(
            query_embeddings=[self._embedder.query(query)], n_results=k
        )
        return list(found["ids"][0])

    def close(self) -> None:
        """See Peer."""
        self._client.close()
