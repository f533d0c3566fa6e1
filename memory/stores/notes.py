"""Values that a file keeps by name."""

from memory.stores.database import Database
from memory.stores.values import text_of

NOTES = "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"


class Notes:
    """The table `note`. Both methods raise StoreUnavailable."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, name: str) -> str | None:
        sql = "SELECT value FROM note WHERE name = ?"
        rows = await self._db.read(lambda row: text_of(row[0]), sql, name)
        return rows[0] if rows else None

    async def put(self, name: str, value: str) -> None:
        await self._db.write("INSERT OR REPLACE INTO note VALUES (?, ?)", name, value)
