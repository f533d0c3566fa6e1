"""Long-term memory on PostgreSQL, for any number of workers."""

from concurrent.futures import Executor
from typing import TYPE_CHECKING

from memory.search.ranking import Weights
from memory.stores.postgres.records.engine import PeopleOnServer
from memory.stores.records.store import TableStore, vector_table
from memory.understanding import Embedder

if TYPE_CHECKING:
    from memory.stores.postgres.server import PostgresServer


class PostgresStore(TableStore):
    """The Store on a server. `relevance_decay` is the share of freshness a memory keeps each month,
    0 to 1."""

    def __init__(
        self,
        server: "PostgresServer",
        pool: Executor,
        *,
        relevance_decay: float = 0.9,
        embedder: Embedder | None = None,
        embedding_seconds: float = 0.7,
    ) -> None:
        """Server, pool and embedder stay the caller's. Raises NewerStore, StoreUnavailable, and
        ImportError if there is an embedder and no numpy."""
        weights = Weights(decay=relevance_decay)
        people = PeopleOnServer(server, pool, weights, vector_table(embedder))
        super().__init__(people, embedder, embedding_seconds)
