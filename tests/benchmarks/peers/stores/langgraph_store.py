"""LangGraph's long-term stores: the one in memory, and the one on SQLite with sqlite-vec."""

from collections.abc import Sequence
from pathlib import Path

from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, IndexConfig
from langgraph.store.memory import InMemoryStore

from tests.benchmarks.peers.peer import DIMENSIONS, Embedder, Said


class _Shared(Embeddings):  # type: ignore[misc]  # its package is not installed here
    """The common vectors, by the interface that LangGraph asks for. The store on SQLite has its
    questions embedded as documents, so `asking` tells what the texts are."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.asking = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        embed = self._embedder.query if self.asking else self._embedder.document
        return [embed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.query(text)


class _Namespaced:
    """Either store, with a namespace a person."""

    def __init__(self, store: BaseStore, vectors: _Shared) -> None:
        self._store = store
        self._vectors = vectors

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer. One call a turn: the store in memory refuses a batch in which a text comes
        twice. What to embed is said in each call, because the one on SQLite does not read it from
        its configuration and would embed the JSON around the text as well."""
        self._vectors.asking = False
        for turn in turns:
            value = {"text": turn.attributed}
            self._store.put(("memories", person), turn.id, value, index=["text"])

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer."""
        self._vectors.asking = True
        return [item.key for item in self._store.search(("memories", person), query=query, limit=k)]


class InMemory(_Namespaced):
    """What the tutorials use. Nothing is kept when the process ends."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in memory; the directory stays empty."""
        vectors = _Shared(embedder)
        super().__init__(InMemoryStore(index=_index(vectors)), vectors)

    def close(self) -> None:
        """See Peer. There is nothing to close."""


class Sqlite(_Namespaced):
    """The embedded store that keeps what it is given."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in one file. Raises AttributeError where Python was built without extensions
        of SQLite, which sqlite-vec is one of."""
        from langgraph.store.sqlite import SqliteStore

        vectors = _Shared(embedder)
        self._context = SqliteStore.from_conn_string(
            str(directory / "store.sqlite"), index=_index(vectors)
        )
        store = self._context.__enter__()
        store.setup()
        super().__init__(store, vectors)

    def close(self) -> None:
        """See Peer."""
        self._context.__exit__(None, None, None)


def _index(vectors: _Shared) -> IndexConfig:
    return {"dims": DIMENSIONS, "embed": vectors, "fields": ["text"]}
