"""What else says a thing that is to be forgotten: a fact that is deleted, while the message it came
from is still found, is not forgotten. Pure."""

from collections.abc import Iterable

from memory.extraction import share_in
from memory.records import Kind, Record, Turn
from memory.resemblance import telling
from memory.text import words

#: A text says a statement again if it has all its telling words and this share of all its words:
#: "You work at Acme" says "I work at Acme", "the Acme of art" does not.
CARRIED_SHARE = 0.75


def carries(text: str, statement: str) -> bool:
    """Whether a text says the statement, perhaps among other things and to somebody else."""
    tell = telling(statement, lambda: words(statement))
    return tell <= frozenset(words(text)) and share_in(statement, text) >= CARRIED_SHARE


def traces(record: Record, others: Iterable[Record]) -> list[str]:
    """The ids of the archived messages and summaries that would tell what the record told: the
    messages of the turn it came from, and whatever says it again."""
    own = frozenset(record.turn_ids)
    return [
        other.id
        for other in others
        if (other.kind is Kind.MESSAGE and own & frozenset(other.turn_ids))
        or (other.kind in (Kind.MESSAGE, Kind.SUMMARY) and carries(other.text, record.text))
    ]


def telling_turns(record: Record, turns: Iterable[Turn]) -> list[str]:
    """The ids of the turns that say what the record says."""
    return [
        turn.id
        for turn in turns
        if turn.id in record.turn_ids or any(carries(m.text, record.text) for m in turn.messages)
    ]
