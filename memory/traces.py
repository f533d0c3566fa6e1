"""What a forgotten thing leaves behind in a store that extracts by itself, apart from its record:
the messages in which it was said, and what the store still makes of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.records import Turn


@dataclass(frozen=True, slots=True)
class Traces:
    """How such a store recognizes a forgotten thing: by the `statements` that say it, by the known
    `turns` that told it, and by the `moments` at which it was said. `whole` if all that was said
    then is forgotten: a message, with every statement in it."""

    statements: tuple[str, ...]
    turns: tuple[Turn, ...] = ()
    moments: tuple[datetime, ...] = ()
    whole: bool = False


def is_same_moment(told: datetime, said_at: datetime) -> bool:
    """True if a store that tells this moment may mean the other: stores keep milliseconds, or whole
    seconds."""
    if told.microsecond == 0 and told == said_at.replace(microsecond=0):
        return True
    return abs(told - said_at) < timedelta(milliseconds=2)


@dataclass(frozen=True, slots=True)
class Remainder:
    """What a store has not deleted yet of what was erased. It shows none of it, and goes on trying.
    `until` is when the messages expire at the latest."""

    records: bool = False
    messages: bool = False
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.records or self.messages
