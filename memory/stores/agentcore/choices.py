"""What people have chosen, as records of AgentCore: it keeps nothing but texts, so that a choice is
a preference in the user's words, in a slot of its own."""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from memory.records import Actor, Choice, Choices, Draft, Kind, Record

#: The slot of each choice, and the sentence around its value. What was stored stays readable.
_ENCODED = {
    Choice.AGENT_NAME: ("agent_name", 'I call you "{}"'),
    Choice.LANGUAGE: ("language", 'My language here is "{}"'),
    Choice.TIME_ZONE: ("time_zone", 'My time zone is "{}"'),
    Choice.ANSWER_LENGTH: ("reply_length", 'The answers I want are "{}"'),
    Choice.STREAMING: ("streaming", 'While an answer is written I see it by "{}"'),
}
_BY_SLOT = {
    slot: (choice, re.compile(re.escape(text).replace(r"\{\}", "(.+)")))
    for choice, (slot, text) in _ENCODED.items()
}


def decode(record: Record | Draft) -> tuple[Choice, str] | None:
    """The choice that a record holds, and its value; None for any other record."""
    if record.kind is not Kind.PREFERENCE or record.slot not in _BY_SLOT:
        return None
    choice, pattern = _BY_SLOT[record.slot]
    found = pattern.fullmatch(record.text)
    return (choice, found.group(1)) if found else None


class AgentCoreChoices:
    """See ChoiceStore."""

    def __init__(
        self,
        read: Callable[[Actor], Awaitable[list[Record]]],
        write: Callable[[Actor, Sequence[Draft]], Awaitable[list[Record]]],
        delete: Callable[[Actor, Sequence[str]], Awaitable[list[str]]],
    ) -> None:
        """`read` gives all of an actor's preferences, superseded ones and choices too."""
        self._read, self._write, self._delete = read, write, delete

    async def get(self, actor: Actor) -> Choices:
        current = filter(None, (decode(r) for r in await self._read(actor) if r.current))
        return Choices(**{choice.value: value for choice, value in current})

    async def set(self, actor: Actor, choice: Choice, value: str, at: datetime) -> None:
        """See ChoiceStore. The previous value stays as history, because AWS is slow to delete."""
        slot, text = _ENCODED[choice]
        old = next((r for r in await self._of(actor, choice) if r.current), None)
        if old and decode(old) == (choice, value):
            return
        draft = Draft(
            Kind.PREFERENCE,
            text.format(value),
            at,
            slot=slot,
            importance=10,
            supersedes=old.id if old else None,
        )
        await self._write(actor, [draft])

    async def unset(self, actor: Actor, choice: Choice) -> None:
        """See ChoiceStore. Former ones go as well."""
        if made := [record.id for record in await self._of(actor, choice)]:
            await self._delete(actor, made)

    async def _of(self, actor: Actor, choice: Choice) -> list[Record]:
        found = [(record, decode(record)) for record in await self._read(actor)]
        return [record for record, chosen in found if chosen and chosen[0] is choice]
