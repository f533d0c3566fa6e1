"""Empty stores for evaluations, which throw them away."""

import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from bot.stores import postgres_needed
from memory.stores.records.store import TableStore
from memory.stores.sqlite.store import SqliteStore
from memory.understanding import Embedder

#: Seconds a query may wait for its vector: a slow machine must not turn into another result.
PATIENCE = 60.0


class Stores(Protocol):
    """Where an evaluation keeps what it is told."""

    #: What all of it takes, in bytes; known once the stores are closed.
    size: int

    def store(self, embedder: Embedder | None) -> TableStore:
        """A store of somebody of whom nothing is known."""
        ...


class _Files:
    def __init__(self, directory: Path, pool: Executor) -> None:
        self._directory, self._pool = directory, pool
        self.size = 0

    def store(self, embedder: Embedder | None) -> TableStore:
        directory = Path(tempfile.mkdtemp(dir=self._directory))
        return SqliteStore(directory, self._pool, embedder=embedder, embedding_seconds=PATIENCE)

    def measure(self) -> None:
        self.size = sum(file.stat().st_size for file in self._directory.glob("*/*"))


@contextmanager
def throwaway_stores(database: str | None) -> Iterator[Stores]:
    """Stores in a directory of their own, or in a schema of their own on the server at this
    address. Raises OperatorError, StoreUnavailable."""
    with ThreadPoolExecutor(1, "eval") as pool:
        if database is None:
            with tempfile.TemporaryDirectory(prefix="mordecai-eval-") as directory:
                files = _Files(Path(directory), pool)
                yield files
                files.measure()
        else:
            with _on_server(database, pool) as server:
                yield server


@contextmanager
def _on_server(database: str, pool: Executor) -> Iterator[Stores]:
    with postgres_needed():
        from memory.stores.postgres.records.store import PostgresStore
        from memory.stores.postgres.server import PostgresServer

    class Server:
        size = 0

        def store(self, embedder: Embedder | None) -> TableStore:
            return PostgresStore(server, pool, embedder=embedder, embedding_seconds=PATIENCE)

    schema = f"mordecai_eval_{uuid.uuid4().hex[:8]}"
    with closing(PostgresServer(database, pool, schema=schema)) as server:
        try:
            yield (stores := Server())
            stores.size = server.size()
        finally:
            server.drop_schema()
