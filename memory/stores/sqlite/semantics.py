"""Search by meaning, beside search by words: what a store needs an embedder for, in one place.

Importing this needs numpy."""

from datetime import datetime

import structlog

from memory.background.pacing import RateLimitedLog
from memory.ports import Embedder
from memory.records import Actor
from memory.search.fusion import QueryMeaning
from memory.search.query import parse
from memory.stores.sqlite.backfill import EmbeddingBackfill, Keep, Missing
from memory.stores.sqlite.query_embedder import QueryEmbedder
from memory.stores.sqlite.vectors import MAX_EMBEDDED_CHARS, VectorTable

_log = structlog.get_logger(__name__)


class Semantics:
    """An embedder at work: it fills `table` in the background, and tells what queries mean."""

    def __init__(self, embedder: Embedder, seconds: float, missing: Missing, keep: Keep) -> None:
        """`missing` and `keep` reach the table in an actor's file; a query may take `seconds`."""
        self.table = VectorTable(embedder.name)
        self._log = RateLimitedLog(_log)
        self._backfill = EmbeddingBackfill(embedder, missing, keep, self._complain)
        self._queries = QueryEmbedder(embedder, seconds, self._complain)

    def changed(self, actor: Actor) -> None:
        """This actor has new records, which need vectors."""
        self._queries.prepare()
        self._backfill.changed(actor)

    def seen(self, actor: Actor) -> None:
        """This actor is here, maybe with records that have no vectors."""
        self._backfill.seen(actor)

    async def meaning(self, query: str, now: datetime) -> QueryMeaning | None:
        """What a query means; None for one that asks for nothing but dates or has nothing to say,
        and while the embedder does not answer."""
        if not parse(query, now).topical:
            return None
        return await self._queries.of(query[:MAX_EMBEDDED_CHARS])

    async def settle(self) -> None:
        """Return when no vector is missing any more, and queries can be understood. Waits for ever
        while the embedder fails."""
        await self._backfill.settle()
        await self._queries.settle()

    async def aclose(self) -> None:
        """Stop what runs."""
        await self._backfill.aclose()
        await self._queries.aclose()

    def _complain(self, failure: Exception) -> None:
        self._log.warning(
            "embedder_failed",
            embedder=self.table.embedder,
            error=str(failure) or type(failure).__name__,
            effect="search goes on by words alone",
        )
