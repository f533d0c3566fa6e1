"""What is left of a forgotten thing outside the records: the messages that a store which extracts
by itself keeps of what was said, and what it still makes of them."""

from dataclasses import dataclass
from datetime import datetime

from memory.records import Turn


@dataclass(frozen=True, slots=True)
class Traces:
    """By what such a store recognizes a forgotten thing: the `statements` of it in words, and the
    `turns` that told it, as far as they are known."""

    statements: tuple[str, ...]
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """What a store has not deleted yet of what was erased, although it shows none of it any more
    and goes on trying. `until` is when it deletes the messages by itself at the latest."""

    records: bool = False
    messages: bool = False
    until: datetime | None = None

    def __bool__(self) -> bool:
        return self.records or self.messages
