"""The languages that people's clients have, or that they write in, known to all workers."""

from typing import Protocol

from memory.records import Actor
from memory.stores.database import Database


class Languages(Protocol):
    """Every method raises StoreUnavailable."""

    async def find(self, actor: Actor) -> str | None:
        """The language in which the actor was last met."""
        ...

    async def note(self, actor: Actor, language: str) -> None: ...

    async def erase(self, actor: Actor) -> None: ...


class DatabaseLanguages:
    """See Languages. In the layout "people"."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, actor: Actor) -> str | None:
        sql = "SELECT language FROM client_language WHERE actor = ?"
        rows = await self._db.rows(sql, actor.id)
        return str(rows[0][0]) if rows else None

    async def note(self, actor: Actor, language: str) -> None:
        await self._db.write(
            "INSERT INTO client_language VALUES (?, ?) "
            "ON CONFLICT (actor) DO UPDATE SET language = excluded.language",
            actor.id,
            language,
        )

    async def erase(self, actor: Actor) -> None:
        await self._db.write("DELETE FROM client_language WHERE actor = ?", actor.id)
