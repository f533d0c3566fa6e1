"""Long-term memory on SQLite: one file a person, nothing to install and nothing to run."""

from concurrent.futures import Executor
from pathlib import Path

from memory.records import Actor
from memory.search.ranking import Weights
from memory.stores.records.store import TableStore, vector_table
from memory.stores.sqlite.files import MAX_OPEN, PersonFiles
from memory.stores.sqlite.person import PersonFile
from memory.understanding import Embedder


class SqliteStore(TableStore):
    """The embedded Store. `relevance_decay` is the share of freshness a memory keeps each
    month, 0 to 1."""

    def __init__(
        self,
        directory: Path,
        pool: Executor,
        *,
        relevance_decay: float = 0.9,
        max_open: int = MAX_OPEN,
        embedder: Embedder | None = None,
        embedding_seconds: float = 0.7,
    ) -> None:
        """A store of the files in `directory`, which is made when first needed. The pool and the
        embedder stay the caller's. Raises ImportError if there is an embedder and no numpy."""
        weights = Weights(decay=relevance_decay)
        self._files = PersonFiles(directory, pool, weights, vector_table(embedder), max_open)
        super().__init__(self._files, embedder, embedding_seconds)

    def has_loss_to_tell(self, actor: Actor) -> bool:
        return self._files.has_loss_to_tell(actor)

    async def note_loss_told(self, actor: Actor) -> None:
        await self._files.change(actor, PersonFile.note_loss_told)

    async def keep_copy(self, actor: Actor, generations: int) -> None:
        await self._files.change(actor, lambda file: file.keep_copy(generations))
