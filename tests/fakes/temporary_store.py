"""The store of the program for tests that need just any: in a directory of its own."""

import asyncio
import shutil
import tempfile
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from memory.stores.sqlite.store import SqliteStore


class TemporaryStore(SqliteStore):
    """A Store that lasts as long as the test that makes it."""

    _open: ClassVar[list["TemporaryStore"]] = []

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="mordecai-test-")
        # At the latest when the program ends: a benchmark removes nothing.
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._thread = ThreadPoolExecutor(1, "store")
        super().__init__(Path(folder), self._thread)
        self._open.append(self)

    @classmethod
    def remove_all(cls) -> None:
        """Close what tests have left open, and delete it."""
        while cls._open:
            store = cls._open.pop()
            # The loop of the test has ended: nobody hears there that its last calls are done. They
            # are, before the only thread closes the files.
            store._files._queues._running.clear()
            try:
                asyncio.run(store.aclose())
                store._thread.shutdown()
            finally:
                store._remove()
