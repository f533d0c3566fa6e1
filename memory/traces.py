"""What is left of a forgotten thing outside the records: the messages that a store which extracts
by itself keeps of what was said, and what it still makes of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.records import Turn


@dataclass(frozen=True, slots=True)
class Traces:
    """By what such a store recognizes a forgotten thing: the `statements` of it in words, the
    `turns` that told it, as far as they are known, and the `moments` when it was said."""

    statements: tuple[str, ...]
    turns: tuple[Turn, ...] = ()
    moments: tuple[datetime, ...] = ()


def is_same_moment(told: datetime, said_at: datetime) -> bool:
    """True if a store that tells this moment may mean the other: stores keep milliseconds, or whole
    seconds."""
    if told.microsecond == 0 and told == said_at.replace(microsecond=0):
        return True
    return abs(told - said_at) < timedelta(milliseconds=2)


@dataclass(frozen=True, slots=True)
class Left:
    """What a store has not deleted yet of what was erased, although it shows none of it any more
    and goes on trying. `until` is when it deletes the messages by itself at the latest."""

    records: bool = False
    messages: bool = False
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.records or self.messages
