"""What people have chosen, in their files."""

from datetime import datetime
from typing import TYPE_CHECKING

from memory.records import Actor, Choice, Choices
from memory.stores.sqlite.person import PersonFile

if TYPE_CHECKING:
    from memory.stores.sqlite.store import SqliteStore


class SqliteChoices:
    """See ChoiceStore."""

    def __init__(self, store: "SqliteStore") -> None:
        self._store = store

    async def get(self, actor: Actor) -> Choices:
        known = await self._store.ask(actor, PersonFile.choices) or {}
        # A name that this version does not know may be there.
        return Choices(**{name.value: known.get(name.value) for name in Choice})

    async def set(self, actor: Actor, choice: Choice, value: str, at: datetime) -> None:
        moment = at.timestamp()
        await self._store.write(actor, lambda file: file.choose(choice.value, value, moment))

    async def unset(self, actor: Actor, choice: Choice) -> None:
        await self._store.ask(actor, lambda file: file.unchoose(choice.value))
