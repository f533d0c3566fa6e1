"""LangGraph's long-term stores: the one in memory, and the one on SQLite with sqlite-vec."""

from collections.abc import Sequence
from pathlib import Path

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, IndexConfig, PutOp
from langgraph.store.memory import InMemoryStore

from tests.benchmarks.peers.peer import DIMENSIONS, Embedder, Said


class _Shared(Embeddings):
    """The common vectors, by the interface that LangGraph asks for."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._embedder.document(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.query(text)


class _Namespaced:
    """Either store, with a namespace a person."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer. All turns go in by one call."""
        self._store.batch(
            [PutOp(("memories", person), turn.id, {"text": turn.attributed}) for turn in turns]
        )

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer."""
        return [item.key for item in self._store.search(("memories", person), query=query, limit=k)]


class InMemory(_Namespaced):
    """What the tutorials use. Nothing is kept when the process ends."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in memory; the directory stays empty."""
        super().__init__(InMemoryStore(index=_index(embedder)))

    def close(self) -> None:
        """See Peer. There is nothing to close."""


class Sqlite(_Namespaced):
    """The embedded store that keeps what it is given."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in one file. Raises AttributeError where Python was built without extensions
        of SQLite, which sqlite-vec is one of."""
        from langgraph.store.sqlite import SqliteStore

        self._context = SqliteStore.from_conn_string(
            str(directory / "store.sqlite"), index=_index(embedder)
        )
        store = self._context.__enter__()
        store.setup()
        super().__init__(store)

    def close(self) -> None:
        """See Peer."""
        self._context.__exit__(None, None, None)


def _index(embedder: Embedder) -> IndexConfig:
    return {"dims": DIMENSIONS, "embed": _Shared(embedder), "fields": ["text"]}
