"""The store of the program for tests that need just any: in a directory of its own."""

import asyncio
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from memory.stores.sqlite.store import SqliteStore


class TemporaryStore(SqliteStore):
    """A Store that lasts as long as the test that makes it."""

    _open: ClassVar[list["TemporaryStore"]] = []

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="mordecai-test-")
        self._thread = ThreadPoolExecutor(1, "store")
        super().__init__(Path(self._folder), self._thread)
        self._open.append(self)

    @classmethod
    def remove_all(cls) -> None:
        """Close what tests have left open, and delete it."""
        while cls._open:
            store = cls._open.pop()
            asyncio.run(store.aclose())
            store._thread.shutdown()
            shutil.rmtree(store._folder)
