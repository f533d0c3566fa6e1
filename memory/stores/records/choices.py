"""What people have chosen, in their tables."""

from datetime import datetime
from typing import TYPE_CHECKING

from memory.records import Actor, Choice, Choices
from memory.stores.records.person import Person

if TYPE_CHECKING:
    from memory.stores.records.store import Engine


class TableChoices:
    """See ChoiceStore."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    async def get(self, actor: Actor) -> Choices:
        known = await self._engine.read(actor, Person.choices) or {}
        # A name that this version does not know may be there.
        return Choices(**{name.value: known.get(name.value) for name in Choice})

    async def set(self, actor: Actor, choice: Choice, value: str, at: datetime) -> None:
        moment = at.timestamp()
        await self._engine.write(actor, lambda person: person.choose(choice.value, value, moment))

    async def unset(self, actor: Actor, choice: Choice) -> None:
        await self._engine.change(actor, lambda person: person.unchoose(choice.value))
