"""The panels in the journal's database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.panels import PanelRow
from memory.records import Actor
from memory.stores.database import Connection, Database
from memory.stores.layout import Row
from memory.stores.values import integer_of, stamp, text_of, time_of

_SAVE = """INSERT INTO panel (id, actor, owner, opened_at, state) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET actor = excluded.actor, owner = excluded.owner,
        opened_at = excluded.opened_at, state = excluded.state"""


class SqlPanels:
    """See memory.panels.PanelRows."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, panel_id: str) -> PanelRow | None:
        sql = "SELECT id, actor, owner, opened_at, state FROM panel WHERE id = ?"
        found = await self._db.read(_panel_of, sql, panel_id)
        return found[0] if found else None

    async def save(self, rows: Sequence[PanelRow], expired: datetime) -> None:
        values = [(r.id, r.actor.id, r.owner, stamp(r.opened_at), r.state) for r in rows]

        def work(db: Connection) -> None:
            db.executemany(_SAVE, values)
            db.execute("DELETE FROM panel WHERE opened_at < ?", (stamp(expired),))

        await self._db.change(work)


def _panel_of(row: tuple[Any, ...]) -> PanelRow:
    id_, actor, owner, opened_at, state = row
    return PanelRow(id_, Actor(actor), integer_of(owner), time_of(opened_at), text_of(state))


def read_panel(row: Row) -> Row:
    """See Layout."""
    _panel_of(tuple(row[name] for name in ("id", "actor", "owner", "opened_at", "state")))
    return row
