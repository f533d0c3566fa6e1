"""LanceDB's hybrid search, embedded, with a table a person."""

from collections.abc import Sequence
from pathlib import Path

import lancedb
from lancedb.index import FTS

from tests.benchmarks.peers.peer import Embedder, Said


class LanceHybrid:
    """Words and vectors, joined by LanceDB's default, reciprocal-rank fusion. No vector index:
    at this size LanceDB compares all vectors, which is exact."""

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        """A store in the directory that is given its vectors."""
        self._database = lancedb.connect(directory)
        self._embedder = embedder
        self._tables: dict[str, lancedb.table.Table] = {}

    def index(self, person: str, turns: Sequence[Said]) -> None:
        """See Peer. All turns go in by one call, then the words are indexed."""
        rows = [
            {
                "id": turn.id,
                "text": turn.attributed,
                "vector": self._embedder.document(turn.attributed),
            }
            for turn in turns
        ]
        table = self._database.create_table(f"person{len(self._tables)}", rows)
        # The default parts words at spaces and finds none in Chinese; on English the two are equal
        # (0.40.0, words alone, three conversations of LoCoMo: R@10 62.0 by default, 61.9 so).
        table.create_index("text", config=FTS(base_tokenizer="icu"))
        self._tables[person] = table

    def search(self, person: str, query: str, k: int) -> list[str]:
        """See Peer."""
        found = (
            self._tables[person]
            .search(query_type="hybrid")
            .vector(self._embedder.query(query))
            .text(query)
            .limit(k)
            .select(["id"])
            .to_list()
        )
        return [row["id"] for row in found]

    def close(self) -> None:
        """See Peer. LanceDB has nothing to close."""
