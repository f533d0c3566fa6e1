"""The panels in the journal's SQLite file."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memory.panels import PanelRow
from memory.records import Actor
from memory.stores.journal.sessions import stamp
from memory.stores.sqlite.database import Database


class SqlitePanels:
    """See memory.panels.PanelRows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, panel_id: str) -> PanelRow | None:
        sql = "SELECT id, actor, owner, opened_at, state FROM panel WHERE id = ?"
        for id_, actor, owner, opened_at, state in await self._db.rows(sql, panel_id):
            return PanelRow(id_, Actor(actor), owner, datetime.fromisoformat(opened_at), state)
        return None

    async def save(self, rows: Sequence[PanelRow], expired: datetime) -> None:
        values = [(r.id, r.actor.id, r.owner, stamp(r.opened_at), r.state) for r in rows]

        def work(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO panel VALUES (?, ?, ?, ?, ?)", values)
            db.execute("DELETE FROM panel WHERE opened_at < ?", (stamp(expired),))

        await self._db.change(work)
