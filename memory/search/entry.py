"""The index words of a record."""

from dataclasses import dataclass
from datetime import date

from memory.records import Kind, Record, Role
from memory.search.dates import date_words
from memory.search.text import words


@dataclass(frozen=True, slots=True)
class Entry:
    """The index words of one record, each once: its own words with the names that it is about (the
    assistant's words separately) and those of its head: the speaker, the day it was said and the
    day it tells of."""

    own: tuple[str, ...]
    reply: tuple[str, ...]
    head: tuple[str, ...]

    @property
    def length(self) -> int:
        """The number of different words in the record itself."""
        return len(self.own) + len(self.reply)


def entry(record: Record) -> Entry:
    head = words(record.speaker.name if record.speaker else "") + date_words(
        record.created_at.date()
    )
    if record.event_date:
        head += _event_words(record.event_date)
    named = [word for name in record.about for word in words(name)]
    said = tuple(dict.fromkeys(words(record.text) + named))
    own, reply = ((), said) if by_assistant(record) else (said, ())
    return Entry(own, reply, tuple(dict.fromkeys(head)))


def by_assistant(record: Record) -> bool:
    """True for the assistant's words. A message with a speaker's name is a person's."""
    return record.role is Role.ASSISTANT and record.speaker is None


def is_context(record: Record) -> bool:
    """True if a record is part of a conversation, so that its neighbours explain it."""
    return record.kind is Kind.MESSAGE


def _event_words(event_date: str) -> list[str]:
    """The index words of a whole or partial ISO date; none for anything else."""
    try:
        day = date.fromisoformat(event_date)
    except ValueError:
        year, _, month = event_date.partition("-")
        if not (len(year) == 4 and year.isascii() and year.isdigit()):
            return []
        full_month = len(month) == 2 and month.isascii() and month.isdigit()
        return [f"§{year}", f"§m{month}", f"§{year}m{month}"] if full_month else [f"§{year}"]
    return date_words(day)
