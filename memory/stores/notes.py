"""Values that a database keeps by name."""

from memory.stores.database import Database
from memory.stores.values import text_of


def notes_table(name: str) -> str:
    """The statement that makes a table of notes."""
    return f"CREATE TABLE {name} (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"


class Notes:
    """A table of notes. Both methods raise StoreUnavailable."""

    def __init__(self, db: Database, table: str = "note") -> None:
        self._db, self._table = db, table

    async def get(self, name: str) -> str | None:
        sql = f"SELECT value FROM {self._table} WHERE name = ?"
        rows = await self._db.read(lambda row: text_of(row[0]), sql, name)
        return rows[0] if rows else None

    async def put(self, name: str, value: str) -> None:
        sql = (
            f"INSERT INTO {self._table} (name, value) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        )
        await self._db.write(sql, name, value)
