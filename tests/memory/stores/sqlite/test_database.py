"""A SQLite file used from asyncio: what is to be wiped is gone, whoever still waits for that."""

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory.stores.sqlite.database import Database, Migration

LAYOUT = (Migration("notes", ("CREATE TABLE note (text TEXT)",)),)


async def test_what_nobody_waits_for_any_more_is_wiped_all_the_same(tmp_path: Path) -> None:
    path, begun, go_on = tmp_path / "notes.sqlite", threading.Event(), threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM note")
        begun.set()
        go_on.wait(30)

    def left() -> bytes:
        return b"".join(part.read_bytes() for part in tmp_path.iterdir())

    with ThreadPoolExecutor(2) as pool:
        database = Database(path, LAYOUT, pool)
        await database.write("INSERT INTO note VALUES (?)", "my secret zanzibar plan")
        assert b"zanzibar" in left()
        wiping = asyncio.create_task(database.wipe(work))
        await asyncio.to_thread(begun.wait, 30)
        wiping.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await wiping
        assert await database.rows("SELECT * FROM note") == []
        assert b"zanzibar" not in left()
        await database.aclose()
