"""Both engines behind the port `Databases`."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from memory.stores.database import Databases
from memory.stores.sqlite.database import SqliteDatabases

ENGINES = ("sqlite", "postgres")


@contextmanager
def databases_on(engine: str, directory: Path) -> Iterator[Databases]:
    """Empty databases: files in the directory, or a schema of their own on a server."""
    if engine == "sqlite":
        with ThreadPoolExecutor(2) as pool:
            yield SqliteDatabases(directory, pool)
        return
    # Most tests need no server.
    from tests.fakes.postgres import postgres_server

    with postgres_server() as server:
        yield server
